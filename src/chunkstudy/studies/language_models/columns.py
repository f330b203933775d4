"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, named
from chunkstudy.show.formats import number, percent, points, significant, tenths, whole

COLUMNS: Columns = {
    "SpanRecall@5 difference": Column("difference, points", points),
    "answered by": named("language model"),
    "instead": named("chunker"),
    "measured on": named("collection"),
    "run": Column("cells run", whole),
    "draws": whole,
    "chunks": whole,
    "documents": whole,
    "documents a second": number,
    "printed a second": number,
    "tokens a second": number,
    "US dollars, Emma": number,
}
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
AS_PUBLISHED: Columns = {"requests": whole, "US dollars": number}
AS_EMMA: Columns = {"chunks": whole, "mean tokens": whole, "draws": whole}
AS_ANSWERS: Columns = {"answered": percent, "at random": percent, "windows": whole}
AS_REPLIES: Columns = {"candidates": tenths, "tokens in": whole, "seconds": tenths}
AS_WINDOWS: Columns = {
    "mean tokens": whole,
    "taken officially": percent,
    "pieces": tenths,
    "tokens read": whole,
    "tokens written": whole,
}
AS_COST: Columns = {
    "documents": whole,
    "documents a second": significant,
    "tokens a second": significant,
    "printed a second": Column("published, documents a second", significant),
    "US dollars, Emma": number,
}
AS_PRICES: Columns = {
    "requests": whole,
    "million tokens in": number,
    "million tokens out": number,
    "US dollars": number,
}
