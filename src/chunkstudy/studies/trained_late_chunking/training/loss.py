"""InfoNCE: a question is to be closer to its passage than to every other."""

from __future__ import annotations

import torch
from torch.nn import functional

from chunkstudy.runs.study_results import StudyError


def info_nce(
    questions: torch.Tensor,
    passages: torch.Tensor,
    positive: torch.Tensor,
    relevant: torch.Tensor,
    temperature: float,
) -> torch.Tensor:
    """Mean over questions of minus the log of the share that its passage has among all.

    From questions to passages only: several questions share a passage and most passages have no
    question, so the other direction has no single right answer. Other passages that answer the
    question too are neither right nor wrong here; they are left out of its sum.

    Args:
        questions: (questions, d), unit length.
        passages: (passages, d), unit length.
        positive: (questions,), the passage of each.
        relevant: (questions, passages), true where a passage answers the question.
        temperature: by which the cosines are divided.

    Raises:
        StudyError: if no question has a passage that its own could be told from, as in a batch
            of one passage.
    """
    if bool(relevant.all()):
        raise StudyError(
            "every passage of a batch answers all of its questions, so that there is nothing to "
            "tell them from; raise the budget of tokens"
        )
    cosines = questions @ passages.T / temperature
    aside = relevant.clone()
    aside[torch.arange(len(positive)), positive] = False
    return functional.cross_entropy(cosines.masked_fill(aside, -torch.inf), positive)
