"""Lines, headings and sentences are read in one way, in whatever form or script they are written,
or it is said that they are not."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy import evaluate
from chunkstudy.chunkers import markup, passages, structure
from chunkstudy.chunkers.passages import sentence_groups, sentence_propositions
from chunkstudy.chunkers.semantic import punkt_sentences
from chunkstudy.chunkers.text_tokens import WordPieces
from chunkstudy.evaluation.retrieval.bm25 import words
from chunkstudy.user_data import blocks

BREAKS = ["\n", "\r\n", "\r", "\f", "\x85", "\u2028", "\u2029"]
MARKDOWN = """# Mill

Intro.

```sh
# no heading
```

Wheel
=====

It turns.

~~~
## nor this
~~~

<!--
# nor this
-->

### River ###
"""
RESTRUCTURED = """====
Mill
====

.. note:: It turns.

Wheel
-----

Oak.

Parts
~~~~~

Spokes.

River
-----

Flow.
"""


def names(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.name) for heading in markup.headings(text)]


@pytest.mark.parametrize("end", BREAKS)
def test_headings_are_the_same_whatever_ends_a_line(end: str) -> None:
    text = MARKDOWN.replace("\n", end)
    assert names(text) == [(1, "Mill"), (1, "Wheel"), (3, "River")]
    for heading in markup.headings(text):
        assert heading.name in text[heading.start : heading.end]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_titles_of_restructured_text_are_headings_by_their_signs(end: str) -> None:
    text = RESTRUCTURED.replace("\n", end)
    assert names(text) == [(1, "Mill"), (2, "Wheel"), (3, "Parts"), (2, "River")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: Mill\n# no\n---\n# Yes\n", [(1, "Yes")]),
        ("== Mill ==\n\n= = Wheel = =\n", [(2, "Mill"), (2, "Wheel")]),
        ("```x``` helps.\n\n# Yes\n", [(1, "Yes")]),
        ("    # code\n\n#no\n\n####### no\n\n   ## Yes\n", [(2, "Yes")]),
        (
            "# Mill\n\n```rst\n.. note:: x\n```\n\n.. note:: y\n\n## Wheel\n",
            [(1, "Mill"), (2, "Wheel")],
        ),
        ("> # quoted\n\n- # item\n", []),
        ("a" * 300 + "\n---\n", []),
        ("\ufeff# Mill\n", [(1, "Mill")]),
        ("= Mill =\nand weir\n===\n", [(1, "= Mill = and weir")]),
        ("", []),
    ],
)
def test_what_is_a_heading_and_what_is_not(text: str, expected: list[tuple[int, str]]) -> None:
    assert names(text) == expected


@given(st.text(st.sampled_from("a #=-~`>\n\r\u2028."), max_size=60))
def test_lines_and_headings_stand_in_the_text_in_order(text: str) -> None:
    lines = markup.lines(text)
    assert [text[start:end] for start, end in lines] == text.splitlines()
    reached = 0
    for heading in markup.headings(text):
        assert reached <= heading.start < heading.end <= len(text)
        reached = heading.end


def test_a_paragraph_ends_at_a_blank_line_or_as_the_taxonomy_has_it_at_every_line() -> None:
    text = "The mill\r\nturns.\r\n \t\r\nThe river\nflows.\n"
    blank = [text[a:b] for a, b in passages.paragraphs(text, paragraph_ends="blank")]
    assert blank == ["The mill\r\nturns.", "The river\nflows."]
    assert len(passages.paragraphs(text)) == 4


TORN = """# Prices

| grain | price |
|---|---|
| rye | 3 |
| oats | 4 |

- first,
  and more of it
- second

```sh
# no heading
- no item
```
"""


def test_rows_items_and_blocks_of_code_are_found_with_what_one_needs_to_read_them() -> None:
    header = TORN.index("| grain")
    rows = [TORN[slice(*span)] for span in blocks.table_rows(TORN)]
    assert rows == [TORN[header : TORN.index("\n| oats")], TORN[header : TORN.index("\n\n- first")]]
    items = [TORN[slice(*span)].strip() for span in blocks.list_items(TORN)]
    assert items == ["- first,\n  and more of it", "- second"]
    (block,) = blocks.code_blocks(TORN)
    assert TORN[slice(*block)].startswith("```sh") and TORN[slice(*block)].endswith(
        "- no item\n```"
    )
    assert blocks.table_rows("") == blocks.list_items("a | b") == blocks.code_blocks("`x`") == []


def test_a_later_row_of_a_table_knows_its_header_and_nothing_else_does() -> None:
    above = blocks.header_above(TORN)
    header = "| grain | price |\n|---|---|"
    ruled = TORN.index(header) + len(header)
    for offset in range(len(TORN)):
        body = ruled <= offset <= TORN.index("\n\n- first")
        assert above(offset) == (header if body else ""), offset


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
