"""Late chunking within Chroma's corpora, apart by what the window cuts.

A chunk embedded by itself is read up to the encoder's window; late chunking reads all of it. So the
chunkers whose chunks all fit a window are held apart from those with chunks that it cuts, and,
question by question, the chunks with the answer that are read whole from those that are not.

Families of comparisons, each corrected by itself: the windows, by one measure and over one group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from chunkstudy.analysis import windows as reading
from chunkstudy.analysis.late_chunking_excerpts import MEASURES, late_and_plain, title
from chunkstudy.analysis.paired import Pair, differences
from chunkstudy.grid.library import Library, Record
from chunkstudy.studies.cut_chunks import DIGITS

EVERY, FIT, CUT = "all chunkers", "chunkers whose chunks fit", "chunkers whose chunks are cut"
WHOLE, TRUNCATED = "answers in chunks read whole", "answers in chunks that are cut"
GROUPS = (EVERY, FIT, CUT, WHOLE, TRUNCATED)
NOT_MEASURED = pd.DataFrame()
TITLES = tuple(title(*one) for one in MEASURES)


@dataclass(frozen=True)
class Arm:
    """One chunker at one window: both scores per question, whether the window cuts any of its
    chunks, and the questions with an answer in a chunk that it cuts, where that was measured."""

    late: pd.Series
    plain: pd.Series
    cut: bool
    answer_cut: pd.Series | None


def by_window(
    library: Library, questions: pd.DataFrame, chunkers: pd.DataFrame = NOT_MEASURED
) -> pd.DataFrame:
    """Contextualized minus plain, each question's mean over a group's chunkers, by window.

    Args:
        library: the records.
        questions: the table ``questions`` of the study ``cut-chunks``; without it the groups by
            answer are left out.
        chunkers: its table ``chunkers``; what it does not hold is decided by the record's sizes,
            which are WordPiece tokens.
    """
    pairs = []
    answers, cut = _by_chunks(questions, "needs"), _by_chunks(chunkers, "cut")
    for measure, collection in MEASURES:
        arms: dict[tuple[str, int], list[Arm]] = {}
        for late, record, plain in late_and_plain(library, collection):
            if not reading.contextualized(late):
                continue
            window = reading.window(late.ordering)
            of = reading.model(late.encoder), record.run.chunks_sha256[:DIGITS]
            arms.setdefault((late.encoder, window), []).append(
                Arm(
                    record.wide[measure],
                    plain.wide[measure],
                    _cuts(record, window, cut.get(of)),
                    answers[of] > window if of in answers else None,
                )
            )
        for (encoder, window), found in arms.items():
            name = reading.model(encoder)
            keys = {"measure": title(measure, collection), "model": name, "window": window}
            for over, group in _groups(found):
                own = keys | {"over": over, "chunkers": len(group)}
                late_mean, plain_mean = (_mean(one) for one in zip(*group, strict=True))
                pairs.append(Pair(own, late_mean, plain_mean))
    pairs.sort(key=_place)

    def family(keys: Mapping[str, object]) -> str:
        return f"the windows by {keys['measure']}, {keys['over']}, {keys['model']}"

    return differences(pairs, family, "contextualized", "plain")


def _place(pair: Pair) -> tuple[int, str, int]:
    """A family's rows stand together: by measure, model and group, and then as they came."""
    measure, model, over = (str(pair.keys[name]) for name in ("measure", "model", "over"))
    return TITLES.index(measure), model, GROUPS.index(over)


def _groups(arms: Iterable[Arm]) -> Iterator[tuple[str, list[tuple[pd.Series, pd.Series]]]]:
    """The scores that each group's mean is over; a group without any is left out."""
    found: dict[str, list[tuple[pd.Series, pd.Series]]] = {name: [] for name in GROUPS}
    for arm in arms:
        both = arm.late, arm.plain
        found[EVERY].append(both)
        found[CUT if arm.cut else FIT].append(both)
        if arm.answer_cut is None:
            continue
        for name, chosen in ((WHOLE, ~arm.answer_cut), (TRUNCATED, arm.answer_cut)):
            asked = arm.late.index.intersection(chosen.index[chosen])
            if len(asked):
                found[name].append((arm.late[asked], arm.plain[asked]))
    yield from ((name, group) for name, group in found.items() if group)


def _by_chunks(measured: pd.DataFrame, value: str) -> dict[tuple[str, str], pd.Series]:
    """A table of the study by model and chunks: its value by question, or by window."""
    if measured.empty:
        return {}
    key = "query_id" if "query_id" in measured else "window"
    return {
        (str(name[0]), str(name[1])): part.set_index(key)[value]
        for name, part in measured.groupby(["model", "chunks"])
    }


def _cuts(record: Record, window: int, measured: pd.Series | None) -> bool:
    """Whether the window cuts any chunk: as measured, else by the record's sizes."""
    if measured is None or window not in measured.index:
        return reading.cuts(record, window)
    return bool(measured[window] > 0)


def _mean(columns: Iterable[pd.Series]) -> pd.Series:
    """Each question's mean over the chunkers that it has a score of."""
    return pd.concat(list(columns), axis=1).mean(axis=1)
