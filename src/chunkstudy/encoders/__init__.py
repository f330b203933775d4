"""Encoders: texts become vectors."""
