"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import number, points, significant, tenths, whole

COLUMNS: Columns = {
    "SpanRecall@5 difference": Column("difference, points", points),
    "answered by": named("language model"),
    "instead": named("chunker"),
    "measured on": named("collection"),
    "run": Column("cells run", whole),
    **dict.fromkeys(
        ("draws", "chunks", "documents", "requests", "tokens in", "tokens read", "tokens written"),
        whole),
    **dict.fromkeys(("candidates", "pieces", "seconds"), tenths),
    **dict.fromkeys(
        ("documents a second", "printed a second", "tokens a second", "million tokens in",
         "million tokens out", "US dollars", "US dollars, Emma"), number),
}  # fmt: skip
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
