"""Questions with excerpts from any texts, as Chroma's report generates and filters them.

Source: Evaluating Chunking Strategies for Retrieval, Dataset Generation, Dataset Prefiltering and
Appendix, Synthetic Dataset Prompt; official code: synthetic_evaluation.py. docs/generation.md tells
what is done here and where it differs.
"""
