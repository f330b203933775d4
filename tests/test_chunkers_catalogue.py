"""Slugs, the table of chunkers, what a protocol makes of them, and locating text afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.base.protocols import AS_PUBLISHED_CHROMA, CORRECTED
from chunkstudy.base.spans import Collection, Document, RewrittenSpan, chunk_documents
from chunkstudy.base.tokens import counter
from chunkstudy.chunkers.catalogue import ChunkerSpec, build, parse
from chunkstudy.chunkers.locate import LocateError, locate
from chunkstudy.chunkers.table import CHUNKERS, Entry, Job
from chunkstudy.runs.chunking import chunk
from chunkstudy.runs.conditions import Condition
from chunkstudy.runs.run import load_collection
from tests.test_chunkers_semantic import PROSE, hashed

SLUGS = {
    "recursive-200-0": ChunkerSpec("recursive", (200, 0)),
    "recursive-400-200": ChunkerSpec("recursive", (400, 200)),
    "token-250-125": ChunkerSpec("token", (250, 125)),
    "token-250-125-wordpiece": ChunkerSpec("token", (250, 125), "wordpiece"),
    "recursive-200-0-wordpiece": ChunkerSpec("recursive", (200, 0), "wordpiece"),
    "recursive-200-0-wordpiece-special": ChunkerSpec("recursive", (200, 0), "wordpiece-special"),
    "cluster-400": ChunkerSpec("cluster", (400,)),
    "cluster-200-wordpiece": ChunkerSpec("cluster", (200,), "wordpiece"),
    "kamradt": ChunkerSpec("kamradt"),
    "kamradt-modified-300": ChunkerSpec("kamradt-modified", (300,)),
}


@pytest.mark.parametrize(("slug", "spec"), SLUGS.items())
def test_a_slug_is_parsed_and_printed_back(slug: str, spec: ChunkerSpec) -> None:
    assert parse(slug) == spec
    assert str(spec) == slug


@given(st.sampled_from(sorted(CHUNKERS)), st.integers(1, 2000), st.data())
def test_every_spec_survives_the_round_trip(name: str, size: int, data: st.DataObject) -> None:
    entry = CHUNKERS[name]
    sizes = (size, data.draw(st.integers(0, size - 1)))[: entry.sizes]
    spec = ChunkerSpec(name, sizes, data.draw(st.sampled_from(entry.lengths)))
    assert parse(str(spec)) == spec


@pytest.mark.parametrize(
    "slug",
    [
        "", "-", "nonsense", "recursive", "recursive-200", "recursive-200-0-0", "recursive-a-b",
        "recursive-200-0-gpt2", "recursive--200-0", "recursive-200--1", "cluster-400-0",
        "kamradt-95", "kamradt-wordpiece", "token-250-125-characters", "recursive-200-0 ",
        "Recursive-200-0", "recursive-٢٠٠-0", "kamradt-modified", "recursive-200-0\n",
    ],
)  # fmt: skip
def test_an_unknown_slug_is_refused_with_the_names_there_are(slug: str) -> None:
    with pytest.raises(
        ValueError, match=r"known are recursive, token, .* instance recursive-200-0"
    ):
        parse(slug)


@pytest.mark.parametrize("slug", ["recursive-0-0", "recursive-200-200", "token-5-9", "cluster-0"])
def test_a_slug_with_impossible_sizes_is_refused(slug: str) -> None:
    with pytest.raises(ValueError, match=r"^the (chunk size|overlap) is"):
        parse(slug)


def test_a_new_chunker_takes_a_function_and_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def halves(job: Job) -> list[RewrittenSpan]:
        cut = len(job.text) // 2
        return [(0, cut, job.text[:cut]), (cut, len(job.text), job.text[cut:])]

    monkeypatch.setitem(CHUNKERS, "halves", Entry(halves, sizes=0))
    condition = Condition("builtin", "halves", "none", "none", "corrected")
    assert condition.reason_not_run is None
    chunks = chunk(condition, load_collection("builtin"), None)
    assert len(chunks) == 2 * len(load_collection("builtin").documents)
    assert condition.chunker in str(condition)


def test_a_semantic_chunker_without_encoder_is_refused() -> None:
    with pytest.raises(ValueError, match="give it an encoder"):
        build("cluster-400", CORRECTED)
    assert [slug for slug in SLUGS if parse(slug).needs_encoder] == [
        "cluster-400", "cluster-200-wordpiece", "kamradt", "kamradt-modified-300",
    ]  # fmt: skip


@pytest.mark.parametrize("slug", SLUGS)
def test_corrected_chunks_are_the_source_between_their_offsets(slug: str) -> None:
    documents = [Document("a", PROSE), Document("b", ""), Document("c", " \n"), Document("d", "x")]
    chunks = chunk_documents(build(slug, CORRECTED, hashed), documents)
    assert chunks.text is None
    covered = "".join(chunks.texts(documents)).replace(" ", "")
    if slug != "recursive-400-200" and not slug.startswith("token"):
        assert covered == (PROSE + "x").replace(" ", "")


@pytest.mark.parametrize("slug", SLUGS)
def test_published_chunks_carry_their_text_and_a_place_found_afterwards(slug: str) -> None:
    chunks = chunk_documents(build(slug, AS_PUBLISHED_CHROMA, hashed), [Document("a", PROSE)])
    assert chunks.text
    for start, end, text in zip(chunks.start, chunks.end, chunks.text, strict=True):
        assert (start, end) == locate(PROSE, text)
        assert PROSE[start:end].replace(" ", "") == text.removesuffix(".").replace(" ", "")


@pytest.mark.real_data
@pytest.mark.parametrize("slug", ["token-800-400", "recursive-250-0", "cluster-400", "kamradt"])
def test_every_published_chunk_is_found_without_the_fuzzy_step(
    chroma_collection: Collection, slug: str
) -> None:
    chunker = build(slug, AS_PUBLISHED_CHROMA, hashed)
    small = [d for d in chroma_collection.documents if len(d.text) < 200_000]
    assert len(chunk_documents(chunker, small)) > 0


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("slug", "published"),
    [("recursive-800-400", 661), ("recursive-400-200", 312), ("recursive-400-0", 276),
     ("recursive-200-0", 137)],
)  # fmt: skip
def test_mean_chunk_sizes_are_the_published_ones_truncated(
    chroma_collection: Collection, slug: str, published: int
) -> None:
    documents = chroma_collection.documents
    texts = chunk_documents(build(slug, CORRECTED), documents).texts(documents)
    assert int(sum(counter("cl100k").count_many(texts)) / len(texts)) == published


@pytest.mark.real_data
@pytest.mark.parametrize(("sizes", "published"), [("250-125", 180), ("250-0", 162), ("200-0", 128)])
def test_the_minilm_table_measures_in_wordpiece_with_special_tokens(
    chroma_collection: Collection, sizes: str, published: int
) -> None:
    documents = chroma_collection.documents
    chunker = build(f"recursive-{sizes}-wordpiece-special", CORRECTED)
    texts = chunk_documents(chunker, documents).texts(documents)
    assert int(sum(counter("wordpiece-special").count_many(texts)) / len(texts)) == published


def test_locate_takes_the_first_occurrence_without_the_final_full_stop() -> None:
    assert locate("One two. One two.", "One two.") == (0, 7)
    assert locate("One two", "One two.") == (0, 7)


def test_locate_then_ignores_white_space_between_words_and_case() -> None:
    assert locate("x  One\n\ntwo.three", "one two .three") == (3, 17)


def test_a_chunk_that_is_only_a_full_stop_has_length_zero_at_the_start() -> None:
    assert locate("Text. More", ".") == (0, 0)


def test_locate_refuses_a_text_that_is_not_there() -> None:
    with pytest.raises(LocateError, match="stands nowhere in its document"):
        locate("One two", "three")
    with pytest.raises(LocateError, match="stands nowhere"):
        locate("a (b", "a (c")
