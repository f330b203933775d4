"""The two filters: excerpts unlike their question, and questions too much alike.

Source: report, Dataset Prefiltering; synthetic_evaluation.py, filter_poor_excerpts and
filter_duplicates. Similarity is the cosine of two vectors of unit length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.core.tokens import Vectors
from chunkstudy.encoders.interface import Role

LEAST, MOST = 0.36, 0.78
"""The official code's thresholds, for text-embedding-3-large: similarity of a question to its least
similar excerpt, and of two questions."""
UNLIKE = "an excerpt is unlike the question"
ALIKE = "the question is like an earlier one"
LEAST_SIMILAR, MOST_SIMILAR = "least similar excerpt", "most similar earlier question"
Encode = Callable[[Sequence[str], Role], Vectors]


def apply(
    questions: Sequence[str],
    excerpts: Sequence[Sequence[str]],
    encode: Encode,
    least: float,
    most: float,
) -> pd.DataFrame:
    """Filter questions: one whose excerpts are not all like it, then one that is like an earlier
    question which is kept.

    The official code filters each document by itself; here all questions are compared, since all
    documents are searched together.

    Args:
        questions: in the order in which they were generated.
        excerpts: of each question.
        encode: gives vectors of unit length.
        least: similarity to its question that an excerpt needs.
        most: similarity that two questions may have.

    Returns:
        A row a question: the similarity to the least similar of its excerpts, and to the most
        similar of the questions before it, kept or not, NaN for the first; ``dropped``, why it is,
        empty where it is kept.
    """
    of = np.repeat(np.arange(len(questions)), list(map(len, excerpts)))
    asked = encode(questions, "query")
    quoted = encode(list(chain.from_iterable(excerpts)), "document")
    similarity = np.full(len(questions), np.inf)
    np.minimum.at(similarity, of, np.einsum("ij,ij->i", asked[of], quoted).astype(np.float64))
    fits = similarity >= least
    like = np.zeros(len(questions), dtype=np.bool_)
    like[fits] = alike(asked[fits], most)
    return pd.DataFrame(
        {
            LEAST_SIMILAR: similarity,
            MOST_SIMILAR: [
                float((asked[:i] @ asked[i]).max()) if i else np.nan for i in range(len(asked))
            ],
            "dropped": np.select([~fits, like], [UNLIKE, ALIKE], ""),
        }
    )


def alike(questions: Vectors, most: float) -> NDArray[np.bool_]:
    """Of each question, shape (questions, dimension), whether it is dropped because of an earlier
    one: from first to last, one that is kept drops all later ones that are more similar to it than
    ``most``.
    """
    dropped = np.zeros(len(questions), dtype=np.bool_)
    for i, question in enumerate(questions):
        if not dropped[i]:
            dropped[i + 1 :] |= questions[i + 1 :] @ question > most
    return dropped
