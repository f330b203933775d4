"""The inspector shows what is there: every character, the judged ones, and the true reason."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.core.project import Project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Collection, Document, Judgment, Query
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline import chunking
from chunkstudy.pipeline.conditions import MINILM, MPNET, Condition
from chunkstudy.pipeline.vector_store import VectorStore
from chunkstudy.user_data.inspector import inspection
from chunkstudy.user_data.inspector import pages as inspector
from chunkstudy.user_data.inspector.inspection import Inspection, RankedChunk
from chunkstudy.user_data.inspector.pages import Page, bounded, inspected, render
from tests.small_study import Letters

DEPTH = 2
HOSTILE = "<script>alert(1)</script> & \"quoted\" 'text'\r\n<img src=x onerror=alert(2)>\r end."
FILLER = " ".join(
    f"Sentence {i} tells of {word}." for i, word in enumerate(["owl", "bat", "cow", "elk"])
)
TEXTS = {
    "a": f"{FILLER} The comet came back in the cold month of March. {FILLER}",
    "b": f"{HOSTILE} Zebras doze in a quiet zoo, zigzag by zigzag. {FILLER.upper()}",
    "c": f"{FILLER.title()} http://example.org is mentioned. {HOSTILE}",
}


def _judgment(query: str, document: str, words: str) -> Judgment:
    start = TEXTS[document].index(words)
    return Judgment(query, document, start, start + len(words))


COLLECTION = Collection(
    "builtin",
    tuple(Document(name, text) for name, text in TEXTS.items()),
    (
        Query("comet", "When did the comet come back? <b>bold</b>"),
        Query("../zoo", "zigzag zebras, quiz"),
        Query("two", "comet and zoo"),
        Query("nothing", "Is anything judged?"),
    ),
    (
        _judgment("comet", "a", "The comet came back in the cold month of March."),
        _judgment("../zoo", "b", "Zebras doze in a quiet zoo, zigzag by zigzag."),
        _judgment("two", "a", "comet came back"),
        _judgment("two", "b", HOSTILE),
        replace(_judgment("comet", "c", "is mentioned"), grade=0),
    ),
    {"comet": "sky"},
)
CHUNKERS = ("recursive-30-0-characters", "token-12-6-wordpiece")


def condition(chunker: str = CHUNKERS[0]) -> Condition:
    return Condition("builtin", chunker, MINILM, "pre_embedding", "corrected")


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    return VectorStore(Letters(), tmp_path / "vectors")


@pytest.fixture
def pages(store: VectorStore) -> dict[str, Page]:
    judged = COLLECTION.only(["comet", "../zoo", "two"])
    systems = [inspected(condition(name), judged, store, DEPTH) for name in CHUNKERS]
    return {page[0].query.id: page for page in zip(*systems, strict=True)}


@pytest.fixture
def places(tmp_path: Path, store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A checkout in which the small collection and the letters take the place of the real ones."""
    monkeypatch.setattr("chunkstudy.pipeline.engine.load_collection", lambda name: COLLECTION)
    monkeypatch.setattr(inspector, "load_store", lambda encoder, folder: store)
    for name in ("notebooks", "results"):
        (tmp_path / "checkout" / name).mkdir(parents=True)
    return Project(tmp_path / "checkout")


class Read(HTMLParser):
    """What a browser would make of a page: tags, attributes, and the text of each source."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.sources: list[tuple[dict[str, str], list[tuple[str, str]]]] = []
        self._open: list[str] = []
        self._inside = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append((tag, attributes))
        if tag == "div" and "source" in attributes.get("class", "").split():
            self.sources.append((attributes, []))
            self._inside = True
        if tag in ("span", "mark"):
            self._open.append(f"{tag} {attributes.get('class', '')}")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "div"
        if tag in ("span", "mark"):
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.sources[-1][1].append((self._open[-1] if self._open else "", data))


def test_marked_characters_of_the_retrieved_chunks_are_the_judged_ones(
    pages: dict[str, Page],
) -> None:
    page = pages["two"]
    read = Read(render("question.html", COLLECTION, page=page, index="", by=""))
    sources = [pieces for fields, pieces in read.sources if "context" not in fields["class"]]
    chunks = [chunk for system in page for chunk in system.retrieved]
    assert len(sources) == len(chunks) == 2 * DEPTH
    for pieces, chunk in zip(sources, chunks, strict=True):
        assert "".join(text for _, text in pieces) == TEXTS[chunk.document][chunk.start : chunk.end]
        assert sum(len(text) for names, text in pieces if names.startswith("mark")) == sum(
            max(0, min(chunk.end, j.end) - max(chunk.start, j.start))
            for j in COLLECTION.judgments
            if j.query == "two" and j.document == chunk.document
        )
    assert any(names == "mark kept" for pieces in sources for names, _ in pieces)


@given(st.data())
def test_any_text_cut_by_any_chunks_is_shown_whole(data: st.DataObject) -> None:
    text = data.draw(st.text(min_size=1, max_size=60))
    spans = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    low, high = data.draw(spans.filter(lambda span: span[0] < span[1]))
    chunks = [
        ranked(a, b, rank=rank, read_to=data.draw(st.integers(a, b)))
        for rank, (a, b) in enumerate(sorted(data.draw(st.lists(spans, max_size=5))), start=1)
    ]
    judged = [(a, b) for a, b in data.draw(st.lists(spans, max_size=3))]
    html = bounded(text, (low, high), judged, chunks)
    pieces = Read(f'<div class="source">{html}</div>').sources[0][1]
    expected = "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)
    assert "".join(text for _, text in pieces) == expected[low:high]


def test_a_page_asks_the_network_for_nothing_whatever_its_documents_hold(places: Project) -> None:
    index = inspector.write(places, "builtin", chunkers=CHUNKERS, k=DEPTH)
    pages = [path.read_text(encoding="utf-8") for path in index.parent.rglob("*.html")]
    assert len(pages) == 4
    for html in pages:
        read = Read(html)
        policy = [f["content"] for tag, f in read.tags if tag == "meta" and "http-equiv" in f]
        assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]
        assert not {tag for tag, _ in read.tags} & {"script", "link", "img", "iframe", "base"}
        names = {name for _, attributes in read.tags for name in attributes}
        assert not any(name.startswith("on") for name in names) and "src" not in names
        assert all(":" not in f["href"] for _, f in read.tags if "href" in f)
        style = html[html.index("<style>") : html.index("</style>")]
        assert not any(word in style for word in ("url(", "@import", "http"))
        assert "<b>bold" not in html and "\r" not in html  # else it shows a line feed
    assert any("&lt;script&gt;alert(1)" in html for html in pages)


def test_a_boundary_inside_an_excerpt_cuts_it_and_one_at_its_edge_does_not() -> None:
    chunks = [ranked(0, 4, 1), ranked(4, 8, 2), ranked(8, 12, 3)]
    at_its_edges = bounded("abcdefghijkl", (0, 12), [(4, 8)], chunks)
    assert at_its_edges.count("<i ") == 3 and "inside" not in at_its_edges
    inside = bounded("abcdefghijkl", (0, 12), [(2, 6)], chunks)
    assert inside.count("inside") == 1 and inside.index("cd<") < inside.index("inside")


def test_ranks_are_those_of_every_chunk_by_score(store: VectorStore) -> None:
    chunks = chunking.cut(COLLECTION, condition().chunking, CORRECTED, store)
    query = store.encode(["zigzag zebras, quiz"], "query")[0]
    scores = store.encode(chunks.texts(COLLECTION.documents)) @ query
    spans = list(zip(chunks.document, chunks.start, strict=True))
    asked = inspected(condition(), COLLECTION, store, DEPTH)[1]
    assert [chunk.rank for chunk in asked.retrieved] == [*range(1, DEPTH + 1)]
    for chunk in asked.chunks:
        i = spans.index(("abc".index(chunk.document), chunk.start))
        assert chunk.score == pytest.approx(scores[i], abs=1e-6)
        equal = np.flatnonzero(np.abs(scores - scores[i]) <= 1e-6)
        assert chunk.rank - 1 == (scores > scores[i] + 1e-6).sum() + (equal < i).sum()


def test_an_answer_behind_the_encoders_window_is_named(tmp_path: Path) -> None:
    encoder = TransformerEncoder(models.spec("sentence-transformers/all-MiniLM-L6-v2"), window=16)
    answer = "The ferry leaves at nine."
    text = f"{'Chalk and slate and flint. ' * 12}{answer}"
    harbour = Collection(
        "builtin",
        (Document("a", text), Document("b", "When does the ferry leave the harbour?")),
        (Query("q", "When does the ferry leave?"),),
        (Judgment("q", "a", len(text) - len(answer), len(text)),),
    )
    cut = condition("recursive-1000-0-characters")
    page = inspected(cut, harbour, VectorStore(encoder, tmp_path), 1)
    assert page[0].cause == inspection.UNREAD
    (chunk,) = page[0].touching(page[0].excerpts[0])
    assert encoder.token_ids([text[: chunk.read_to]]) == encoder.token_ids([text])
    html = render("question.html", harbour, page=page, index="", by="")
    pieces = next(pieces for fields, pieces in Read(html).sources if "context" in fields["class"])
    unread = "".join(piece for names, piece in pieces if "unread" in names.split())
    assert text.endswith(unread) and unread.endswith(answer)


def test_boundaries_are_drawn_by_the_model_that_a_chunker_names(
    places: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = Letters()
    opened = {MPNET: VectorStore(named, tmp_path / "named")}
    monkeypatch.setattr("chunkstudy.pipeline.chunking.load_store", lambda slug, _: opened[slug])
    inspector.write(places, "builtin", "../zoo", [f"semantic-by-{MPNET}"])
    assert named.calls


def ranked(
    start: int, end: int, rank: int, document: str = "a", read_to: int | None = None
) -> RankedChunk:
    seen_to = end if read_to is None else read_to
    return RankedChunk(document, start, end, rank, rank, 0.5, rank <= 5, seen_to)


@pytest.mark.parametrize(
    ("chunks", "cause", "sentence"),
    [
        ([ranked(900, 1300, 3)], inspection.FOUND, "in the first 5 chunks"),
        (
            [ranked(900, 1140, 2), ranked(1000, 1100, 7), ranked(1140, 1500, 9)],
            inspection.CUT,
            "40 of 180 characters of the excerpt are missed; the best chunk with some of them has "
            "rank 9.",
        ),
        ([ranked(900, 1100, 7), ranked(1100, 1500, 9)], inspection.LOW, "has rank 7"),
        ([ranked(500, 2300, 12), ranked(0, 1500, 2, "b")], inspection.LOW, "has rank 12"),
        ([ranked(500, 2300, 12, read_to=1000)], inspection.UNREAD, "180 of 180 characters"),
        ([ranked(900, 1150, 1)], inspection.UNCHUNKED, "30 of 180 characters"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_diagnosis_names_the_cause(
    chunks: list[RankedChunk], cause: str, sentence: str
) -> None:
    asked = Inspection("", Query("q", "?"), 5, (Judgment("q", "a", 1000, 1180),), (*chunks,), {})
    assert asked.cause == cause and sentence in asked.diagnosis[1] and inspection.CAUSES[cause]


def test_the_index_lists_every_judged_query_worst_first_and_links_to_pages(places: Project) -> None:
    written = inspector.write(places, "builtin", chunkers=CHUNKERS[:1], k=DEPTH)
    assert written.is_relative_to(places.build / "inspector" / "builtin")
    html = written.read_text(encoding="utf-8")
    links = {attributes["href"] for tag, attributes in Read(html).tags if tag == "a"}
    assert len(links) == 3  # that of ../zoo among them
    for path in (written.parent / link for link in links):
        assert path.resolve().is_relative_to(written.parent.resolve())
        page = Read(path.read_text(encoding="utf-8"))
        back = next(attributes["href"] for _, attributes in page.tags if "href" in attributes)
        assert (path.parent / back).resolve() == written.resolve()
    rows = html.split("worst recall first")[1].split("<tr>")[2:]
    recalls = [float(row.split('class="number group">')[1].split("%")[0]) for row in rows]
    assert recalls == sorted(recalls)
    assert len(recalls) == 3 and len(set(recalls)) > 1
    assert "Is anything judged?" not in html
