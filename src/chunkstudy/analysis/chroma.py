"""Every table of the Chroma study as a data frame, computed from records and published cells.

Scores are fractions. A comparison is corrected within its measure and encoder: what the chunkers
together say of one score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pandas as pd

from chunkstudy import statistics
from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.chunkers import catalogue
from chunkstudy.grid import records
from chunkstudy.grid.conditions import MINILM, NONE, Condition
from chunkstudy.grid.encoding import PRE_EMBEDDING
from chunkstudy.grid.grids import MINILM_SIZES
from chunkstudy.grid.library import Library, Record
from chunkstudy.protocols import AS_PUBLISHED_CHROMA, CORRECTED

COLLECTION = "chroma"
PUBLISHED_COUNTS = {  # tokens and queries of each corpus
    "chatlogs": (7_727, 56),
    "finance": (166_177, 97),
    "pubmed": (117_211, 99),
    "state_of_the_union": (10_444, 76),
    "wikitexts": (26_649, 144),
}
RECALL = "SpanRecall@5"
SHOWN = (RECALL, "SpanPrecision@5", "PrecisionOmega", "SpanIoU@5")
LENGTHS = ("cl100k", "wordpiece", "wordpiece-special")
NEARLY_ALL = 0.9
"""Share of the chunks that must have been encoded for the seconds to be those of the chunker: the
rest were found in the store, encoded for another one."""


def lengths(library: Library, published: pd.DataFrame) -> pd.DataFrame:
    """Which length function and unit print the MiniLM table's chunk sizes, and its recall.

    Args:
        library: the records.
        published: every published cell.
    """
    cells = _minilm_means(published)
    rows = []
    for size in MINILM_SIZES:
        of_size = cells[cells["chunker"] == f"recursive-{size}"].set_index("measure")["value"]
        for length in LENGTHS:
            slug = f"recursive-{size}" + ("" if length == "cl100k" else f"-{length}")
            protocol = AS_PUBLISHED_CHROMA.name
            free = library.get(Condition(COLLECTION, slug, NONE, NONE, protocol))
            scored = library.get(Condition(COLLECTION, slug, MINILM, "pre_embedding", protocol))
            if free is None:
                continue
            sizes = free.run.sizes
            printed = of_size["SpanRecall@5"] / 100
            row: dict[str, object] = {
                "chunker": f"recursive-{size}",
                "length function": length,
                "chunks": free.run.counts.chunks,
                "published size": of_size["chunk size"],
                "size in cl100k": sizes["cl100k"].mean,
                "size in WordPiece": sizes["wordpiece"].mean,
                "size in WordPiece with special tokens": sizes["wordpiece"].mean + 2,
                "published recall": printed,
            }
            if scored is not None:
                recall = statistics.mean(library.values(scored, "SpanRecall@5"))
                row |= {"reproduced recall": recall, "difference": recall - printed}
            rows.append(row)
    return pd.DataFrame(rows)


def scores(library: Library) -> pd.DataFrame:
    """Mean, population std and 95% interval of recall at five by chunks embedded alone, per corpus
    and over all queries."""
    names = ("chunker", "encoder", "ordering", "protocol")
    found = [
        (
            {name: getattr(condition, name) for name in names} | {"part": part, "measure": measure},
            rows[measure],
        )
        for condition, record in _records(library)
        if condition.ordering in (NONE, PRE_EMBEDDING)
        for part in ("all", *PUBLISHED_COUNTS)
        for rows in [library.rows(record, part)]
        for measure in rows
        if measure == RECALL
    ]
    intervals = statistics.bootstrap_intervals([values for _, values in found])
    return pd.DataFrame(
        {
            **keys,
            "n": len(values),
            "mean": statistics.mean(values),
            "std": statistics.population_std(values),
            "low": interval.low,
            "high": interval.high,
        }
        for (keys, values), interval in zip(found, intervals, strict=True)
    )


def token_unit(library: Library) -> pd.DataFrame:
    """Characters against true cl100k tokens under the corrected protocol, paired."""

    def pair(_condition: Condition, record: Record, measure: str) -> tuple[pd.Series, ...] | None:
        name, _, cut = measure.partition("@")
        other = f"{name}(unit=token)" + (f"@{cut}" if cut else "")
        if measure not in record.wide or other not in record.wide:
            return None
        return record.wide[measure], record.wide[other]

    return _differences(library, CORRECTED.name, pair, "characters", "tokens")


def cost(library: Library) -> pd.DataFrame:
    """Seconds per million tokens, chunks indexed and tokens the reader gets, per chunker.

    Seconds are missing where vectors came from the store, so that nothing was measured.
    """
    rows = []
    for condition, record in _records(library):
        if condition.ordering != "pre_embedding" or condition.protocol != CORRECTED.name:
            continue
        timing = [records.read_timing(record.folder)]
        twin = library.get(replace(condition, protocol=AS_PUBLISHED_CHROMA.name))
        if twin is not None:
            timing.append(records.read_timing(twin.folder))
        rows.append(_cost_row(condition, record, timing))
    return pd.DataFrame(rows)


def _minilm_means(published: pd.DataFrame) -> pd.DataFrame:
    return published[(published["table"] == "minilm") & (published["statistic"] == "mean")]


def _cost_row(
    condition: Condition, record: Record, timing: list[dict[str, float]]
) -> dict[str, object]:
    millions = timing[0]["collection_tokens"] / 1e6
    encoded = max(timing, key=lambda t: t["encoded_texts"])
    whole = encoded["encoded_texts"] >= NEARLY_ALL * record.run.counts.chunks
    drawing = max(timing, key=lambda t: t["chunking_encoded_texts"])
    needs_encoder = catalogue.parse(condition.chunker).needs_encoder
    drawn = drawing["chunking_encoded_texts"] > 0 or not needs_encoder
    return {
        "chunker": condition.chunker,
        "encoder": condition.encoder,
        "needs encoder": needs_encoder,
        "chunks": record.run.counts.chunks,
        "mean chunk tokens": record.run.sizes["cl100k"].mean,
        "chunking s/M tokens": timing[0]["chunking_seconds_without_encoding"] / millions,
        "chunking's encoding s/M tokens": (
            drawing["chunking_encoding_seconds"] / millions if drawn else None
        ),
        "encoding s/M tokens": encoded["encoding_seconds"] / millions if whole else None,
        "TokensRead@5": statistics.mean(record.wide["TokensRead@5"]),
        "TokensRead@10": statistics.mean(record.wide["TokensRead@10"]),
    }


def _records(library: Library) -> Iterator[tuple[Condition, Record]]:
    for condition in library:
        record = library.get(condition)
        if condition.collection == COLLECTION and record is not None:
            yield condition, record


def _differences(
    library: Library,
    protocol: str,
    pair: Callable[[Condition, Record, str], tuple[pd.Series, ...] | None],
    first: str,
    second: str,
) -> pd.DataFrame:
    pairs = []
    for condition, record in _records(library):
        if condition.protocol != protocol:
            continue
        for measure in (*SHOWN, "SpanRecall@Min"):
            both = pair(condition, record, measure)
            if both is not None:
                keys = {
                    "chunker": condition.chunker,
                    "encoder": condition.encoder,
                    "ordering": condition.ordering,
                    "measure": measure,
                }
                pairs.append(Pair(keys, *both))

    def family(keys: Mapping[str, object]) -> str:
        return f"{first} against {second}, {keys['measure']}, {keys['encoder']}"

    return differences(pairs, family, first, second)
