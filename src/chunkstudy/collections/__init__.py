"""Test collections: documents, queries and judged spans."""
