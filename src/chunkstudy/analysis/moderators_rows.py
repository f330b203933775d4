"""A row per question, chunker, model and window: late chunking's gain and what may moderate it.

Gains are from the records, moderators from the study that measures the texts; both are joined by
the digest of the chunks, so that a record whose chunks were not measured is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.late_chunking_excerpts import DCG, late_and_plain
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import SPECIAL, parse_ordering
from chunkstudy.grid.library import Library
from chunkstudy.studies.moderators import DIGITS, TOKENS
from chunkstudy.studies.moderators.places import read_at

YES = "yes"
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
MODERATORS = {
    LATER: "", DEEPER: "", AMID: "", INSIDE: "", SPLIT: YES, LONG_CHUNK: "", TRUNCATED: YES,
    OUTSIDE: "", NEAR: "", NOWHERE: "", LONG_DOCUMENT: "",
}  # fmt: skip
"""Each with its step where that is not a standard deviation within a chunker.

Words are shares of the question's content words. Those outside the chunk with the answer (but in
the document) and those nowhere are held against those in it; those in its two neighbours are a part
of those outside, so that their effect is that of standing next to the chunk and not farther off,
which makes a question no harder. Lengths, and the distance from the chunk's ends, are logarithms
to base 2."""
_TOKENS, _WORDS = "tokens", "share of the question's words"
_LENGTHS = "doublings of the tokens"
UNITS = {
    LATER: "share of the document", DEEPER: _TOKENS, AMID: _TOKENS, INSIDE: _LENGTHS,
    SPLIT: "yes or no", LONG_CHUNK: _LENGTHS, TRUNCATED: "yes or no", OUTSIDE: _WORDS, NEAR: _WORDS,
    NOWHERE: _WORDS, LONG_DOCUMENT: "doublings of the windows", WIDER: "doublings of the window",
}  # fmt: skip
"""What the size of a moderator's step counts."""
Study = Mapping[str, pd.DataFrame]


def rows(library: Library, study: Study) -> pd.DataFrame:
    """The keys, ``plain`` and ``late`` DCG@10, their ``gain``, and the moderators, all numbers.

    Questions that no chunk answers, and those without a content word, have no row.

    Args:
        library: the records.
        study: the tables of the study ``moderators``; none where it was not run.
    """
    found = []
    if study:
        chunkings = study["chunkings"].set_index(["collection", "chunks"])["chunking"]
        for collection in chunkings.index.unique("collection"):
            for late, record, plain in late_and_plain(library, collection):
                key = collection, record.run.chunks_sha256[:DIGITS]
                measured = DCG in record.wide and DCG in plain.wide and key in chunkings.index
                if not reading.contextualized(late) or not measured:
                    continue
                measured_rows = moderators(study, late, int(chunkings[key]))
                if measured_rows.empty:
                    continue
                scores = pd.DataFrame({"plain": plain.wide[DCG], "late": record.wide[DCG]})
                found.append(measured_rows.join(scores, on="query_id", how="inner"))
    if not found:
        return pd.DataFrame()
    table = pd.concat(found, ignore_index=True)
    table["gain"] = table["late"] - table["plain"]
    return table.dropna(ignore_index=True)


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """The model with most rows first, its windows ascending."""
    most = rows.groupby("model")["model"].transform("size")
    return rows.assign(most=-most).sort_values(["most", "model", "window"], kind="stable")


def questions(rows: pd.DataFrame) -> int:
    """How many different questions these are; collections number theirs alike."""
    return len(rows[["collection", "query_id"]].drop_duplicates())


def moderators(study: Study, late: Condition, chunking: int) -> pd.DataFrame:
    """The moderators of one chunking's questions, as a condition's model and window see them; no
    row where the study did not count in the model's tokens."""
    model = reading.model(late.encoder)
    before = study["models"].set_index("model")["prefix"]
    if model not in before.index:
        return pd.DataFrame()
    held, asked, texts = study["chunks"], study["answers"], study["documents"]
    held = held[held["chunking"] == chunking].set_index("query_id")
    asked = asked[asked["collection"] == late.collection].set_index("query_id")
    texts = texts[texts["collection"] == late.collection].set_index("document")
    own = ["boundary", "cut", "inside", "neighbours"]
    both = asked.join(held[own], how="inner")
    size = held.loc[both.index, TOKENS + model]
    length = both["document"].map(texts[TOKENS + model])
    place, from_end = read(both[TOKENS + model], length, late, before[model])
    room = reading.window(late.ordering) - SPECIAL - before[model]
    words = both["words"].where(both["words"] > 0)
    keys = {
        "model": model,
        "window": reading.window(late.ordering),
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
        WIDER: np.log2(reading.window(late.ordering)),
    }
    measured = pd.DataFrame(values, index=both.index, dtype=float)
    return pd.DataFrame(keys, index=both.index).join(measured).reset_index()


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
            asked[own], int(str(length)), ordering.window, ordering.overlap, int(prefix)
        )
    place, from_end = (pd.Series(one, index=tokens.index) for one in found)
    return place, from_end
