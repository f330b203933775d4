"""Tables of ranked retrieval with MiniLM: contextualized against plain chunking, and what the
papers leave open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from chunkstudy.grid import facts as collection_facts
from chunkstudy.grid.conditions import Condition
from chunkstudy.grid.encoding import CONTEXTUALIZED
from chunkstudy.grid.grids import (
    BEIR_AT_HAND,
    IELAB,
    JINA,
    LATE,
    LUMBERCHUNKER,
    OWN,
    PRE,
    SWEPT,
    TAILS,
    WIDE,
    WINDOWS,
)
from chunkstudy.places import Places
from chunkstudy.published.compare import Library, Scores
from chunkstudy.statistics import core as statistics
from chunkstudy.studies import results

HEADLINE = {"in_corpus": "nDCG@10", "in_document": "DCG@10"}
EMMA = "gutenqa-emma"
ALL = "all"
"""Of the corpora, all together."""


def scores(library: Library) -> pd.DataFrame:
    """Mean and 95% interval of every measure of every ranked condition, in percent."""
    rows = []
    for condition in library:
        record = _ranked(library, condition)
        if record is None:
            continue
        for measure in record.wide.columns:
            values = record.wide[measure]
            low, high = statistics.bootstrap_interval(values)
            rows.append(
                {
                    **_keys(condition),
                    "measure": measure,
                    "n": len(values),
                    "mean": _percent(values.mean()),
                    "low": _percent(low),
                    "high": _percent(high),
                    "chunks": record.run.counts.chunks,
                    "chunks without tokens": record.run.counts.empty_chunks,
                    "ties at the cut": record.run.counts.ties_at_cut,
                }
            )
    return pd.DataFrame(rows)


def gains(library: Library) -> pd.DataFrame:
    """Contextualized minus plain, the same chunker and protocol, window 512: paired, in points."""
    pairs = []
    for condition in library:
        if condition.ordering == LATE and condition.encoder == WIDE:
            twin = replace(condition, ordering=PRE)
            if condition.chunker == "none" and condition.protocol == JINA:
                twin = replace(twin, protocol=OWN)  # plain documents are the same under both
            pairs.append((condition, twin))
    return _differences(library, pairs, "contextualized", "plain")


def windows(library: Library) -> pd.DataFrame:
    """The gain of contextualized encoding at each window, one model: paired, in points."""
    pairs = []
    for collection in ("scifact", EMMA):
        for chunker in (*SWEPT, "paragraph"):
            for window, encoder in WINDOWS.items():
                late = Condition(collection, chunker, encoder, f"{CONTEXTUALIZED}-{window}", OWN)
                pairs.append((late, replace(late, ordering=PRE)))
    table = _differences(library, pairs, "contextualized", "plain")
    if len(table):
        table.insert(2, "window", table.pop("ordering").str.split("-").str[1])
    return table


def tails(library: Library) -> pd.DataFrame:
    """What merging or dropping short tails does to fixed-size chunks under either ordering."""
    pairs = []
    for name in BEIR_AT_HAND:
        for protocol in (JINA, OWN):
            for ordering in (PRE, LATE):
                plain = Condition(name, "fixed-256", WIDE, ordering, protocol)
                pairs += [(replace(plain, chunker=tail), plain) for tail in TAILS]
    return _differences(library, pairs, "without short tails", "fixed-256")


def tail_gains(library: Library) -> pd.DataFrame:
    """How much of the gain of contextualized encoding is left once short tails are gone.

    Per collection, protocol and remedy: the gain with tails, the gain without, and their paired
    difference over the queries, in points.
    """
    rows = []
    for name in BEIR_AT_HAND:
        for protocol in (JINA, OWN):
            gain = {}
            for chunker in ("fixed-256", *TAILS):
                late = _ranked(library, Condition(name, chunker, WIDE, LATE, protocol))
                pre = _ranked(library, Condition(name, chunker, WIDE, PRE, protocol))
                if late is not None and pre is not None:
                    gain[chunker] = late.wide["nDCG@10"] - pre.wide["nDCG@10"]
            for tail in TAILS:
                if "fixed-256" not in gain or tail not in gain:
                    continue
                found = statistics.paired_difference(gain["fixed-256"], gain[tail])
                rows.append(
                    {
                        "collection": name,
                        "protocol": protocol,
                        "remedy": tail,
                        "gain": _percent(gain["fixed-256"].mean()),
                        "gain without short tails": _percent(gain[tail].mean()),
                        "difference": _percent(found.mean),
                        "low": _percent(found.interval.low),
                        "high": _percent(found.interval.high),
                        "p": f"{found.p:.2g}",
                    }
                )
    return pd.DataFrame(rows)


def facts(places: Places) -> pd.DataFrame:
    """What decides how each collection's documents are read, a row per collection."""
    names = sorted(path.stem for path in (places.results / "facts").glob("*_facts.csv"))
    found = [collection_facts.read(places, name) for name in names]
    return pd.concat(found) if found else pd.DataFrame()


def protocols(library: Library) -> pd.DataFrame:
    """As published minus corrected, the same chunker and ordering: paired, in points."""
    pairs = [
        (condition, replace(condition, protocol=OWN))
        for condition in library
        if condition.protocol in (JINA, IELAB, LUMBERCHUNKER) and condition.encoder == WIDE
    ]
    return _differences(library, pairs, "as_published", "corrected")


def emma(library: Library) -> pd.DataFrame:
    """Emma: DCG@10 and its ceiling, by chunker, ordering and protocol, in percent."""
    rows = []
    for condition in library:
        if condition.collection != EMMA or condition.encoder != WIDE:
            continue
        record = _ranked(library, condition)
        assert record is not None
        values, best = record.wide["DCG@10"], record.wide["Ceiling(DCG@10)"]
        low, high = statistics.bootstrap_interval(values)
        rows.append(
            {
                "chunker": condition.chunker,
                "ordering": condition.ordering,
                "protocol": condition.protocol,
                "chunks": record.run.counts.chunks,
                "mean tokens": round(record.run.sizes["wordpiece"].mean, 1),
                "DCG@10": _percent(values.mean()),
                "low": _percent(low),
                "high": _percent(high),
                "Ceiling(DCG@10)": _percent(best.mean()),
                "share of ceiling": _percent(values.mean() / best.mean()) if best.any() else "",
            }
        )
    return pd.DataFrame(rows)


def propositions(library: Library) -> pd.DataFrame:
    """Propositions judged by their parents' text, as S2's code does, and by their own: paired."""
    parents = Condition(EMMA, "proposition-released", WIDE, PRE, IELAB)
    pair = (parents, replace(parents, protocol=LUMBERCHUNKER))
    return _differences(library, [pair], "parents judged", "own text judged")


def experiment(places: Places, name: str) -> pd.DataFrame:
    """What ``chunkstudy experiment`` left, as it stands; empty where it was not run."""
    path = places.results / "experiments" / f"{name}.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False) if path.exists() else pd.DataFrame()


def excerpts(places: Places) -> pd.DataFrame:
    """Contextualized minus plain on Chroma's excerpts, by window, chunker and measure."""
    found = experiment(places, "late_excerpts")
    if found.empty:
        return found
    found = found[found["positions"] == ""]
    rows: list[dict[str, object]] = []
    names = map(str, found.columns)
    measures = [name.removesuffix(", plain") for name in names if name.endswith(", plain")]
    for measure in measures:
        for (window, chunker), group in found.groupby(["window", "chunker"], sort=False):
            arms = {arm: group[f"{measure}, {arm}"] for arm in ("contextualized", "plain")}
            keys = {"measure": measure, "chunker": chunker, "window": window}
            rows.append({**keys, **_compared(pd.DataFrame(arms).astype(float))})
    return _adjusted(rows)


def positions(places: Places) -> pd.DataFrame:
    """Contextualized minus plain on Chroma's excerpts, each query's mean over the chunkers: in all
    corpora and in each, by window, and by the positions at which tokens are read."""
    found = experiment(places, "late_excerpts")
    if found.empty:
        return found
    parts = collection_facts.read(places, "chroma")
    corpora = found["query"].map(parts.set_index("query_id")["part"])
    rows: list[dict[str, object]] = []
    for corpus in (ALL, *sorted(corpora.unique())):
        part = found if corpus == ALL else found[corpora == corpus]
        in_order = pd.Series(dtype=float)  # of each window the first, as the experiment writes it
        for (window, where), group in part.groupby(["window", "positions"], sort=False):
            arms = {
                arm: group[f"DCG@10, {arm}"].astype(float).groupby(group["query"]).mean()
                for arm in ("contextualized", "plain")
            }
            keys = {
                "measure": "DCG@10", "corpus": corpus, "window": window,
                "positions": where or "in order", "chunkers": group["chunker"].nunique(),
            }  # fmt: skip
            late = arms["contextualized"]
            in_order = late if not where else in_order
            moved = statistics.paired_difference(late, in_order)
            low, high = _percent(moved.interval.low), _percent(moved.interval.high)
            shown = f"{_percent(moved.mean)} [{low}, {high}]" if where else ""
            rows.append({**keys, **_compared(pd.DataFrame(arms)), "against in order": shown})
    return _adjusted(rows)


def nan_guard(places: Places) -> pd.DataFrame:
    """nDCG@10 with and without the guard, and the loss over the draws, in percent."""
    found = results.read(places, "nan-guard")
    rows = []
    for (name, proportion, empties), group in found.groupby(
        ["collection", "proportion", "empty documents"] if len(found) else [], sort=False
    ):
        guarded, kept = group["guarded"], group["NaN kept"]
        loss = 100 * (kept / guarded - 1)
        rows.append(
            {
                "collection": name,
                "empty documents, in proportion to": proportion,
                "empty documents": empties,
                "nDCG@10, guarded": _percent(guarded.mean()),
                "nDCG@10, NaN kept": _percent(kept.mean()),
                "change (%)": f"{loss.mean():.1f}",
                "smallest": f"{loss.max():.1f}",
                "largest": f"{loss.min():.1f}",
                "draws": len(group),
            }
        )
    return pd.DataFrame(rows)


def _differences(
    library: Library, pairs: Iterable[tuple[Condition, Condition]], first: str, second: str
) -> pd.DataFrame:
    rows = []
    for one, other in pairs:
        left, right = _ranked(library, one), _ranked(library, other)
        if left is None or right is None:
            continue
        measure = HEADLINE[one.task]
        both = pd.DataFrame({first: left.wide[measure], second: right.wide[measure]}).dropna()
        rows.append({**_keys(one), "measure": measure, **_compared(both)})
    return _adjusted(rows)


def _compared(both: pd.DataFrame) -> dict[str, object]:
    """The first column minus the second, in points, with both means."""
    first, second = both.columns
    found = statistics.paired_difference(both[first], both[second])
    return {
        "n": found.n,
        first: _percent(both[first].mean()),
        second: _percent(both[second].mean()),
        "difference": _percent(found.mean),
        "low": _percent(found.interval.low),
        "high": _percent(found.interval.high),
        "p": found.p,
        "effect": f"{found.effect:.3f}",
    }


def _adjusted(rows: list[dict[str, object]]) -> pd.DataFrame:
    table = pd.DataFrame(rows)
    if len(table):
        table["p (Holm)"] = [f"{p:.2g}" for p in statistics.holm(table["p"])]
        table["p"] = [f"{p:.2g}" for p in table["p"]]
    return table


def _ranked(library: Library, condition: Condition) -> Scores | None:
    return library.get(condition) if condition.task in HEADLINE else None


def _keys(condition: Condition) -> dict[str, object]:
    return {
        "collection": condition.collection,
        "chunker": condition.chunker,
        "ordering": condition.ordering,
        "protocol": condition.protocol,
        "encoder": condition.encoder,
    }


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2f}"
