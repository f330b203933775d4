"""Chunkers by what they are, each by an example that can be given as it stands; numbers are sizes,
in tokens where nothing else is said, and may be others."""

from __future__ import annotations

KINDS: dict[str, dict[str, str]] = {
    "By size": {
        "recursive-200-0": "at the coarsest separator that keeps to 200 tokens, overlap 0",
        "recursive-800-400-characters": "the same in characters",
        "token-250-125": "windows of 250 tokens, overlap 125",
        "fixed-256": "256 of the model's own tokens, WordPiece's where it shows none",
        "fixed-merged-256-64": "the same, a tail under 64 tokens joined to what is before it",
        "fixed-dropped-256-64": "the same, such a tail dropped",
    },
    "By structure": {
        "markdown-400": "sections under headings, longer ones split at 400 tokens",
        "paragraph": "at blank lines",
        "sentence-5": "five sentences",
        "segmenter": "Jina's segmenter, by regular expressions",
        "none": "whole documents",
    },
    "By the similarity of sentences (a model embeds them)": {
        "semantic": "LlamaIndex's semantic splitter",
        "cluster-200": "Chroma's ClusterSemanticChunker, 200 tokens at most",
        "kamradt": "Kamradt's semantic chunker",
        "kamradt-modified-200": "the same, 200 tokens on average",
    },
    "By a language model": {
        "llm": "Chroma's LLMSemanticChunker",
        "lumberchunker": "LumberChunker",
        "proposition": "propositions, each scored by the passage it was written from",
        "breakpoints-topic": "segments by topic",
        "breakpoints-structure": "segments by structure",
        "breakpoints-summary": "segments with summaries",
    },
    "By what a small causal model reads (an hour for a million tokens)": {
        "signal-surprisal-200": "where the text surprises",
        "signal-attention-last-200": "where attention stays behind",
        "signal-influence-200": "where what was before matters least",
    },
    "Small to large: what is before the plus sign is matched, what is behind it returned": {
        "sentence-1+paragraph": "a sentence, and its paragraph",
        "sentence-1+window-3": "a sentence, and three on either side",
        "sentence-1+none": "a sentence, and its document",
    },
    "Your own, or a library's": {
        "my_module:split": "a function from a text to texts or (start, end) pairs",
        "path/to/file.py:split": "the same in a file",
        "my_module:splitter": "LangChain's, LlamaIndex's or chonkie's",
    },
}
"""By kind, what each is."""
