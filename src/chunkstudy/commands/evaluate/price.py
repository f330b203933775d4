"""What an evaluation would take, before it starts: texts to encode, hours, dollars."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from chunkstudy.base.estimates import money
from chunkstudy.base.tokens import counter
from chunkstudy.commands.evaluate.arms import Arm
from chunkstudy.commands.evaluate.running import as_functions, chunked, label, read_tokens
from chunkstudy.commands.evaluate.texts import Texts
from chunkstudy.encoders.api import ApiEncoder
from chunkstudy.runs.encoding import SPECIAL, parse_ordering
from chunkstudy.runs.estimate import DEVICES, TWO_CORES, in_words
from chunkstudy.runs.names import parse_chunker
from chunkstudy.runs.store import VectorStore


def price(texts: Texts, arms: Sequence[Arm], vectors: Path) -> list[str]:
    """A line for each arm and one for all; nothing is encoded and nothing written.

    Chunkers of one's own are run, since only their chunks tell. A chunker that draws boundaries by
    embeddings is estimated: the text as often as it embeds it, and once more for its chunks. Late
    arms with one window read the documents once, together.
    """
    device = DEVICES[TWO_CORES]
    own = as_functions(texts, arms)
    lines: list[str] = []
    seconds = 0.0
    dollars: float | None = 0.0
    read: set[tuple[str, str]] = set()
    stores: dict[str, VectorStore] = {}
    for arm in arms:
        slug = arm.encoder.slug
        store = stores.get(slug) or stores.setdefault(slug, arm.encoder.open(vectors))
        ordering = parse_ordering(arm.condition.ordering)
        shared = ordering.window > 0 and (slug, str(ordering)) in read
        read.add((slug, str(ordering)))
        function = own.get(arm.chunker.slug)
        spec = None if function else parse_chunker(arm.chunker.slug)
        if spec and (spec.entry.passes or spec.llm or spec.reader):
            whole = [document.text for document in texts.collection.documents]
            text = sum(counter("wordpiece").count_many(whole))
            tokens, said = round(text * (spec.entry.passes + 1)), "boundaries to be drawn"
            cost: float | None = 0.0
        else:
            chunks = chunked(texts, arm, store, function, vectors)
            tokens, cost = _left(store, chunks.texts(texts.collection.documents))
            if ordering.window:
                tokens = read_tokens(texts, arm, store, chunks)
            said = f"{len(chunks):,} chunks"
        tokens = 0 if shared else tokens
        operations = arm.encoder.spec.flops_per_token(0) if arm.encoder.spec else 0
        took = tokens * operations / device.rate
        seconds += took
        dollars = None if dollars is None or cost is None else dollars + cost
        how_long = "time not known" if arm.encoder.spec is None else in_words(took)
        lines.append(
            f"{label(arm)}: {said}, {tokens:,} tokens to encode, {how_long}, {money(cost)}"
        )
    questions = f"{len(texts.collection.queries):,} questions"
    documents = f"{len(texts.collection.documents):,} documents"
    lines.append(
        f"in all, {documents} and {questions}: at most {in_words(seconds)} on "
        f"{device.description}, {money(dollars)}; what is encoded is kept, "
        "and a run that was stopped goes on"
    )
    return lines


def _left(store: VectorStore, embedded: Sequence[str]) -> tuple[int, float | None]:
    """Tokens of the chunks that are not encoded yet, and dollars for them."""
    missing = store.missing(embedded)
    if isinstance(store.encoder, ApiEncoder):
        asked = store.encoder.estimate(missing)
        return asked.input_tokens, asked.dollars
    count = getattr(store.encoder, "token_count", counter("wordpiece").count_many)
    return sum(count(missing)) + SPECIAL * len(missing), 0.0
