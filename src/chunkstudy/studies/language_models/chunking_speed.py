"""How many documents a second does each chunker cut?

The taxonomy counts documents a second on SciDocs; SciFact's abstracts are of the same kind. Seconds
are those that one core spent, whatever else ran beside it. A chunker that embeds is given fewer
documents, and its encoder keeps nothing from one text to the next.

What asking a language model costs stands beside: dollars are estimates from dated prices; what a
model thinks before it answers is not counted. Documents a second of hosted models stand as printed,
since nothing here could give them again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import pandas as pd

from chunkstudy.chunkers.expected_requests import of_boundaries
from chunkstudy.collections import gutenqa
from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import chunk_documents
from chunkstudy.core.tokens import counter
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.llm.prices import PRICES
from chunkstudy.pipeline import facts
from chunkstudy.pipeline.chunking import build_chunker
from chunkstudy.pipeline.conditions import MINILM_512, parse_chunker, parse_encoder
from chunkstudy.pipeline.estimate import size
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.published.sources import published_grid

NAME = "chunking-speed"
COLLECTIONS = (SCIFACT,) = ("scifact",)
CHUNKERS = (
    "paragraph",
    "sentence-5",
    "fixed-256",
    "recursive-400-0",
    "token-400-0",
    "lumberchunker-last",
    "semantic",
    "cluster-200",
    "kamradt",
)
EMBEDDED = 100
"""Documents of a chunker that embeds them, the first in the order of their ids."""


@experiment(NAME, collections=COLLECTIONS)
def tables(context: Context, _: Sequence[str] = ()) -> dict[str, pd.DataFrame]:
    """A row per chunker: the ``collection``, ``documents`` and ``tokens`` (cl100k) that it was
    given, the ``chunks`` it made, and the ``seconds`` of one core that this took."""
    model = parse_encoder(MINILM_512)
    encoder = TransformerEncoder(models.spec(model.model), window=model.window)
    context.note(encoder.describe())
    encoder.encode(["A text that is read before the clock starts."])
    rows = []
    every = context.collection(SCIFACT).documents
    for slug in CHUNKERS:
        context.say(f"{slug} on {SCIFACT}")
        documents = every[:EMBEDDED] if parse_chunker(slug).needs_encoder else every
        chunker = build_chunker(slug, CORRECTED, encoder.encode, encoder)
        chunker(documents[0].text)
        started = time.process_time()
        chunks = chunk_documents(chunker, documents)
        seconds = time.process_time() - started
        tokens = sum(counter("cl100k").count_many([document.text for document in documents]))
        rows.append((SCIFACT, slug, len(documents), tokens, len(chunks), seconds))
    columns = ["collection", "chunker", "documents", "tokens", "chunks", "seconds"]
    return {"chunkers": pd.DataFrame(rows, columns=columns)}


def prices(places: Project) -> pd.DataFrame:
    """A row per collection whose boundaries a work let a language model draw, and per method."""
    grid = ((one.collection, one.chunking) for one in published_grid(places))
    rows = []
    for collection, chunker in dict.fromkeys(pair for pair in grid if pair[1].llm):
        expected = of_boundaries(chunker.name, chunker.llm, *size(collection, places))
        name = chunker.llm.partition("/")[2]
        row = {
            "collection": collection,
            "chunker": chunker.name,
            "language model": name,
            "requests": expected.requests,
            "million tokens in": expected.input_tokens / 1e6,
            "million tokens out": expected.output_tokens / 1e6,
            "US dollars": expected.dollars,
            "price as of": PRICES[name].date,
            "basis": _basis(collection, places),
        }
        rows.append(row)
    return pd.DataFrame(rows).sort_values(["chunker", "collection"], ignore_index=True)


def _basis(collection: str, places: Project) -> str:
    """On what the size of a collection rests."""
    if collection == gutenqa.FULL:
        return "99 of its 100 books are not here and taken to be as long as Emma"
    counted = not facts.read(places, f"{collection}_facts").empty
    if counted or collection == "chroma":
        return "from its texts, counted"
    return "roughly, from a size that nobody counted here"


def speeds(places: Project, measured: pd.DataFrame) -> pd.DataFrame:
    """A row per chunker: documents and tokens a second as measured, and documents a second as the
    taxonomy prints them. A speed hangs on the machine and on who is asked: it is no published cell
    and gets no verdict.

    Args:
        measured: of the study ``chunking-speed``.
    """
    rows = pd.read_csv(places.published / "speeds" / "taxonomy.csv", thousands=",")
    printed = rows.set_index("chunker")["published"].astype(float).rename("printed a second")
    own = measured.set_index("chunker")
    table = own[["collection", "documents"]].rename(columns={"collection": "measured on"})
    for unit in ("documents", "tokens"):
        table[f"{unit} a second"] = own[unit] / own["seconds"]
    order = pd.Index(dict.fromkeys([*table.index, *printed.index]), name="chunker")
    return table.reindex(order).join(printed).reset_index()
