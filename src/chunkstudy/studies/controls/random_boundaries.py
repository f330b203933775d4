"""Do boundaries matter, or would any of the same number and sizes do?

Semantic chunking, clustering and LumberChunker choose where to cut. The control keeps of each
document's chunks their number and sizes and puts these in another order, so that every cut falls
elsewhere: at the units that the method cuts at, and anywhere, within words too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from chunkstudy.chunkers import structure
from chunkstudy.chunkers.passages import paragraphs
from chunkstudy.chunkers.random_boundaries import ANYWHERE, UNITS, drawn
from chunkstudy.chunkers.semantic import punkt_sentences
from chunkstudy.collections import covid_qa
from chunkstudy.core.errors import StudyError
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks, Collection, Span
from chunkstudy.core.tokens import counter
from chunkstudy.display import titles
from chunkstudy.display.drawing import (
    COLORS,
    intervals,
    one_legend,
    rows_named,
    style,
    titled,
    zero,
)
from chunkstudy.evaluation.statistics.differences import Pair, at, differences
from chunkstudy.notebook.study import Study
from chunkstudy.pipeline import engine
from chunkstudy.pipeline.conditions import (
    LATE_512,
    MINILM_512,
    MPNET,
    PRE_EMBEDDING,
    Condition,
    parse_encoder,
    parse_method,
)
from chunkstudy.pipeline.encoding import encode_together
from chunkstudy.pipeline.experiments import Context, experiment
from chunkstudy.pipeline.vector_store import VectorStore

NAME = "random-boundaries"
MEASURES = ("DCG@10", "SpanRecall@5")
"""The second where passages are judged as spans."""
ALL, SMALLER = "all", "its three smaller corpora"
THREE = ("chatlogs", "state_of_the_union", "wikitexts")
CLUSTER, SEMANTIC, LUMBERCHUNKER = "cluster-200", "semantic", "lumberchunker-released"
METHOD = ["collection", "part", "chunker", "encoder", "ordering"]
METHODS_OWN = ""
"""The boundaries that a method chose itself."""

UNITS_OF: dict[str, Callable[[str], Sequence[Span]]] = {
    CLUSTER: lambda text: structure.pieces(text, counter("cl100k")),
    SEMANTIC: punkt_sentences,
    LUMBERCHUNKER: paragraphs,
}
"""What each method does not cut through: pieces of 50 tokens, sentences, paragraphs."""


@dataclass(frozen=True, slots=True)
class Control:
    """A method under one encoder and embedding method, and how many draws stand against it.

    Late, one reading of the documents serves all draws; plain, each takes a reading, so there are
    fewer and none of them is cut anywhere. ``documents`` are those compared, all if none is named:
    all-mpnet-base-v2 reads about 670 tokens a second on a core.
    """

    collection: str
    chunker: str
    encoder: str
    ordering: str
    at_units: int
    anywhere: int = 0
    documents: tuple[str, ...] = ()

    @property
    def keys(self) -> dict[str, str]:
        """Its columns in both tables."""
        part = SMALLER if self.documents == THREE else ", ".join(self.documents) or ALL
        return {"collection": self.collection, "part": part, "chunker": self.chunker,
                "encoder": self.encoder, "ordering": self.ordering}  # fmt: skip

    @property
    def condition(self) -> Condition:
        """The method's own."""
        return Condition(self.collection, self.chunker, self.encoder, self.ordering, CORRECTED.name)


CONTROLS = (
    Control("gutenqa-emma", LUMBERCHUNKER, MINILM_512, LATE_512, 20, 20),
    Control("gutenqa-emma", SEMANTIC, MINILM_512, LATE_512, 20, 20),
    Control("chroma-within", CLUSTER, MINILM_512, LATE_512, 20, 20),
    Control("chroma-within", CLUSTER, MINILM_512, PRE_EMBEDDING, 5),
    Control("gutenqa-emma", LUMBERCHUNKER, MINILM_512, PRE_EMBEDDING, 5),
    Control("chroma-within", CLUSTER, MINILM_512, LATE_512, 20, 20, THREE),
    Control("chroma-within", CLUSTER, f"{MPNET}-w512", LATE_512, 20, 20, THREE),
    Control(covid_qa.WITHIN, CLUSTER, MINILM_512, LATE_512, 20, 20),
    Control(covid_qa.WITHIN, SEMANTIC, MINILM_512, LATE_512, 20, 20),
)


def read(study: Study, controls: Sequence[Control]) -> dict[str, pd.DataFrame]:
    """Both tables of these controls, from the stored experiment where it has all of them."""
    kept = {*controls} <= {*CONTROLS}
    made = study.stored(NAME, lambda context: tables(context, (), controls), kept=kept)
    keys = pd.DataFrame([control.keys for control in controls])
    return {name: table.merge(keys) for name, table in made.items()}


@experiment(NAME, collections=("gutenqa-emma", "chroma-within", covid_qa.WITHIN))
def tables(
    context: Context, _: Sequence[str] = (), controls: Sequence[Control] = ()
) -> dict[str, pd.DataFrame]:
    """``draws``: of each method and draw the mean of each measure, and of its chunks how many there
    are and the standard deviation of their characters; draw 0 is the method itself.

    ``questions``: of each question the method's score and the mean over the draws, with the
    document that it is asked of. All chunks of a control are encoded together, so that late
    chunking reads each document once.

    Args:
        context: hands out collections and models.
        controls: other ones than those that are stored.
    """
    rows, questions = [], []
    for control in controls or CONTROLS:
        collection = context.collection(control.collection)
        if control.documents:
            collection = collection.asked_of(control.documents)
        store = context.store(control.encoder)
        sets = with_draws(context, control, collection, store)
        vectors = encode_together(
            store, collection, [chunks for *_, chunks in sets], control.ordering
        )
        queries = store.encode([query.text for query in collection.queries], "query")
        scores: dict[str, list[pd.DataFrame]] = {}
        for (boundaries, draw, chunks), of_chunks in zip(sets, vectors, strict=True):
            frame = engine.score(collection, chunks, engine.Vectors(queries, of_chunks))
            scores.setdefault(boundaries, []).append(frame := frame.filter(MEASURES))
            about = {"boundaries": boundaries, "draw": draw, "chunks": len(chunks)}
            means = {str(measure): float(mean) for measure, mean in frame.mean().items()}
            spread = float(chunks.lengths.std())
            rows.append({**control.keys, **about, "spread": spread, **means})
        (method,) = scores.pop(METHODS_OWN)
        document = {query.id: query.document for query in collection.queries}
        for boundaries, draws in scores.items():
            mean = sum(draws[1:], draws[0]) / len(draws)
            table = method.add_prefix("method ").join(mean.add_prefix("draws "))
            table = table.rename_axis("query_id").reset_index()
            of_each = table["query_id"].map(document)
            questions.append(table.assign(boundaries=boundaries, document=of_each, **control.keys))
    return {"draws": pd.DataFrame(rows), "questions": pd.concat(questions, ignore_index=True)}


def with_draws(
    context: Context, control: Control, collection: Collection, store: VectorStore
) -> list[tuple[str, int, Chunks]]:
    """Where boundaries are, the draw, and its chunks; the method's own first.

    Raises:
        StudyError: for a chunker whose units nobody named.
    """
    if control.chunker not in UNITS_OF:
        raise StudyError(f"{control.chunker} has no units here; use one of {', '.join(UNITS_OF)}")
    context.say(f"random boundaries for {control.condition}")
    chunks = context.chunks(control.condition, store)
    if control.documents:
        named = [collection.positions[name] for name in control.documents]
        chunks = chunks.only(np.isin(chunks.document, named))
    units = [UNITS_OF[control.chunker](document.text) for document in collection.documents]
    drawn_at = ((UNITS, units, control.at_units), (ANYWHERE, None, control.anywhere))
    return [(METHODS_OWN, 0, chunks)] + [
        (boundaries, draw, drawn(collection.documents, chunks, draw, places))
        for boundaries, places, number in drawn_at
        for draw in range(1, number + 1)
    ]


def against_chance(questions: pd.DataFrame, draws: pd.DataFrame) -> pd.DataFrame:
    """Each question's score under a method against its mean over the draws, a row per collection,
    method, encoder, ordering, place of boundaries and measure; the methods and collections, or
    parts of them, of one encoder, ordering, measure and place are a family. Beside it stand the
    number of ``draws`` and the outermost of their means, ``lowest draw`` and ``highest draw``.

    Args:
        questions: of :func:`tables`.
        draws: the same.
    """
    pairs, drawn = [], []
    for key, part in questions.groupby([*METHOD, "boundaries"], sort=False):
        keys = dict(zip((*METHOD, "boundaries"), key, strict=True))
        wide = part.set_index("query_id").dropna(axis=1, how="all")
        means = at(draws, **keys)
        for measure in (name for name in MEASURES if f"method {name}" in wide):
            scores = wide[f"method {measure}"], wide[f"draws {measure}"], wide["document"]
            pairs.append(Pair({**keys, "measure": measure}, *scores))
            low, high = means[measure].min(), means[measure].max()
            drawn.append({"draws": len(means), "lowest draw": low, "highest draw": high})
    tests = differences(pairs, _family, "chosen", "random")
    return pd.concat([tests, pd.DataFrame(drawn)], axis=1)


@style()
def figure_boundaries(rows: pd.DataFrame) -> Figure:
    """The method minus the mean of its draws, with 95% intervals, a panel per measure; behind them
    how far the method lies from its best and worst draw."""
    names = list(rows[METHOD].drop_duplicates().itertuples(index=False, name=None))
    measures, kinds = (list(dict.fromkeys(rows[column])) for column in ("measure", "boundaries"))
    figure, panels = plt.subplots(
        1, len(measures), figsize=(8.3, 0.62 * len(names) + 1.9), squeeze=False, sharey=True,
    )  # fmt: skip
    for axes, measure in zip(panels[0], measures, strict=True):
        for offset, kind in enumerate(kinds):
            matching = rows[(rows["measure"] == measure) & (rows["boundaries"] == kind)]
            keys = matching[METHOD].itertuples(index=False, name=None)
            at = np.array([names.index(key) for key in keys]) + 0.26 * (offset - 0.5)
            best, worst = (
                100 * (matching["chosen"] - matching[end])
                for end in ("highest draw", "lowest draw")
            )
            axes.hlines(at, best, worst, color="0.85", lw=6, zorder=0, label="against single draws")
            intervals(axes, matching, at, COLORS[offset], f"against random ones {kind}")
        zero(axes)
        axes.set_title(titles.measure(str(measure)), loc="left")
        axes.set_xlabel("chosen minus random, points")
    rows_named(panels[0][0], [_arm(*name) for name in names])
    one_legend(figure, panels[0], columns=3)
    above = int((rows["low"] > 0).sum())
    titled(
        figure,
        f"Chosen boundaries minus the same sizes in another order: {above} of {len(rows)} "
        "intervals lie above zero",
    )
    return figure


def _family(keys: Mapping[str, object]) -> str:
    ordering = "plain" if keys["ordering"] == PRE_EMBEDDING else "late"
    encoder = parse_encoder(str(keys["encoder"])).model
    part = f"{keys['boundaries']}, {keys['part']}"
    return f"random boundaries {part}, {keys['measure']}, {encoder}, {ordering}"


def _arm(collection: str, part: str, chunker: str, encoder: str, ordering: str) -> str:
    window = parse_method(ordering).window
    late = f", late in windows of {window}" if window else ""
    where = titles.collection(collection) + ("" if part == "all" else f",\n{part}")
    model = titles.encoder(encoder).split(",")[0]
    return f"{titles.chunker(chunker)}{late}\n{where}, {model}"
