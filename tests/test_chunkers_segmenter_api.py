"""The segmenter's API: a server that misbehaves, what is kept of it, and what happens without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.base.protocols import CORRECTED
from chunkstudy.chunkers import segmenter, segmenter_api
from chunkstudy.chunkers.segmenter_api import SegmenterApi, SegmenterError, located
from chunkstudy.llm import openai_client
from chunkstudy.runs.chunking import build_chunker
from tests import loopback
from tests.loopback import Fault, changed, cut_json

TEXT = "A title\n\nA first line. It goes on.\n\U0001f600 A second line.\n"


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, *faults: Fault) -> Iterator[list[dict[str, Any]]]:
    """What the server is asked; it meets each fault once, then answers by the published rules."""

    class Handler(loopback.Handler):
        def do_POST(self) -> None:
            body = self.read_json()
            text = body["content"]
            chunks = [text[start:end] for start, end in segmenter.taken(text)]
            positions = [[0, 1] for _ in chunks]
            honest = {"num_tokens": 1, "chunks": chunks, "chunk_positions": positions}
            asked = {**body, "key": self.headers.get("Authorization")}
            self.state.meets(asked)(self, honest)

    with loopback.serving(Handler, loopback.State(faults=list(faults))) as (address, state):
        monkeypatch.setenv(segmenter_api.ADDRESS, f"{address}/v1/segment")
        yield state.asked


def api(folder: Path, mode: Any = "record") -> SegmenterApi:
    return SegmenterApi(mode, folder, pause=0)


EXPECTED = list(segmenter.segments(TEXT))


def test_a_reply_is_kept_as_offsets_and_replayed_without_the_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serving(monkeypatch) as asked:
        made = api(tmp_path)
        monkeypatch.setattr(segmenter_api, "api", lambda: made)
        assert list(build_chunker("segmenter-api", CORRECTED)(TEXT)) == EXPECTED
        api(tmp_path).segments(TEXT)
    sent = {"content": TEXT, "return_chunks": True, "max_chunk_length": 1000}
    assert asked == [sent | {"key": None}]
    assert api(tmp_path, "replay").segments(TEXT) == EXPECTED
    (kept,) = tmp_path.glob("*.jsonl")
    assert "title" not in kept.read_text()
    kept.write_text(kept.read_text()[:30])
    with pytest.raises(SegmenterError, match="was never asked about a text"):
        api(tmp_path, "replay").segments(TEXT)


@pytest.mark.parametrize(
    "fault",
    [
        cut_json,
        changed(lambda honest: honest.pop("chunks")),
        changed(lambda honest: honest.update(chunks=[7])),
        changed(lambda honest: honest.update(chunks=[])),
        changed(lambda honest: honest["chunks"].reverse()),
    ],
)
def test_a_reply_that_is_not_chunks_of_the_text_is_not_believed_and_nothing_is_kept(
    fault: Fault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (
        serving(monkeypatch, fault),
        pytest.raises(SegmenterError, match=r"cannot be read|no chunks that stand in the text"),
    ):
        api(tmp_path).segments(TEXT)
    assert list(tmp_path.iterdir()) == []
    assert api(tmp_path, "replay").segments(" \n" * 50_000) == []


def test_without_a_server_or_a_recording_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(SegmenterError, match="take the chunker segmenter, which goes by"):
        api(tmp_path, "replay").segments(TEXT)
    monkeypatch.setattr(openai_client, "RETRIES", 0)
    monkeypatch.setenv(segmenter_api.ADDRESS, "http://127.0.0.1:9/v1/segment")
    with pytest.raises(SegmenterError, match="cannot be reached"):
        api(tmp_path).segments(TEXT)
    monkeypatch.setenv(segmenter_api.ADDRESS, "not an address")
    with pytest.raises(SegmenterError, match="cannot be reached"):
        api(tmp_path).segments(TEXT)


def test_a_long_text_is_sent_in_parts_that_end_with_a_line_with_the_key_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(segmenter_api.KEY, "jina_made_key")
    text = "\n".join(f"Line {i} says something." for i in range(6000))
    with serving(monkeypatch) as asked:
        found = api(tmp_path).segments(text)
    assert [one["key"] for one in asked] == 3 * ["Bearer jina_made_key"]
    assert found == list(segmenter.segments(text))


def test_equal_chunks_are_found_one_behind_the_other() -> None:
    assert located("a b a", ["a", " b", "a"]) == [(0, 1), (2, 3), (4, 5)]
    assert located("a b", ["b", "a"]) is None
    assert located(" ", []) == []
    assert located("a", [" "]) is None
