"""A reproducibility study of document chunking for retrieval."""

__version__ = "0.1.0"
