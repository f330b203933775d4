"""The two filters: excerpts unlike their question, and questions too much alike.

Source: report, Dataset Prefiltering; synthetic_evaluation.py, filter_poor_excerpts and
filter_duplicates. Similarity is the cosine of two vectors of unit length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy.base.tokens import Vectors
from chunkstudy.encoders.interface import Role
from chunkstudy.studies.generated_questions.generate import Candidate

LEAST, MOST = 0.36, 0.78
"""The official code's thresholds, for text-embedding-3-large: similarity of a question to its least
similar excerpt, and of two questions."""
UNLIKE = "an excerpt is unlike the question"
ALIKE = "the question is like an earlier one"
LEAST_SIMILAR, MOST_SIMILAR = "least similar excerpt", "most similar earlier question"
Encode = Callable[[Sequence[str], Role], Vectors]


def apply(
    candidates: Sequence[Candidate],
    texts: Mapping[str, str],
    encode: Encode,
    least: float = LEAST,
    most: float = MOST,
) -> pd.DataFrame:
    """Filter candidates: a question one of whose excerpts is unlike it, then one that is like an
    earlier question which is kept.

    The official code filters each document by itself; here all questions are compared, since all
    documents are searched together.

    Args:
        candidates: in the order in which they were generated.
        encode: gives vectors of unit length.

    Returns:
        A row a candidate: the similarity to the least similar of its excerpts, and to the most
        similar of the questions before it, kept or not, NaN for the first; ``dropped``, why it is,
        empty where it is kept.
    """
    quoted = [
        texts[each.document][start:end] for each in candidates for start, end in each.excerpts
    ]
    of = np.repeat(np.arange(len(candidates)), [len(each.excerpts) for each in candidates])
    questions = encode([each.question for each in candidates], "query")
    similar = np.einsum("ij,ij->i", questions[of], encode(quoted, "document")).astype(np.float64)
    similarity = np.full(len(candidates), np.inf)
    np.minimum.at(similarity, of, similar)
    like = alike(questions, most, similarity >= least)
    dropped = [
        UNLIKE if value < least else ALIKE if other else ""
        for value, other in zip(similarity.tolist(), like, strict=True)
    ]
    before = [
        float((questions[:i] @ questions[i]).max()) if i else np.nan for i in range(len(questions))
    ]
    columns = {LEAST_SIMILAR: similarity, MOST_SIMILAR: before, "dropped": dropped}
    return pd.DataFrame(columns, index=[each.number for each in candidates])


def alike(questions: Vectors, most: float, considered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of each question whether it is dropped because of an earlier one.

    From first to last, a question that is kept drops all later ones that are more similar to it
    than ``most``. Questions that are not considered drop none and are not dropped.

    Args:
        questions: shape (questions, dimension).
        considered: shape (questions,).
    """
    dropped = np.zeros(len(questions), dtype=np.bool_)
    for i in np.flatnonzero(considered):
        if not dropped[i]:
            later = questions[i + 1 :] @ questions[i] > most
            dropped[i + 1 :] |= later & considered[i + 1 :]
    return dropped
