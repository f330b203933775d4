"""Conditions, runs and the records they leave."""
