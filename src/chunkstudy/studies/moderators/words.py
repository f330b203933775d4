"""The content words of a text: what a question names.

A word is two letters or digits or more, as scikit-learn's vectorizers take it, in lower case; its
list of English stop words and the forms of *do* that this lacks are left out; the rest are stemmed
by nltk's English Snowball stemmer, so that *viruses* and *virus* are one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

WORD = re.compile(r"\b\w\w+\b")
FORMS_OF_DO = frozenset({"did", "does", "doing"})


@lru_cache(maxsize=100_000)
def content(text: str) -> frozenset[str]:
    """The stems of a text's content words, each once."""
    return frozenset(
        _stem(word) for word in set(WORD.findall(text.lower())) if word not in _stop_words()
    )


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # takes seconds

    return frozenset(ENGLISH_STOP_WORDS) | FORMS_OF_DO


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    stemmed: str = _stemmer().stem(word)
    return stemmed


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from nltk.stem.snowball import EnglishStemmer

    return EnglishStemmer()
