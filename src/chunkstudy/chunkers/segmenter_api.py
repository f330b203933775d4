"""Jina's segmenter behind its API, beside the rules that it published.

``POST`` of a text to https://api.jina.ai/v1/segment gives its chunks (jina.ai/segmenter). The
offsets that come with them may count in another unit than Python's characters, so chunks are found
in the text instead, each behind the one before. What is kept of a reply are offsets under the
digest of what was asked, no text; CHUNKSTUDY_LLM decides whether anything is sent, as for language
models.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ValidationError

from chunkstudy.base import places
from chunkstudy.base.spans import Span, text_digest
from chunkstudy.chunkers.segmenter import LONGEST
from chunkstudy.llm.interface import LanguageModelError, Mode, mode_from_environment
from chunkstudy.llm.keys import key
from chunkstudy.llm.openai_client import OpenAIClient
from chunkstudy.llm.recordings import RecordedLines

ENDPOINT = "https://api.jina.ai/v1/segment"
ADDRESS = "CHUNKSTUDY_SEGMENTER_URL"
"""Names another address."""
KEY = "JINA_API_KEY"
"""Raises the limit of requests; the API is free and answers without it."""
MOST = 60_000
"""Characters of a request; the API takes 64,000."""
WITHOUT_KEY, WITH_KEY = 20, 200
"""Requests a minute that the API allows, as its page said in 2024."""


class SegmenterError(RuntimeError):
    """An API that cannot be asked, or whose reply cannot be used."""


class _Body(BaseModel):
    chunks: list[str]


class SegmenterApi:
    """The API, or what it answered before.

    Args:
        mode: see :data:`chunkstudy.llm.interface.Mode`; CHUNKSTUDY_LLM by default.
        folder: of recorded replies; ``results/segmenter`` by default.
        pause: seconds between two requests; as many as the API allows by default.
    """

    def __init__(
        self,
        mode: Mode | None = None,
        folder: Path | None = None,
        pause: float | None = None,
    ) -> None:
        self.mode = mode or mode_from_environment()
        where = folder or places.find().results / "segmenter"
        self._recordings = RecordedLines(where / "segments.jsonl")
        self.address = os.environ.get(ADDRESS) or ENDPOINT
        usual = 60 / (WITH_KEY if key(KEY) else WITHOUT_KEY)
        self._pause = usual if pause is None else pause
        self._client: OpenAIClient | None = None

    def segments(self, text: str) -> list[Span]:
        """The chunks of a text without the white space around them.

        Raises:
            SegmenterError: if a reply is not recorded and may not be asked for, or none that can be
                used came.
        """
        return [
            (start + first, start + after)
            for start, end in parts(text)
            for first, after in self._part(text[start:end])
        ]

    def _part(self, text: str) -> list[Span]:
        asked = [self.address, LONGEST, text_digest(text)]
        name = text_digest(json.dumps(asked))
        if self.mode != "live" and (line := self._recordings.line(name)):
            return [(start, end) for start, end in line["chunks"]]
        if self.mode == "replay":
            raise SegmenterError(
                "the segmenter's API was never asked about a text, and nothing is sent; set "
                "CHUNKSTUDY_LLM=record to ask it, or take the chunker segmenter, which goes by the "
                "API's published rules"
            )
        if self._client is not None:
            time.sleep(self._pause)
        chunks = self._asked(text)
        if self.mode == "record":
            self._recordings.add([{"digest": name, "chunks": chunks}])
        return chunks

    def _asked(self, text: str) -> list[Span]:
        asked = {"content": text, "return_chunks": True, "max_chunk_length": LONGEST}
        try:
            if self._client is None:
                client = OpenAIClient("jina", "the segmenter", self.address, (KEY,), False)
                client.open()
                self._client = client
            chunks = located(text, _Body.model_validate(self._client.post(asked)).chunks)
        except LanguageModelError as error:
            raise SegmenterError(str(error)) from None
        except ValidationError:
            chunks = None
        if chunks is None:
            raise SegmenterError(
                f"the segmenter at {self.address} sent no chunks that stand in the text; take "
                "the chunker segmenter, which goes by the API's published rules"
            )
        return chunks


def located(text: str, chunks: Sequence[str]) -> list[Span] | None:
    """Where chunks stand, each behind the one before, without white space; None if one does not,
    or if there is none of a text that says something."""
    found: list[Span] = []
    at = 0
    for chunk in chunks:
        bare = chunk.strip()
        if not bare:
            continue
        start = text.find(bare, at)
        if start < 0:
            return None
        at = start + len(bare)
        found.append((start, at))
    return found if found or not text.strip() else None


def parts(text: str) -> Iterator[Span]:
    """A text in parts that a request may hold, cut behind a line break where there is one; none of
    a text of white space."""
    start = 0
    while start < len(text):
        end = min(start + MOST, len(text))
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or end
        if re.search(r"\S", text[start:end]):
            yield start, end
        start = end


def segments(text: str) -> list[Span]:
    """The API's chunks of a text, see :meth:`SegmenterApi.segments`."""
    return api().segments(text)


@lru_cache(maxsize=1)
def api() -> SegmenterApi:
    """The API of this process."""
    return SegmenterApi()
