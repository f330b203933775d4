"""Late and plain chunking of collections whose documents are ranked by their best chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd

from chunkstudy.base.protocols import AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.runs.conditions import NONE
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.runs.names import PRE_EMBEDDING, EncoderName
from chunkstudy.show.study import Study

WHOLE = (NONE,)
"""The chunkers of documents that are not cut."""


@dataclass(frozen=True)
class Both:
    """Both ways of embedding the same chunks.

    Attributes:
        collection: its name.
        encoder: the slug of the model with its window.
        window: tokens read at once.
        protocol: whose rules.
        measure: such as ``nDCG@10``.
        late: a row a question and a column a chunker; fractions.
        plain: the same of chunks that are embedded by themselves.
        cut: the chunkers of which the window cuts a chunk that is embedded by itself.
    """

    collection: str
    encoder: str
    window: int
    protocol: str
    measure: str
    late: pd.DataFrame
    plain: pd.DataFrame
    cut: frozenset[str]

    def keys(self, **more: object) -> dict[str, object]:
        """The leading columns of a comparison."""
        how = {"protocol": self.protocol, "encoder": self.encoder, "measure": self.measure}
        return {"collection": self.collection, **more, **how}

    @property
    def by_ordering(self) -> dict[str, pd.DataFrame]:
        return {PRE_EMBEDDING: self.plain, f"contextualized-{self.window}": self.late}


def read(
    study: Study,
    chunkers: Mapping[str, Sequence[str]],
    encoder: str,
    window: int,
    protocols: Sequence[str],
    k: int,
) -> list[Both]:
    """Both ways, a protocol and collection each.

    Args:
        chunkers: by collection.
        protocols: whose rules. Plain documents that are not cut are the same by Jina's and by the
            corrected ones, which stand for both.
        k: how many documents are retrieved.
    """
    ordering, measure = f"contextualized-{window}", f"nDCG@{k}"
    found = []
    for protocol, (collection, some) in product(protocols, chunkers.items()):
        same = tuple(some) == WHOLE and protocol == AS_PUBLISHED_JINA.name
        of_plain = CORRECTED.name if same else protocol
        late = study.runs(collection, some, encoder, window, protocol, ordering=ordering)
        plain = study.runs(collection, some, encoder, window, of_plain)
        longest = {one.arm.name: one.run.sizes["wordpiece"].percentiles[-1] for one in late}
        found.append(
            Both(
                collection,
                str(EncoderName(encoder, window)),
                window,
                protocol,
                measure,
                late.scores(k=k).wide(measure),
                plain.scores(k=k).wide(measure),
                frozenset(name for name, size in longest.items() if size > window - SPECIAL),
            )
        )
    return found
