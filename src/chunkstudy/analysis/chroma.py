"""Every table of the Chroma study as a data frame, computed from records and published cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from chunkstudy.chunkers import catalogue
from chunkstudy.grid import facts, records
from chunkstudy.grid.conditions import MINILM, NONE, Condition
from chunkstudy.grid.grids import MINILM_SIZES
from chunkstudy.places import Places
from chunkstudy.protocols import AS_PUBLISHED_CHROMA, CORRECTED
from chunkstudy.published.compare import Library, Scores, read_published
from chunkstudy.statistics import core as statistics
from chunkstudy.studies import results

PUBLISHED_COUNTS = {  # S0:264-269
    "chatlogs": (7_727, 56),
    "finance": (166_177, 97),
    "pubmed": (117_211, 99),
    "state_of_the_union": (10_444, 76),
    "wikitexts": (26_649, 144),
}
SHOWN = ("SpanRecall@5", "SpanPrecision@5", "PrecisionOmega", "SpanIoU@5")
LENGTHS = ("cl100k", "wordpiece", "wordpiece-special")


def collection(places: Places) -> pd.DataFrame:
    """Characters, tokens, queries and excerpts of each corpus beside the published counts."""
    table = facts.read(places, "chroma_counts")
    published = table["part"].map(PUBLISHED_COUNTS)
    table.insert(3, "published_tokens", published.str[0])
    table.insert(6, "published_queries", published.str[1])
    numeric = table.drop(columns=["part", "mean_excerpt_characters"])
    characters = (table["mean_excerpt_characters"] * table["excerpts"]).sum()
    total = {
        "part": "all",
        **{name: int(numeric[name].sum()) for name in numeric},
        "mean_excerpt_characters": round(float(characters / table["excerpts"].sum()), 1),
    }
    return pd.concat([table, pd.DataFrame([total])], ignore_index=True)


def published_rows(comparison: pd.DataFrame, table: str) -> pd.DataFrame:
    """One published table: a row per chunker, published / reproduced / verdict per measure."""
    cells = comparison[(comparison["table"] == table) & (comparison["state"] == "whole")]
    rows: dict[str, dict[str, object]] = {}
    for _, cell in cells.iterrows():
        row = rows.setdefault(cell["chunker"], {"chunker": cell["chunker"]})
        name = f"{cell['measure']} {cell['statistic']}"
        row[f"{name} published"] = cell["published"]
        row[f"{name} reproduced"] = _two_decimals(cell["reproduced"])
        row[f"{name} verdict"] = cell["verdict"]
        if name == "SpanRecall@5 mean":
            row[f"{name} interval"] = _interval(cell)
            row[f"{name} corrected"] = _two_decimals(cell["corrected"])
    return pd.DataFrame(rows.values())


def appendix(comparison: pd.DataFrame) -> pd.DataFrame:
    """The MiniLM appendix: what is left of each printed recall, beside the reproduced one."""
    cells = comparison[
        (comparison["table"] == "appendix")
        & (comparison["statistic"] == "mean")
        & comparison["encoder"].str.contains("MiniLM")
    ]
    kept = ["part", "chunker", "cut", "published", "reproduced", "low", "high", "verdict"]
    return cells[kept].rename(columns={"published": "published leading digit"})


def lengths(places: Places) -> pd.DataFrame:
    """Which length function and unit print the MiniLM table's chunk sizes, and its recall."""
    library = Library(places)
    published = read_published(places)
    published = published[(published["table"] == "minilm") & (published["statistic"] == "mean")]
    rows = []
    for size in MINILM_SIZES:
        cells = published[published["chunker"] == f"recursive-{size}"].set_index("measure")
        for length in LENGTHS:
            slug = f"recursive-{size}" + ("" if length == "cl100k" else f"-{length}")
            protocol = AS_PUBLISHED_CHROMA.name
            free = library.get(Condition("chroma", slug, NONE, NONE, protocol))
            scored = library.get(Condition("chroma", slug, MINILM, "pre_embedding", protocol))
            if free is None:
                continue
            sizes = free.run.sizes
            printed = float(str(cells.at["SpanRecall@5", "printed"]))
            row: dict[str, object] = {
                "chunker": f"recursive-{size}",
                "length function": length,
                "chunks": free.run.counts.chunks,
                "published size": cells.at["chunk size", "printed"],
                "size in cl100k": round(sizes["cl100k"].mean, 2),
                "size in WordPiece": round(sizes["wordpiece"].mean, 2),
                "size in WordPiece with special tokens": round(sizes["wordpiece"].mean + 2, 2),
                "published recall": printed,
            }
            if scored is not None:
                recall = 100 * statistics.mean(library.values(scored, "SpanRecall@5"))
                row["reproduced recall"] = round(recall, 2)
                row["difference"] = round(recall - printed, 2)
            rows.append(row)
    return pd.DataFrame(rows)


def scores(places: Places) -> pd.DataFrame:
    """Mean, population std and 95% interval of every measure, per part and over all queries."""
    library = Library(places)
    rows = []
    for condition in library:
        if condition.collection != "chroma":
            continue
        record = library.get(condition)
        assert record is not None
        for measure in record.wide.columns:
            headline = measure in SHOWN
            for part in ("all", *PUBLISHED_COUNTS) if headline else ("all",):
                values = library.values(record, measure, part)
                low, high = statistics.bootstrap_interval(values)
                rows.append(
                    {
                        "chunker": condition.chunker,
                        "encoder": condition.encoder,
                        "protocol": condition.protocol,
                        "part": part,
                        "measure": measure,
                        "n": len(values),
                        "mean": f"{statistics.mean(values):.5f}",
                        "std": f"{statistics.population_std(values):.5f}",
                        "low": f"{low:.5f}",
                        "high": f"{high:.5f}",
                    }
                )
    return pd.DataFrame(rows)


def protocols(places: Places) -> pd.DataFrame:
    """What the official code's departures are worth: as published minus corrected, paired."""
    library = Library(places)

    def pair(condition: Condition, measure: str) -> pd.DataFrame | None:
        twin = replace(condition, protocol=CORRECTED.name)
        ours, theirs = library.get(twin), library.get(condition)
        if ours is None or theirs is None or measure not in theirs.wide:
            return None
        return pd.DataFrame({"a": theirs.wide[measure], "b": ours.wide[measure]})

    return _differences(library, AS_PUBLISHED_CHROMA.name, pair, "as_published", "corrected")


def token_unit(places: Places) -> pd.DataFrame:
    """Characters against true cl100k tokens under the corrected protocol, paired."""
    library = Library(places)

    def pair(condition: Condition, measure: str) -> pd.DataFrame | None:
        record = library.get(condition)
        name, _, cut = measure.partition("@")
        other = f"{name}(unit=token)" + (f"@{cut}" if cut else "")
        if record is None or measure not in record.wide or other not in record.wide:
            return None
        return pd.DataFrame({"a": record.wide[measure], "b": record.wide[other]})

    return _differences(library, CORRECTED.name, pair, "characters", "tokens")


def cost(places: Places) -> pd.DataFrame:
    """Seconds per million tokens, chunks indexed and tokens the reader gets, per chunker."""
    library = Library(places)
    rows = []
    for condition in library:
        record = library.get(condition)
        if record is None or condition.encoder == NONE or condition.collection != "chroma":
            continue
        if condition.protocol != CORRECTED.name:
            continue
        twin = replace(condition, protocol=AS_PUBLISHED_CHROMA.name)
        timing = [records.read_timing(record.folder)]
        if (other := library.get(twin)) is not None:
            timing.append(records.read_timing(other.folder))
        rows.append(_cost_row(condition, record, timing))
    return pd.DataFrame(rows)


def approximate(places: Places) -> pd.DataFrame:
    """Recall at 5 under exact search and the range under HNSW, beside the published one."""
    found = results.read(places, "approximate-search")
    cells = read_published(places)
    cells = cells[
        (cells["table"] == "minilm")
        & (cells["measure"] == "SpanRecall@5")
        & (cells["statistic"] == "mean")
    ]
    published = dict(zip(cells["chunker"], cells["printed"], strict=True))
    rows = []
    for chunker, group in found.groupby("chunker", sort=False):
        recall = 100 * group["SpanRecall@5"]
        base = str(chunker).removesuffix("-wordpiece-special")
        row = {"chunker": str(chunker), "published": published.get(base, "")}
        row["exact"] = f"{recall[group['search list'] == 'exact'].iloc[0]:.2f}"
        for size in ("50", "20", "10"):
            part = recall[group["search list"] == size]
            row[f"HNSW, list {size}"] = f"{part.min():.2f} to {part.max():.2f}"
        rows.append(row)
    return pd.DataFrame(rows)


def _cost_row(
    condition: Condition, record: Scores, timing: list[dict[str, float]]
) -> dict[str, object]:
    millions = timing[0]["collection_tokens"] / 1e6
    encoded = max(timing, key=lambda t: t["encoded_texts"])
    whole = encoded["encoded_texts"] >= 0.9 * record.run.counts.chunks
    return {
        "chunker": condition.chunker,
        "needs encoder": catalogue.parse(condition.chunker).needs_encoder,
        "chunks": record.run.counts.chunks,
        "mean chunk tokens": round(record.run.sizes["cl100k"].mean, 1),
        "chunking s/M tokens": round(timing[0]["chunking_seconds_without_encoding"] / millions, 2),
        "chunking's encoding s/M tokens": round(
            max(t["chunking_encoding_seconds"] for t in timing) / millions, 1
        ),
        "encoding s/M tokens": round(encoded["encoding_seconds"] / millions, 1) if whole else None,
        "TokensRead@5": round(float(record.wide["TokensRead@5"].mean()), 1),
        "TokensRead@10": round(float(record.wide["TokensRead@10"].mean()), 1),
    }


def _differences(
    library: Library,
    protocol: str,
    pair: Callable[[Condition, str], pd.DataFrame | None],
    first: str,
    second: str,
) -> pd.DataFrame:
    rows = []
    for condition in library:
        if condition.protocol != protocol or condition.collection != "chroma":
            continue
        for measure in (*SHOWN, "SpanRecall@Min"):
            both = pair(condition, measure)
            if both is None:
                continue
            found = statistics.paired_difference(both["a"], both["b"])
            rows.append(
                {
                    "chunker": condition.chunker,
                    "encoder": condition.encoder,
                    "measure": measure,
                    first: f"{100 * both['a'].mean():.2f}",
                    second: f"{100 * both['b'].mean():.2f}",
                    "difference": f"{100 * found.mean:.2f}",
                    "low": f"{100 * found.interval.low:.2f}",
                    "high": f"{100 * found.interval.high:.2f}",
                    "p": found.p,
                    "effect": f"{found.effect:.3f}",
                }
            )
    table = pd.DataFrame(rows)
    if len(table):
        table["p (Holm)"] = [f"{p:.2g}" for p in statistics.holm(table["p"])]
        table["p"] = [f"{p:.2g}" for p in table["p"]]
    return table


def _two_decimals(value: object) -> str:
    text = str(value)
    return "" if text in ("", "nan", "None") else f"{float(text):.2f}"


def _interval(cell: pd.Series) -> str:
    low, high = _two_decimals(cell["low"]), _two_decimals(cell["high"])
    return f"[{low}, {high}]" if low else ""
