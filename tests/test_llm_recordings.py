"""Recorded replies: found again by all that determines them, whatever happened while they were
written; those of the study are what today's code asks, request by request."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.chunkers import breakpoints
from chunkstudy.collections import builtin
from chunkstudy.collections.registry import load_collection
from chunkstudy.core.errors import RecordError
from chunkstudy.core.project import find_project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.spans import Chunks
from chunkstudy.llm import providers
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.interface import Message, Provider, Reply, Request, digest
from chunkstudy.llm.providers import provider
from chunkstudy.llm.recordings import Recordings, contents, place, settings_of
from chunkstudy.pipeline.chunking import cut
from chunkstudy.pipeline.conditions import LOCAL_SMOLLM
from chunkstudy.pipeline.encoding import contexts_of
from chunkstudy.release import grid
from chunkstudy.studies.chroma import llm_chunker

MODEL = "made/model:1"
AUTHORED = provider(f"authored/{MODEL}")


def request(i: int) -> Request:
    return Request(f"authored/{MODEL}", (Message("user", f"question {i}"),), 5)


def reply(i: int) -> Reply:
    return Reply(f"answer {i} é\n", "stop", 3, i, "made", "model-1", 0.5, "2026-05-17")


def opened(folder: Path) -> Recordings:
    return Recordings(folder, AUTHORED, MODEL)


def found(recordings: Recordings, i: int) -> Reply | None:
    return recordings.find(recordings.digest(request(i)))


def written(folder: Path, count: int) -> Recordings:
    recordings = opened(folder)
    for i in range(count):
        recordings.write(request(i), reply(i))
    return recordings


def test_a_line_names_request_provider_and_reply_and_holds_no_text_of_the_request(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, 1).path
    assert set(json.loads(path.read_bytes())) == {"digest", "setting", "request", "reply", "sha256"}
    (content,) = contents(path)
    assert set(content) == {"digest", "provider", "request", "reply"}
    assert content["request"]["messages"][0]["characters"] == len("question 0")
    assert content["digest"] == digest(content["provider"], content["request"])
    assert b"question" not in path.read_bytes() + settings_of(path).read_bytes()


def shown(i: int, examples: str = "as so") -> Request:
    return Request(
        f"authored/{MODEL}",
        (Message("system", "do"), Message("user", examples), *request(i).messages),
        5,
    )


def test_what_requests_share_is_said_once_and_every_line_is_whole_again(tmp_path: Path) -> None:
    recordings = opened(tmp_path)
    allowed = [("n 9", "n 10"), ("n 09", "n 10"), ("n 9", "n 11"), ("7",), ("yes", "no")]
    held = [dataclasses.replace(request(6), answers=answers) for answers in allowed]
    asked = [*map(shown, range(4)), shown(9, "or so"), request(4), *held]
    for i, one in enumerate(asked):
        recordings.write(one, reply(i))
    assert opened(tmp_path).write(shown(5), reply(5)) == reply(5)
    path = recordings.path
    assert len(settings_of(path).read_bytes().splitlines()) == 3
    whole = {one["digest"]: one["request"] for one in contents(path)}
    assert whole == {recordings.digest(one): one.recorded() for one in (*asked, shown(5))}


def test_shared_settings_that_are_lost_are_named_in_one_sentence(tmp_path: Path) -> None:
    path = written(tmp_path, 1).path
    settings_of(path).unlink()
    with pytest.raises(RecordError, match=r"made__model%3A1\.jsonl\.settings does not hold"):
        list(contents(path))
    assert found(opened(tmp_path), 0) == reply(0), "a reply can be used without them"


def test_a_line_cut_at_any_byte_loses_no_other(tmp_path: Path) -> None:
    path = written(tmp_path / "whole", 3).path
    whole = path.read_bytes()
    start = whole.rfind(b"\n", 0, -1) + 1
    for stop in (*range(start, len(whole), 7), len(whole) - 1):
        folder = tmp_path / str(stop)
        torn = folder / path.relative_to(tmp_path / "whole")
        torn.parent.mkdir(parents=True)
        torn.write_bytes(whole[:stop])
        recordings = opened(folder)
        assert [found(recordings, i) for i in range(3)] == [reply(0), reply(1), None]
        assert recordings.write(request(2), reply(2)) == reply(2)
        assert found(opened(folder), 2) == reply(2)
        assert set(whole.splitlines()) <= set(torn.read_bytes().splitlines())


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_a_damaged_line_is_named_once_and_counts_as_not_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: float
) -> None:
    path = written(tmp_path, 3).path
    lines = path.read_bytes().splitlines(keepends=True)
    at = int(len(lines[1]) * place)
    lines[1] = lines[1][:at] + bytes([lines[1][at] ^ 1]) + lines[1][at + 1 :]
    path.write_bytes(b"".join(lines))
    recordings = opened(tmp_path)
    assert [found(recordings, i) for i in range(3)] == [reply(0), None, reply(2)]
    assert recordings.write(request(1), reply(1)) == reply(1)
    assert capsys.readouterr().err.count(f"damaged line at byte {len(lines[0])}") == 1
    again = opened(tmp_path)
    assert [found(again, i) for i in range(3)] == [reply(0), reply(1), reply(2)]


def _write_many(folder: str, seed: int, count: int) -> None:
    recordings = opened(Path(folder))
    order = list(range(count))
    random.Random(seed).shuffle(order)
    for i in order:
        recordings.write(request(i), dataclasses.replace(reply(i), seconds=float(seed)))


def test_processes_that_write_at_once_lose_nothing_and_agree(tmp_path: Path) -> None:
    several = multiprocessing.get_context("fork")
    writers = [
        several.Process(target=_write_many, args=(str(tmp_path), seed, 100)) for seed in range(3)
    ]
    for one in writers:
        one.start()
    for one in writers:
        one.join(60)
    assert [one.exitcode for one in writers] == [0, 0, 0]
    recordings = opened(tmp_path)
    lines = recordings.path.read_bytes().splitlines()
    assert len(lines) == len(recordings) == 100
    texts = [found(recordings, i) for i in range(100)]
    assert [one and one.text for one in texts] == [reply(i).text for i in range(100)]


ASKED = Request(
    "openai/gpt-4o-mini",
    (Message("system", "Be brief."), Message("user", "Where does it turn?")),
    output_limit=20,
)
PROVIDER = {"name": "openai", "endpoint": "api.openai.com"}


def name(asked: Request) -> str:
    return digest(PROVIDER, asked.recorded())


CHANGES: dict[str, Any] = {
    "model": "openai/gpt-4o",
    "messages": (Message("system", "Be brief."), Message("user", "Where does it turn? ")),
    "output_limit": 21,
    "temperature": 0.1,
    "seed": 0,
    "answers": ("1", "2"),
    "json": True,
    "attempt": 1,
}


def test_every_attribute_of_a_request_changes_its_name() -> None:
    assert set(CHANGES) == {field.name for field in dataclasses.fields(Request)}
    names = [name(dataclasses.replace(ASKED, **{k: v})) for k, v in CHANGES.items()]
    assert len({name(ASKED), *names}) == len(CHANGES) + 1


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"output_limit": 0}, "allows no reply"),
        ({"temperature": -0.1}, "use 0 to 2"),
        ({"temperature": float("nan")}, "use 0 to 2"),
    ],
)
def test_what_cannot_be_asked_is_refused(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        dataclasses.replace(ASKED, **values)


RECORDED = Path(__file__).parents[1] / "results" / "llm"
FILES = sorted(RECORDED.glob("*/*.jsonl"))
SEGMENTS_BY_HAND = "authored/segments-on-the-builtin-collection"
"""Replies that a person wrote, one for each way to draw the segments of a built-in document."""
provider = cache(providers.provider)


class Noting(Asker):
    """Asks nobody, and notes the digest of each request; what is not recorded is an error."""

    def __init__(self) -> None:
        super().__init__("replay", RECORDED, provider=provider)
        self.asked: set[str] = set()

    def ask(self, request: Request) -> Reply:
        self.asked.add(digest(provider(request.model).describe(), request.recorded()))
        return super().ask(request)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_reply_lies_under_the_digest_of_its_request_and_its_provider_is_todays(
    path: Path,
) -> None:
    found = list(contents(path))
    assert len({one["digest"] for one in found}) == len(path.read_bytes().splitlines()) > 0
    for one in found:
        name = one["request"]["model"]
        who: Provider = provider(name)
        assert one["digest"] == digest(one["provider"], one["request"])
        assert one["provider"] == who.describe()
        assert path == place(RECORDED, who.endpoint, name.partition("/")[2])


def on_conditions(asker: Noting, collections: Sequence[str]) -> None:
    """Draw the boundaries and write the contexts of the study's conditions again."""
    written: dict[str, Chunks] = {}
    for one in grid.conditions(find_project()):
        if one.collection not in collections or LOCAL_SMOLLM not in str(one):
            continue
        collection = load_collection(one.collection)
        if one.chunker.startswith("lumberchunker-by"):
            cut(collection, one.chunking, one.rules, asker=asker)
        elif "by-" in one.ordering and one.collection not in written:
            written[one.collection] = cut(collection, one.chunking, one.rules)
            contexts_of(one.method, collection, written[one.collection], asker)


def on_windows(asker: Noting, name: str) -> None:
    """Cut what Chroma's LLM chunker was asked about."""
    collection = llm_chunker.part(load_collection(name), llm_chunker.PARTS.get(name))
    llm_chunker.asked(collection, llm_chunker.CHUNKER, CORRECTED, asker.ask)


def on_built_in(asker: Noting) -> None:
    """Everything that is asked about the built-in collection."""
    texts = {document.id: document.text for document in builtin.load_documents()}
    segmented = texts["encyclopedia/skarrow-light.md"]
    for kind in breakpoints.KINDS:
        breakpoints.chunk(segmented, asker.ask, SEGMENTS_BY_HAND, kind)
    on_conditions(asker, ("builtin", "builtin-graded"))
    on_windows(asker, "builtin")


def recorded() -> set[str]:
    return {one["digest"] for path in FILES for one in contents(path)}


def test_what_is_asked_about_the_built_in_collection_is_recorded() -> None:
    asker = Noting()
    on_built_in(asker)
    assert len(asker.asked) > 150 and asker.asked <= recorded()


@pytest.mark.slow
@pytest.mark.real_data
def test_what_is_asked_about_all_collections_is_what_is_recorded_and_nothing_else(
    chroma_collection: object,
) -> None:
    asker = Noting()
    on_built_in(asker)
    on_conditions(asker, ("chroma-within", "covid-qa-within", "gutenqa-emma"))
    on_windows(asker, "chroma")
    assert asker.asked == recorded()
