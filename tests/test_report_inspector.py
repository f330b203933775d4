"""The inspector shows what stands in the document, marks what is judged, and says why."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy import retrieval
from chunkstudy.experiment.conditions import MINILM, Condition
from chunkstudy.report import inspector
from chunkstudy.report.inspector import InspectError, Searched
from chunkstudy.spans import Chunks, Collection, Document, Judgment, Query

TEXT = (
    "<script>alert('x')</script> Alpha beta & gamma.\nDelta  epsilon; "
    "the answer is <b>forty-two</b>."
)
START = TEXT.index("the answer")
END = TEXT.index("</b>")
CONDITION = Condition("builtin", "recursive-200-0", MINILM, "pre_embedding", "corrected")


def searched(
    spans: list[tuple[int, int]], order: list[int], judged: tuple[int, int] = (START, END)
) -> Searched:
    """A collection of one document whose chunks are ranked in a given order."""
    collection = Collection(
        "builtin",
        (Document("d", TEXT),),
        (Query("q", "What is the <answer>?"),),
        (Judgment("q", "d", *judged),),
    )
    starts, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    chunks = Chunks(np.zeros(len(spans), dtype=np.int64), starts, ends)
    missing = inspector.DEPTH - len(order)
    scores = [*np.linspace(1, 0, len(order)), *[-np.inf] * missing]
    ranking = retrieval.Ranking(
        np.array([[*order, *[retrieval.NO_CHUNK] * missing]]),
        np.array([scores], dtype=np.float32),
        np.zeros(1, dtype=np.int64),
    )
    return Searched(CONDITION, collection, chunks, ranking)


def shown(page: str) -> list[str]:
    """The text of every excerpt on a page, as a reader sees it."""
    blocks = re.findall(r"<div class=\"text\">(.*?)</div>", page, re.DOTALL)
    return [
        "".join(map(html.unescape, re.findall(r"data-segment>(.*?)</span>", b, re.DOTALL)))
        for b in blocks
    ]


SPANS = st.lists(
    st.tuples(st.integers(0, len(TEXT) - 1), st.integers(1, len(TEXT))).filter(
        lambda s: s[0] < s[1]
    ),
    min_size=1,
    max_size=8,
)


@given(SPANS, st.tuples(st.integers(0, 50), st.integers(51, len(TEXT))), st.integers(1, 8))
def test_the_text_around_an_excerpt_is_shown_once_and_in_order(
    spans: list[tuple[int, int]], judged: tuple[int, int], cut: int
) -> None:
    view = inspector.view(searched(spans, list(range(len(spans))), judged), "q", cut)
    (excerpt,) = view.excerpts
    assert "".join(segment.text for segment in excerpt.segments) == TEXT
    judged_text = "".join(s.text for s in excerpt.segments if s.judged)
    assert judged_text == TEXT[slice(*judged)]
    covered = {i for start, end in spans[:cut] for i in range(start, end)}
    place = 0
    for segment in excerpt.segments:
        inside = set(range(place, place + len(segment.text)))
        assert segment.retrieved == bool(inside & covered) == (inside <= covered)
        place += len(segment.text)
    assert shown(inspector.page([view]))[0] == TEXT


def test_markup_in_a_document_or_query_is_only_text() -> None:
    page = inspector.page([inspector.view(searched([(0, len(TEXT))], [0]), "q")])
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "What is the &lt;answer&gt;?" in page


def test_the_page_asks_the_network_for_nothing() -> None:
    page = inspector.page([inspector.view(searched([(0, len(TEXT))], [0]), "q")])
    assert not re.search(r"https?:|src=|@import|url\(", page)


def test_a_boundary_inside_the_excerpt_is_marked_with_the_ranks_of_its_chunks() -> None:
    middle = START + 6
    view = inspector.view(searched([(0, middle), (middle, len(TEXT))], [1, 0]), "q", cut=1)
    marks = [(s.ends, s.starts) for s in view.excerpts[0].segments]
    assert (("chunk 0, rank 2",), ()) in marks
    assert any(starts == ("chunk 1, rank 1",) for _, starts in marks)


@pytest.mark.parametrize(
    ("spans", "order", "cut", "sentence"),
    [
        ([(0, len(TEXT))], [0], 1, "Found whole"),
        (
            [(0, 20), (20, len(TEXT))],
            [0, 1],
            1,
            "Ranked too low: .* chunk 1 ranks 2nd of 2, stands 1 place",
        ),
        ([(0, START + 6), (START + 6, len(TEXT))], [1, 0], 1, "Cut apart: 6 of"),
        ([(0, 20)], [0], 1, "Lost before the search"),
        ([(0, START + 6)], [0], 1, "lie in no chunk at all"),
    ],
)
def test_the_diagnosis_says_what_kept_the_answer_from_being_found(
    spans: list[tuple[int, int]], order: list[int], cut: int, sentence: str
) -> None:
    view = inspector.view(searched(spans, order), "q", cut)
    assert re.search(sentence, view.diagnosis)


def test_measures_are_those_of_the_token_overlap_task() -> None:
    half = (START + END) // 2
    view = inspector.view(searched([(START, half), (half, END)], [0, 1]), "q", cut=1)
    assert view.measures["SpanRecall"] == pytest.approx((half - START) / (END - START))
    assert view.measures["SpanPrecision"] == 1


def test_an_unknown_query_is_refused_with_the_ids_there_are() -> None:
    with pytest.raises(InspectError, match="has no query 'p'; its ids run from q to q"):
        inspector.view(searched([(0, 5)], [0]), "p")


def test_a_collection_without_excerpts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InspectError, match="inspect chroma or builtin"):
        inspector.search(
            Condition("scifact", "fixed-256", MINILM, "pre_embedding", "corrected"), tmp_path
        )


@pytest.mark.parametrize("folder", ["results", "figures", "paper"])
def test_pages_never_go_where_they_would_be_committed(tmp_path: Path, folder: str) -> None:
    with pytest.raises(InspectError, match="write them below build"):
        inspector.refuse_committed(tmp_path / folder / "x.html", tmp_path)
    inspector.refuse_committed(tmp_path / "build" / "x.html", tmp_path)


def test_the_index_lists_every_query_and_links_the_worst(tmp_path: Path) -> None:
    path = inspector.write_index(searched([(0, len(TEXT))], [0]), tmp_path, pages=1)
    text = path.read_text(encoding="utf-8")
    assert 'href="q.html"' in text
    assert (tmp_path / "q.html").exists()
