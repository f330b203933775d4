"""One post cut many ways: what is kept of it, by hand; offsets alone after."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkstudy.base.sources import SourceError
from chunkstudy.studies import one_post as study
from chunkstudy.studies.one_post import printed
from chunkstudy.studies.one_post.alignment import align

PAGE = """# a-post

## BY_MODEL

#### 2 chunk(s)

Title One two. ofthree

Six seven.

## JINA-SEGMENTER-API

#### 4 chunk(s)

Title


One two. of three



	four	five


Six seven.

---
"""
POST = "Title\nOne two. of three\n\n\tfour\tfive\nSix seven."


def test_a_page_gives_its_segments_and_the_post_behind_them() -> None:
    model, rules = printed.read(PAGE)
    assert (model.name, model.stated, model.segments) == (
        "BY_MODEL", 2, ("Title One two. ofthree", "Six seven."),
    )  # fmt: skip
    assert rules.segments == ("Title", "One two. of three", "\tfour\tfive", "Six seven.")
    assert printed.source([model, rules]) == POST


def test_what_a_segmentation_leaves_out_glues_and_where_its_segments_stand() -> None:
    texts, left_out, chunks = study.written(printed.read(PAGE), POST).values()
    row = texts.set_index("segmentation").loc["BY_MODEL"]
    assert (row["words kept"], row["words glued together"], row["words added"]) == (7, 2, 0)
    assert (row["characters lost"], row["characters added"]) == (8, 0)
    assert left_out.to_numpy().tolist() == [["BY_MODEL", 5, 7]]
    spans = chunks[chunks["segmentation"] == "BY_MODEL"]
    assert spans[["first word", "after word"]].to_numpy().tolist() == [[0, 5], [7, 9]]
    assert [POST[s:e] for s, e in zip(spans["start"], spans["end"], strict=True)] == [
        "Title\nOne two. of three", "Six seven.",
    ]  # fmt: skip


WORDS = st.lists(st.sampled_from(["a", "bb", "ccc", "bbccc", "d"]), max_size=8)


@settings(max_examples=200)
@given(WORDS, WORDS)
def test_every_word_is_kept_or_left_out(first: list[str], second: list[str]) -> None:
    kept = align(first, second)
    assert 0 <= kept.characters <= min(len("".join(first)), len("".join(second)))
    counted = [place for place, _ in kept.words]
    counted += [place for begin, end in kept.gaps for place in range(begin, end)]
    assert sorted(counted) == list(range(len(first)))
    assert sum(len(first[place]) for place, _ in kept.words) <= kept.characters


def test_without_the_page_the_study_says_where_to_put_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(printed.FOLDER, raising=False)
    with pytest.raises(SourceError, match="set CHUNKSTUDY_PRINTED to a folder that has them"):
        printed.find()


def test_another_page_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "001_other.txt").write_text(PAGE)
    monkeypatch.setenv(printed.FOLDER, str(tmp_path))
    with pytest.raises(SourceError, match="not the page that this study reads"):
        printed.find()
