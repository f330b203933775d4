"""XLM-RoBERTa's tokenizer in its own format, small: what its compiled table of characters does."""

from __future__ import annotations

import base64
import json
import unicodedata

import pytest
from tokenizers import Tokenizer, normalizers

from chunkstudy import tokens
from chunkstudy.rehearsal import tokenizer_files


@pytest.fixture(scope="module")
def file() -> bytes:
    return tokenizer_files.xlm_roberta()


def test_every_rule_of_the_compiled_table_is_found_again() -> None:
    rules = tokenizer_files.replacements()
    table = normalizers.Precompiled(tokenizer_files.charsmap(rules))
    assert len(rules) > 300
    for letter, written in rules.items():
        assert table.normalize_str(f"a{letter}b") == f"a{written}b"
    untouched = "plain text, é, 漢字, ↑"
    assert table.normalize_str(untouched) == untouched


def test_characters_whose_bytes_begin_alike_are_told_apart() -> None:
    rules = {"a": "1", "ä": "2", "å": "3", "漢": "4", "漣": "5", "𝒜": "6"}
    table = normalizers.Precompiled(tokenizer_files.charsmap(rules))
    assert [table.normalize_str(key) for key in rules] == list(rules.values())


def test_the_file_has_the_parts_of_the_published_one(file: bytes) -> None:
    content = json.loads(file)
    assert content["model"]["type"] == "Unigram" and content["model"]["unk_id"] == 3
    assert [piece for piece, _ in content["model"]["vocab"][:4]] == list(tokenizer_files.SPECIAL)
    assert content["normalizer"]["type"] == "Precompiled"
    assert base64.b64decode(content["normalizer"]["precompiled_charsmap"])
    kinds = [one["type"] for one in content["pre_tokenizer"]["pretokenizers"]]
    assert kinds == ["WhitespaceSplit", "Metaspace"]
    assert content["added_tokens"][-1]["id"] == len(content["model"]["vocab"])


def test_offsets_stay_those_of_the_text_where_characters_are_rewritten(file: bytes) -> None:
    tokenizer = Tokenizer.from_str(file.decode())
    text = "The harbour ½ of\tit"
    encoding = tokenizer.encode(text)
    assert encoding.tokens[0] == "<s>" and encoding.tokens[-1] == "</s>"
    words = {text[start:end] for start, end in encoding.offsets}
    assert {"The", "½"} <= words
    rewritten = unicodedata.normalize("NFKC", "½")
    assert "".join(encoding.tokens).count(rewritten[0]) >= 1


def test_an_unknown_character_is_one_unknown_token(file: bytes) -> None:
    tokenizer = Tokenizer.from_str(file.decode())
    assert tokenizer.encode("漢").ids[-2] == tokenizer_files.SPECIAL.index("<unk>")


def test_berts_tokenizer_is_the_real_one_cut_as_its_file_says() -> None:
    tokenizer = Tokenizer.from_str(tokenizer_files.wordpiece().decode())
    assert tokenizer.truncation is not None and tokenizer.truncation["max_length"] == 512
    assert tokenizer.padding is not None
    tokenizer.no_padding()
    text = "Ketrazole in children"
    assert tokenizer.encode(text).tokens == tokens.wordpiece().encode(text).tokens
