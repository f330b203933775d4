"""Exact search: chunks, and documents by their chunks."""
