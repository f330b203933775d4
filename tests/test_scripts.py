"""Texts in other scripts than Latin are cut, searched and judged, or said not to be."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from chunkstudy import evaluate
from chunkstudy.chunkers import structure
from chunkstudy.chunkers.passages import sentence_groups, sentence_propositions
from chunkstudy.chunkers.semantic import punkt_sentences
from chunkstudy.chunkers.text_tokens import WordPieces
from chunkstudy.evaluation.retrieval.bm25 import words

SENTENCES = {
    "Chinese": "磨坊在河边。水车是橡木做的！面粉运到城里。",
    "Japanese": "「水車はどこ？」川のそばです。小麦粉を運ぶ。",
    "Hindi": "चक्की नदी के पास है। पहिया घूमता है। आटा शहर जाता है।",
    "Urdu": "چکی دریا کے پاس ہے۔ کیا پہیہ گھومتا ہے؟ آٹا شہر جاتا ہے۔",
    "Amharic": "ወፍጮው በወንዙ አጠገብ ነው። ይሽከረከራል። ዱቄት ነው።",
}


@pytest.mark.parametrize("language", list(SENTENCES))
def test_sentences_end_at_the_full_stops_of_every_script(language: str) -> None:
    text = SENTENCES[language]
    groups = sentence_groups(text, group=1, tokenizer=WordPieces(), scripts="any")
    assert len(structure.sentences(text, "any")) == len(punkt_sentences(text, "any")) == 3
    assert len(groups) == 3
    assert "".join(text[start:end] for start, end, *_ in groups).replace(" ", "") == text.replace(
        " ", ""
    )


def test_a_bracket_that_closes_belongs_to_its_sentence() -> None:
    text = "他说：「水车转。」然后走了。"
    assert [text[a:b] for a, b in structure.sentences(text, "any")] == [
        "他说：「水车转。」",
        "然后走了。",
    ]


def test_words_are_the_same_in_either_normal_form_and_bigrams_where_there_are_no_blanks() -> None:
    for text in ("Café Ångström", "हिन्दी", "한국어 문장"):
        assert words(unicodedata.normalize("NFD", text), "any") == words(text, "any")
    assert words("水车転 mill2 ½", "any") == ["水车", "车転", "mill2", "½"]
    assert words("米", "any") == ["米"]
    assert words("The Mill's wheel", "any") == words("The Mill's wheel")


def test_the_studys_own_records_count_runs_of_letters_and_digits_as_they_stand() -> None:
    assert words("İnferior χ² 水车転") == ["i", "nferior", "χ²", "水车転"]


def test_marks_without_a_word_between_are_read_once() -> None:
    assert sentence_propositions("." * 100_000) == [(0, 100_000, "." * 100_000)]
    text = '... so. "Yes!" (No?) Well'
    assert [sentence for *_, sentence in sentence_propositions(text)] == [
        "...", "so.", '"Yes!"', "(No?)", "Well",
    ]  # fmt: skip


def test_what_cannot_be_told_apart_is_said(tmp_path: Path) -> None:
    thai = "โรงสีตั้งอยู่ริมแม่น้ำ " * 80
    asked = [{"question": "mill", "excerpts": [{"document": "d", "start": 0, "end": 5}]}]
    encoders = ["bm25", "sentence-transformers/all-MiniLM-L6-v2"]
    result = evaluate({"d": thai, "e": "Short."}, asked, ["sentence-5"], encoders, output=tmp_path)
    said = " ".join(result.notes)
    assert "are cut where a sentence ends" in said
    assert "BM25 finds nothing for 1 of 1 questions" in said
    assert "has no tokens for" in said
