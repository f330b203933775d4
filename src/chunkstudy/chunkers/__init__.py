"""Chunkers: a text becomes spans."""
