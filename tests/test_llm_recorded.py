"""What is recorded of language models is what today's code asks, request by request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from chunkstudy.base import places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.base.spans import Chunks
from chunkstudy.chunkers import breakpoints
from chunkstudy.collections import builtin
from chunkstudy.collections.registry import load_collection
from chunkstudy.llm import providers
from chunkstudy.llm.asking import Asker
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.llm.interface import Provider, Reply, Request, digest
from chunkstudy.llm.recordings import contents, place
from chunkstudy.publish import planned
from chunkstudy.runs.chunking import cut
from chunkstudy.runs.conditions import LOCAL_SMOLLM
from chunkstudy.runs.encoding import contexts_of
from chunkstudy.studies.chroma import llm_chunker
from chunkstudy.studies.generated_questions.generate import generate
from chunkstudy.studies.generated_questions.prompts import GenerationSettings

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
    for one in planned.conditions(places.find()):
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
    settings = GenerationSettings(
        f"local/{SMOLLM}",
        questions=6,
        characters=1_000,
        attempts=2,
        output_limit=200,
        temperature=0.0,
    )
    generate(builtin.load_documents(), settings, asker.ask)
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
