"""A folder of one's own is a collection in the formats it comes in: excerpts are found whatever
their form, what is lost is shown with what is nearest, what holds no text is left out."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from chunkstudy.cli.main import app
from chunkstudy.collections import (
    quoted,
    registry,
    user_collections,
    user_documents,
    user_formats,
    user_questions,
)
from chunkstudy.collections.user_questions import Question, Quotation
from chunkstudy.core.errors import ResourceError, UserError
from chunkstudy.core.folding import folded, in_short, is_blank

TEXT = "Rye is sown in autumn. Oats are sown in spring. Rye is cut first."


@given(
    st.lists(
        st.tuples(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(0, 9)),
        min_size=1,
        max_size=5,
    )
)
def test_questions_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, int]]
) -> None:
    questions = [
        Question(
            id=str(i),
            question=text,
            excerpts=(Quotation(document=text, start=at, end=at + 1, text=text),),
        )
        for i, (text, at) in enumerate(drawn)
    ]
    path = tmp_path_factory.mktemp("drawn") / "questions.jsonl"
    user_questions.write(path, questions)
    assert list(user_questions.parse(path).values()) == questions


def test_the_registry_finds_a_collection_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_COLLECTIONS", str(tmp_path))
    with pytest.raises(ResourceError, match="unknown collection 'farm'"):
        registry.find("farm")
    (tmp_path / "farm" / "documents").mkdir(parents=True)
    (tmp_path / "farm" / "documents" / "grain.md").write_text(TEXT, encoding="utf-8")
    question = Question(id="1", question="When?", excerpts=(Quotation(text="autumn"),))
    user_questions.write(tmp_path / "farm" / "questions.jsonl", [question])
    entry = registry.find("farm")
    assert entry.task == "token_overlap" and len(entry.load().queries) == 1
    for name in ("..", "../farm", "farm/", ""):
        with pytest.raises(ResourceError, match="unknown collection"):
            registry.find(name)


@given(st.text("ab ", min_size=1, max_size=30), st.text("ab ", min_size=1, max_size=4))
def test_an_excerpt_is_found_in_every_place_where_it_stands(text: str, said: str) -> None:
    texts = {"y": f"_{text}"} | ({} if is_blank(text) else {"x": text})
    try:
        judged = user_collections.read(texts, [{"question": "?", "excerpts": [said]}])
    except UserError:
        assert is_blank(said) or all(said not in text for text in texts.values())
        return
    (first,) = judged.collection.judgments
    places = [first, *judged.copies.get(first, ())]
    stands = [texts[p.document][p.start : p.end] for p in places]
    if any(said in text for text in texts.values()):
        assert set(stands) == {said}
        assert len(places) == sum(text.count(said) for text in texts.values())
    else:
        assert all(quoted.same_but_for_form(words, said) for words in stands)


LOST: list[dict[str, object]] = [
    {"question": "When?", "excerpts": ["in autumn"]},
    {"question": "Where?", "excerpts": ["nowhere at all"]},
    {"id": "both", "question": "What?", "excerpts": ["in spring", "sown in"]},
    {"question": "Which?", "excerpts": [{"document": "a", "text": "Rye"}]},
    {"question": "How?", "excerpts": [{"document": "gone", "text": "rye"}]},
    {"question": "Why?", "excerpts": [{"document": "a", "start": 4, "end": 99_999}]},
    {"question": "Who?"},
    {"question": "Joined?", "excerpts": [{"document": "a", "start": 40, "end": 50}, "Rye"]},
    {"question": "Only there?", "excerpts": [{"text": "sown", "anywhere": False}]},
]


def test_what_cannot_be_placed_is_counted_and_its_lines_are_named() -> None:
    judged = user_collections.read({"a": TEXT}, LOST)
    assert [query.id for query in judged.collection.queries] == ["1", "both", "4", "8"]
    (joined,) = (j for j in judged.collection.judgments if j.query == "8")
    assert (joined.start, joined.end) == (40, 51) and joined not in judged.copies
    copies, excerpts, questions = judged.notes
    assert copies.startswith("1 of 10 excerpts stand in several places")
    assert excerpts.startswith("4 of 10 excerpts could not be placed and they are left out: ")
    for part in (
        "1 found in no document (line 2)",
        "1 found more than once (line 9)",
        "1 of a document that is missing (line 5)",
        "1 outside the document (line 6)",
    ):
        assert part in excerpts
    assert questions.startswith("5 questions are left out") and "lines 2, 5, 6, 7, 9" in questions


MILL = "The mill’s wheel — of “oak” — turns by\nday. Cafe\u0301 and wa\u00adter stand there."


@pytest.mark.parametrize(
    "words",
    [
        'The mill\'s wheel - of "oak" - turns by day.',
        "the MILL’S   wheel",
        "Café and water",
        "wheel—of “oak”—turns",
        "turns\r\nby\u00a0day",
    ],
)
def test_an_excerpt_is_found_whatever_its_form_and_counted(words: str) -> None:
    judged = user_collections.read(
        {"a": MILL, "b": "Cows."}, [{"question": "?", "excerpts": [words]}]
    )
    (place,) = judged.collection.judgments
    assert quoted.same_but_for_form(MILL[place.start : place.end], words)
    assert "1 of 1 excerpts were found only with other white space" in " ".join(judged.notes)


def test_letter_by_letter_comes_first() -> None:
    judged = user_collections.read({"a": "Oak. oak."}, [{"question": "?", "excerpts": ["oak."]}])
    assert [(j.start, j.end) for j in judged.collection.judgments] == [(5, 9)]
    assert not judged.notes


@pytest.mark.parametrize("blank", ["", " ", "\u200b", "\u3000\n"])
def test_blanks_are_neither_excerpt_nor_question(blank: str) -> None:
    lines = [
        {"question": "mill", "excerpts": [blank]},
        {"question": blank or " ", "excerpts": ["The mill"]},
        {"question": "cows", "excerpts": ["Cows."]},
    ]
    judged = user_collections.read({"a": MILL, "b": "Cows."}, lines)
    assert [query.text for query in judged.collection.queries] == ["cows"]
    assert "since they are blank" in " ".join(judged.notes)


def test_a_twin_that_is_left_out_keeps_its_judgments() -> None:
    documents = {"a": "The mill.", "b": "The mill.", "c": "Cows."}
    lines = [{"question": "mill", "documents": {"a": 1, "b": 2}},
             {"question": "cows", "documents": {"c": 1}}]  # fmt: skip
    judged = user_collections.read(documents, lines)
    graded = [(j.document, j.grade) for j in judged.collection.judgments]
    assert graded == [("a", 2), ("c", 1)] and not judged.collection.absent
    quoted_twin = [{"question": "?", "excerpts": [{"document": "b", "start": 0, "end": 3}]}]
    assert user_collections.read(documents, quoted_twin).collection.judgments[0].document == "a"


def test_names_that_are_no_utf_8_are_written_as_urls_write_them(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(b"The well.")
    documents = user_documents.read(tmp_path)
    assert [document.id for document in documents.documents] == ["caf%E9.md"]


def test_links_are_followed_once_and_a_broken_one_is_said(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    folder = tmp_path / "folder"
    elsewhere.mkdir()
    folder.mkdir()
    (elsewhere / "a.md").write_text("The mill.", encoding="utf-8")
    (folder / "linked").symlink_to(elsewhere)
    (folder / "again").symlink_to(folder)
    (folder / "broken.md").symlink_to(tmp_path / "nothing")
    documents = user_documents.read(folder)
    assert [document.text for document in documents.documents] == ["The mill."]
    assert documents.left_out == {"broken.md": "a link to nothing"}


def test_check_shows_the_nearest_text_ready_to_paste(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.md").write_text("The farm has ten cows. The barn burned in 1911.", "utf-8")
    questions = tmp_path / "q.jsonl"
    good = {"question": "barn", "excerpts": ["The barn burned in 1911."]}
    bad = {"question": "cows", "excerpts": ["The farm had ten cows"]}
    questions.write_text(json.dumps(bad), "utf-8")
    result = CliRunner().invoke(app, ["check", str(questions), str(folder)])
    assert result.exit_code == 1
    pasted = json.loads(next(x for x in result.output.splitlines() if x.startswith("{")))
    assert pasted == {"document": "a.md", "start": 0, "end": 21, "text": "The farm has ten cows"}
    questions.write_text(
        json.dumps(bad | {"excerpts": [pasted]}) + "\n" + json.dumps(good), "utf-8"
    )
    result = CliRunner().invoke(app, ["check", str(questions), str(folder)])
    assert result.exit_code == 0 and "All 2 questions can be judged." in result.output


def test_nothing_that_shares_half_its_words_is_nearest_to_nothing() -> None:
    assert quoted.nearest("entirely other words", {"a": MILL}) is None


@given(st.text(st.sampled_from("aÄß é’\u0301\u00ad\ufb01½—\n\u200b"), max_size=30), st.data())
def test_the_short_form_holds_every_passage_that_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    passage = text[start : data.draw(st.integers(start, len(text)))]
    needle = folded(passage, spaces=False, hidden=False).text
    if folded(text, spaces=False, hidden=False).find_all(needle):
        assert in_short(passage) in in_short(text) or unicodedata.combining(passage.strip()[0])


HTML = b"""<!doctype html><html><head><title>Farm</title><style>p {}</style></head><body>
<h2>Grain</h2><script>var rye = 1;</script><p>Rye is <b>sown</b> in <a href="/x">autumn</a>.</p>
<table><tr><th>crop</th><th>month</th></tr><tr><td>oats</td><td>March</td></tr></table>
<img src="data:image/png;base64,AAAA" alt="a field"></body></html>"""
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": ["# Rye\n", "Sown in autumn."]},
            {"cell_type": "code", "source": "sow('rye')", "outputs": [{"text": "unseen"}]},
        ],
        "metadata": {"language_info": {"name": "python"}},
    }
).encode()
WORDS = (
    b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    b"<w:p><w:r><w:t>Rye is sown </w:t></w:r><w:r><w:t>in autumn.</w:t></w:r></w:p>"
    b"</w:body></w:document>"
)
RELATED = (
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    b'<Relationship Id="a" Target="word/document.xml" Type="http://schemas.openxmlformats.org/'
    b'officeDocument/2006/relationships/officeDocument"/></Relationships>'
)


def word() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("_rels/.rels", RELATED)
        archive.writestr("word/document.xml", WORDS)
    return packed.getvalue()


def pdf(*pages: str) -> bytes:
    """A PDF with a line a page."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(k): NameObject(v) for k, v in font.items()})
    for line in pages:
        page, drawn = writer.add_blank_page(300, 300), DecodedStreamObject()
        fonts = DictionaryObject({NameObject("/F"): named})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        drawn.set_data(f"BT /F 12 Tf 20 200 Td ({line}) Tj ET".encode())
        page[NameObject("/Contents")] = drawn
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


READ = {
    "page.html": (HTML, "# Farm\n\n## Grain\n\nRye is sown in autumn."),
    "plain.txt": (b"\xef\xbb\xbf <HTML><p>Rye &amp; oats.</p>", "Rye & oats."),
    "memo.docx": (word(), "Rye is sown in autumn."),
    "memo.rtf": (rb"{\rtf1\ansi Rye is {\b sown} in autumn.}", "Rye is sown in autumn."),
    "notes.ipynb": (NOTEBOOK, "# Rye\nSown in autumn.\n\n```python\nsow('rye')\n```"),
    "crops.csv": (b"crop;month\nrye;a|b\n", "| crop | month |\n| --- | --- |\n| rye | a\\|b |"),
    "book.pdf": (pdf("Rye is sown.", "Oats are cut."), "Rye is sown.\fOats are cut."),
    "long.csv": (b'text\n"' + b"rye " * 50_000 + b'"\n', "| text |\n| --- |\n| rye rye"),
}


@pytest.mark.parametrize("name", READ)
def test_a_format_is_read_as_a_reader_sees_it(name: str, tmp_path: Path) -> None:
    content, beginning = READ[name]
    (tmp_path / name).write_bytes(content)
    (document,) = user_documents.read(tmp_path).documents
    assert document.text.strip().startswith(beginning)
    assert not any(unseen in document.text for unseen in ("var rye", "base64", "unseen", "<"))


def test_tables_and_captions_of_a_web_page_stay() -> None:
    text = user_formats.read(user_formats.HTML, HTML)
    assert "| oats | March |" in text and "a field" in text


def test_a_small_table_leaves_other_readers_their_long_cells() -> None:
    user_formats.read(user_formats.TABLE, b"a,b\n1,2\n")
    assert csv.field_size_limit() >= 131_072


LEFT_OUT = {
    "more/again.md": (b"Rye is sown in autumn.", user_documents.REPEATED),
    "empty.md": (b"", user_documents.EMPTY),
    "blank.md": (b" \n\t", user_documents.EMPTY),
    "x.bin": (b"x\0y", user_documents.BINARY),
    "umlaut.txt": ("Käse".encode("latin-1"), user_documents.ENCODING),
    "large.csv": (b"x" * (user_documents.LARGEST + 1), user_documents.LARGE),
    "torn.pdf": (READ["book.pdf"][0][:40], "damaged, or no PDF file"),
    "scanned.pdf": (pdf(" "), user_formats.NO_TEXT),
    "torn.docx": (word()[:-30], "damaged, or no Word file"),
    "torn.ipynb": (NOTEBOOK[:-9], "damaged, or no notebook file"),
    "empty.html": (b" \n", user_documents.EMPTY),
    "empty.csv": (b"", user_documents.EMPTY),
    "umlaut.csv": ("crop\nGemüse\n".encode("latin-1"), user_documents.ENCODING),
    "field.svg": (b"<svg/>", user_formats.NO_DOCUMENT),
    "deep.html": (b"<div>" * 50_000 + b"rye", "damaged, or no HTML file"),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_holds_no_text_is_left_out_with_its_reason(name: str, tmp_path: Path) -> None:
    content, reason = LEFT_OUT[name]
    files = {"farm.md": b"\xef\xbb\xbfRye is sown in autumn.", ".git/config": b"secret"}
    for path, written in (files | {".hidden": b"secret", name: content}).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(written)
    read = user_documents.read(tmp_path)
    assert [document.id for document in read.documents] == ["farm.md"]
    assert read.left_out == {name: reason}


def test_without_the_extra_its_formats_are_left_out_and_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("bs4", "mammoth", "markdownify", "pypdf", "striprtf"):
        monkeypatch.setitem(sys.modules, library, None)
        monkeypatch.setitem(sys.modules, f"{library}.{library}", None)
    for name, (content, _) in READ.items():
        (tmp_path / name).write_bytes(content)
    read = user_documents.read(tmp_path)
    assert {document.id for document in read.documents} == {"crops.csv", "long.csv", "notes.ipynb"}
    assert set(read.left_out.values()) == {user_formats.NEEDS}


def test_an_excerpt_is_judged_where_it_stands_in_the_text_and_its_page_is_known(
    tmp_path: Path,
) -> None:
    (tmp_path / "book.pdf").write_bytes(READ["book.pdf"][0])
    asked = {"question": "When are oats cut?", "excerpts": ["Oats are cut."]}
    (judgment,) = user_collections.read(tmp_path, [asked]).collection.judgments
    (document,) = user_documents.read(tmp_path).documents
    assert document.text[judgment.start : judgment.end] == "Oats are cut."
    assert user_formats.page(document.text, judgment.start) == 2
    assert user_formats.page(document.text, 0) == 1 and user_formats.page("no pages", 3) == 0
