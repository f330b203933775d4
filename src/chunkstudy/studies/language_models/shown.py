"""Which columns this page's tables show, in which order."""

from __future__ import annotations

from chunkstudy.study.formats import Column, Columns, significant, whole

SETTINGS = ["measure", "encoder", "protocol", "ordering", "chunker"]
TESTED = ["difference", "low", "high", "p_holm", "shown"]
OF_EMMA = [
    *SETTINGS, "draws", "chunks", "mean tokens", "n", "score", "score low", "score high", *TESTED,
]  # fmt: skip
OF_BOUGHT = [*SETTINGS, "instead", "n", "chosen", "other", *TESTED]
OF_ANSWERS = ["text", "answered by", "place", "windows", "answered", "at random", *TESTED]
OF_COST = [
    "chunker", "measured on", "documents", "documents a second", "tokens a second",
    "printed a second", "US dollars, Emma", "DCG@10", "low", "high",
]  # fmt: skip
AS_SIZES: Columns = {"mean tokens": whole}
AS_COST: Columns = {
    **dict.fromkeys(("documents a second", "tokens a second"), significant),
    "printed a second": Column("published, documents a second", significant),
}
