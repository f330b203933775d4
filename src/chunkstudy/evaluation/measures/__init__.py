"""Measures: a ranking is scored against judged spans, query by query."""
