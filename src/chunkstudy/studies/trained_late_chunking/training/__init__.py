"""Training an encoder to search passages of a document, read alone or pooled in context.

Jina's second post (Late Chunking can be trained) names the data, questions with a document and the
passage in it that answers them, and the loss, InfoNCE; it names no sizes, which are set in
``recipe.py``.
"""
