"""The two tokenizers of the published grid's models, as their repositories' ``tokenizer.json``.

BERT's is the real one. XLM-RoBERTa's has the real format (a Unigram model behind SentencePiece's
compiled table of characters, words begun by a mark) and a small vocabulary, made of the texts that
are rehearsed on.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import cache

from chunkstudy import tokens
from chunkstudy.collections import builtin

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
MARK = "▁"
WORDS = 1500
"""Words of the vocabulary, the most frequent ones; others come out in letters."""


def wordpiece() -> bytes:
    """BERT's uncased tokenizer, cut and padded to 512 tokens as the models' files have it."""
    content = json.loads(tokens.wordpiece().to_str())
    content["truncation"] = {
        "direction": "Right", "max_length": 512, "strategy": "LongestFirst", "stride": 0,
    }  # fmt: skip
    content["padding"] = {
        "strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
    }  # fmt: skip
    return json.dumps(content, ensure_ascii=False).encode()


def xlm_roberta() -> bytes:
    """A ``tokenizer.json`` as XLM-RoBERTa's."""
    pieces = [*((one, 0.0) for one in SPECIAL), *_pieces()]
    mask = len(pieces)
    metaspace = {"type": "Metaspace", "replacement": MARK, "add_prefix_space": True}
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": i, "content": text, "single_word": False, "lstrip": text == "<mask>",
             "rstrip": False, "normalized": False, "special": True}
            for i, text in (*enumerate(SPECIAL), (mask, "<mask>"))
        ],
        "normalizer": {
            "type": "Precompiled",
            "precompiled_charsmap": base64.b64encode(charsmap(replacements())).decode(),
        },
        "pre_tokenizer": {
            "type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "special_tokens": {
                text: {"id": text, "ids": [SPECIAL.index(text)], "tokens": [text]}
                for text in ("<s>", "</s>")
            },
        },
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": SPECIAL.index("<unk>"), "vocab": pieces},
    }  # fmt: skip
    return json.dumps(content, ensure_ascii=False).encode()


def _pieces() -> list[tuple[str, float]]:
    """Pieces with the logarithm of how often they occur: words behind their mark, and letters."""
    texts = [document.text for document in builtin.load_documents()]
    texts += [query.text for query in builtin.load().queries]
    table = str.maketrans(dict(replacements()))
    words = Counter(word for text in texts for word in text.translate(table).split())
    letters = Counter(letter for word, times in words.items() for letter in word * times)
    letters[MARK] = sum(words.values())
    for letter in map(chr, range(33, 127)):
        letters[letter] += 1
    common = sorted(words.items(), key=lambda one: (-one[1], one[0]))[:WORDS]
    counts = dict(letters) | {f"{MARK}{word}": times for word, times in common}
    total = sum(counts.values())
    return [(piece, math.log(times / total)) for piece, times in sorted(counts.items())]


@cache
def replacements() -> Mapping[str, str]:
    """Characters that SentencePiece's nmt_nfkc writes otherwise, of the first 9,000: those with
    another compatibility form, and white space."""
    found = dict.fromkeys("\t\n\r\xa0\u2028\u2029", " ")
    for letter in map(chr, range(0xA0, 9000)):
        form = unicodedata.normalize("NFKC", letter)
        if form != letter and not form.startswith(" "):
            found[letter] = form
    return found


def charsmap(rules: Mapping[str, str]) -> bytes:
    """A table of characters as SentencePiece compiles it: the size of a double array of 32-bit
    units that finds keys by their bytes, the array, then what stands for each, ended by a zero."""
    values: dict[bytes, int] = {}
    written = bytearray()
    for key, replacement in sorted(rules.items()):
        values[key.encode()] = len(written)
        written += replacement.encode() + b"\0"
    units = _double_array(values)
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + bytes(written)


def _double_array(values: Mapping[bytes, int]) -> list[int]:
    """Darts' double array: a unit holds its label, whether a key ends below it, and by how much
    its place is shifted to that of its children; a key's end holds its value."""
    units: dict[int, int] = {0: 0}
    taken = {0}
    free = 1

    def place(at: int, keys: list[bytes], depth: int) -> None:
        nonlocal free
        labels = sorted({key[depth] if len(key) > depth else 0 for key in keys})
        while free in taken:
            free += 1
        shift = next(
            one
            for one in range(1, 1 << 21)
            if all((at ^ one ^ b) not in taken for b in labels) and (at ^ one) >> 8 >= free >> 8
        )
        base = at ^ shift
        taken.update(base ^ label for label in labels)
        units[at] |= (shift << 10) | ((labels[0] == 0) << 8)
        for label in labels:
            below = [k for k in keys if (k[depth] if len(k) > depth else 0) == label]
            if label == 0:
                units[base] = values[below[0]] | 1 << 31
            else:
                units[base ^ label] = label
                place(base ^ label, below, depth + 1)

    place(0, sorted(values), 0)
    return [units.get(i, 0) for i in range(-(-(max(units) + 1) // 256) * 256)]
