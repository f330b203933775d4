"""Boundary signals of a causal model: what it makes of a text before and after a place where a
chunk could end.

Source: Chroma's report, appendix "Further Algorithms", which looked at the entropy of Llama 3 8B's
next token, at its attention, and at how masked text changes the likelihood of later text (after
ContextCite), found no clear signal by eye and printed no number. Every file says what the report
leaves open and what is done here.

Every signal is larger where a boundary is likelier, and is taken over equally many tokens at all
places, so that neither distance nor length tells places apart.
"""
