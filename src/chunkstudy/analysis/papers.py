"""COVID-QA: questions of one paper share its text, so papers are what is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pandas as pd

from chunkstudy.analysis.paired import Pair, documents_of
from chunkstudy.collections import covid_qa


def with_papers(pairs: Iterable[Pair], parts: pd.DataFrame) -> Iterator[Pair]:
    """The pairs, those whose ``collection`` is COVID-QA with the paper of every question.

    Args:
        pairs: comparisons whose keys name a ``collection``.
        parts: ``query_id`` and ``part``, the paper of every query; may be empty.
    """
    papers = documents_of(parts)
    for pair in pairs:
        of_papers = pair.keys["collection"] in (covid_qa.WITHIN, covid_qa.ALL)
        yield replace(pair, documents=papers) if of_papers else pair
