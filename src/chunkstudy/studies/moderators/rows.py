"""A row per question, chunker, model and window: late chunking's gain and what may moderate it.

Gains are from the records, moderators from the texts (texts.py); both are joined by the digest of
the chunks, so that a record whose chunks were not measured is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.encoding import SPECIAL
from chunkstudy.runs.grids import OWN
from chunkstudy.runs.library import Library
from chunkstudy.runs.names import PRE_EMBEDDING, parse_encoder, parse_ordering
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.moderators.places import read_at
from chunkstudy.studies.moderators.texts import DIGITS, TOKENS

DCG = "DCG@10"
LATER = "answer later in its document"
DEEPER = "answer later in its window"
AMID = "answer farther from its window's ends"
INSIDE = "answer farther from its chunk's ends"
SPLIT = "boundary cuts the answer"
LONG_CHUNK = "longer chunk"
TRUNCATED = "window cuts the chunk"
LONG_DOCUMENT = "longer document, in windows"
OUTSIDE = "question's words outside the chunk, not in it"
NEAR = "of these, next to the chunk, not farther off"
NOWHERE = "question's words nowhere in the document"
WIDER = "wider window"
YES_OR_NO, DOUBLED = "yes or no", "doublings of the window"
_TOKENS, _WORDS, _LENGTHS = "tokens", "share of the question's words", "doublings of the tokens"
MODERATORS = {
    WIDER: DOUBLED, LATER: "share of the document", DEEPER: _TOKENS, AMID: _TOKENS,
    INSIDE: _LENGTHS, SPLIT: YES_OR_NO, LONG_CHUNK: _LENGTHS, TRUNCATED: YES_OR_NO,
    OUTSIDE: _WORDS, NEAR: _WORDS, NOWHERE: _WORDS, LONG_DOCUMENT: "doublings of the windows",
}  # fmt: skip
"""Each with what it counts.

Words are shares of the question's content words. Those outside the chunk with the answer (but in
the document) and those nowhere are held against those in it; those in its two neighbours are a part
of those outside, so that their effect is that of standing next to the chunk and not farther off,
which makes a question no harder. Lengths, and the distance from the chunk's ends, are logarithms
to base 2."""


def rows(library: Library, measured: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The keys, ``plain`` and ``late`` DCG@10, their ``gain``, and the moderators, all numbers; the
    model with most rows first, its windows ascending.

    Questions that no chunk answers, and those without a content word, have no row.

    Args:
        measured: what the experiment ``moderators`` left.

    Raises:
        StudyError: if no record has chunks that were measured.
    """
    chunkings = measured["chunkings"].set_index(["collection", "chunks"])["chunking"]
    found = []
    late_ones = [one for one in library if one.protocol == OWN and one.late]
    for late in sorted(late_ones, key=lambda one: parse_ordering(one.ordering).window):
        record, plain = (library.get(one) for one in (late, replace(late, ordering=PRE_EMBEDDING)))
        if record is None or plain is None:
            continue
        key = late.collection, record.run.chunks_sha256[:DIGITS]
        if key in chunkings.index and DCG in record.wide and DCG in plain.wide:
            scores = pd.DataFrame({"plain": plain.wide[DCG], "late": record.wide[DCG]})
            own = moderators(measured, late, int(chunkings[key]))
            found += [own.join(scores, on="query_id", how="inner")] if len(own) else []
    if not found:
        raise StudyError(
            "no record has chunks that were measured; run `chunkstudy study moderators`"
        )
    table = pd.concat(found, ignore_index=True)
    table["gain"] = table["late"] - table["plain"]
    table["most"] = -table.groupby("model")["model"].transform("size")
    order = ["most", "model", "window", "collection"]
    table = table.dropna().sort_values(order, kind="stable", ignore_index=True)
    return table.drop(columns="most")


def questions(rows: pd.DataFrame) -> int:
    """How many different questions these are; collections number theirs alike."""
    return len(rows[["collection", "query_id"]].drop_duplicates())


def moderators(
    measured: Mapping[str, pd.DataFrame], late: Condition, chunking: int
) -> pd.DataFrame:
    """The moderators of one chunking's questions, as a condition's model and window see them; no
    row where nobody counted in the model's tokens."""
    model, window = parse_encoder(late.encoder).model, parse_ordering(late.ordering).window
    known = measured["models"].set_index("model")["prefix"]
    held, asked, texts = measured["chunks"], measured["answers"], measured["documents"]
    if model not in known.index:
        asked = asked.head(0)
    held = held[held["chunking"] == chunking].set_index("query_id")
    asked = asked[asked["collection"] == late.collection].set_index("query_id")
    texts = texts[texts["collection"] == late.collection].set_index("document")
    own = ["boundary", "cut", "inside", "neighbours"]
    both = asked.join(held[own], how="inner")
    if both.empty:
        return both
    before = int(known[model])
    size = held.loc[both.index, TOKENS + model]
    length = both["document"].map(texts[TOKENS + model])
    place, from_end = read(both[TOKENS + model], length, late, before)
    room = window - SPECIAL - before
    words = both["words"].where(both["words"] > 0)
    keys = {
        "model": model,
        "window": window,
        "collection": late.collection,
        "chunker": late.chunker,
        "document": both["document"],
        "place": both["place"],
    }
    values = {
        LATER: both["place"],
        DEEPER: place,
        AMID: from_end,
        INSIDE: np.log2(1 + both["boundary"]),
        SPLIT: both["cut"],
        LONG_CHUNK: np.log2(size.clip(lower=1)),
        TRUNCATED: size > room,
        LONG_DOCUMENT: np.log2(length / room),
        OUTSIDE: (both["words"] - both["nowhere"] - both["inside"]) / words,
        NEAR: both["neighbours"] / words,
        NOWHERE: both["nowhere"] / words,
        WIDER: np.log2(window),
    }
    found = pd.DataFrame(values, index=both.index, dtype=float)
    return pd.DataFrame(keys, index=both.index).join(found).reset_index()


def read(
    tokens: pd.Series, lengths: pd.Series, late: Condition, prefix: int
) -> tuple[pd.Series, pd.Series]:
    """The place of its window that each token is read at, and how far that is from the window's
    nearer end, in tokens.

    Args:
        tokens: how many tokens of the document stand before each.
        lengths: the document's tokens.
        late: the condition, whose window is read.
        prefix: tokens that the model puts before every document.
    """
    ordering = parse_ordering(late.ordering)
    asked = tokens.to_numpy()
    found = np.zeros((2, len(asked)), dtype=np.int64)
    for length, own in lengths.groupby(lengths).indices.items():
        found[:, own] = read_at(
            asked[own], int(str(length)), ordering.window, ordering.overlap, prefix
        )
    place, from_end = (pd.Series(one, index=tokens.index) for one in found)
    return place, from_end
