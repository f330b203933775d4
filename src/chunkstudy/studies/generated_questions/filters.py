"""The two filters: excerpts unlike their question, and questions too much alike.

Source: report, Dataset Prefiltering; synthetic_evaluation.py, filter_poor_excerpts and
filter_duplicates. Similarity is the cosine of two vectors of unit length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkstudy.base.tokens import Vectors
from chunkstudy.encoders.interface import Role
from chunkstudy.studies.generated_questions.generate import Candidate

LEAST, MOST = 0.36, 0.78
"""The official code's thresholds, for text-embedding-3-large: similarity of a question to its least
similar excerpt, and of two questions."""
UNLIKE = "an excerpt is unlike the question"
ALIKE = "the question is like an earlier one"
Encode = Callable[[Sequence[str], Role], Vectors]
Similarities = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Filtered:
    """What the filters say of each candidate, in their order.

    Attributes:
        least: similarity to the least similar of its excerpts, shape (candidates,).
        most: similarity to the most similar of the questions before it, kept or not; NaN for the
            first.
        dropped: why it is dropped, empty where it is kept.
    """

    least: Similarities
    most: Similarities
    dropped: tuple[str, ...]


def apply(
    candidates: Sequence[Candidate],
    texts: Mapping[str, str],
    encode: Encode,
    least: float = LEAST,
    most: float = MOST,
) -> Filtered:
    """Filter candidates: a question one of whose excerpts is unlike it, then one that is like an
    earlier question which is kept.

    The official code filters each document by itself; here all questions are compared, since all
    documents are searched together.

    Args:
        candidates: in the order in which they were generated.
        encode: gives vectors of unit length.
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
    dropped = tuple(
        UNLIKE if value < least else ALIKE if other else ""
        for value, other in zip(similarity.tolist(), like, strict=True)
    )
    before = [
        float((questions[:i] @ questions[i]).max()) if i else np.nan for i in range(len(questions))
    ]
    return Filtered(similarity, np.array(before), dropped)


def check(least: float, most: float) -> None:
    """Refuse thresholds that are no cosines.

    Raises:
        ValueError: if one is none.
    """
    for threshold in (least, most):
        if not -1 <= threshold <= 1:
            raise ValueError(f"a similarity of {threshold} is impossible; use -1 to 1")


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
