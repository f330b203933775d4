"""Documents in the formats they come in are read as what a reader sees of them; what holds no text
is left out and counted."""

from __future__ import annotations

import csv
import io
import json
import sys
import zipfile
from pathlib import Path

import pytest

from chunkstudy.collections import own, own_documents, own_formats

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
    (document,) = own_documents.read(tmp_path).documents
    assert document.text.strip().startswith(beginning)
    assert not any(unseen in document.text for unseen in ("var rye", "base64", "unseen", "<"))


def test_tables_and_captions_of_a_web_page_stay() -> None:
    text = own_formats.read(own_formats.HTML, HTML)
    assert "| oats | March |" in text and "a field" in text


def test_a_small_table_leaves_other_readers_their_long_cells() -> None:
    own_formats.read(own_formats.TABLE, b"a,b\n1,2\n")
    assert csv.field_size_limit() >= 131_072


LEFT_OUT = {
    "more/again.md": (b"Rye is sown in autumn.", own_documents.REPEATED),
    "empty.md": (b"", own_documents.EMPTY),
    "blank.md": (b" \n\t", own_documents.EMPTY),
    "x.bin": (b"x\0y", own_documents.BINARY),
    "umlaut.txt": ("Käse".encode("latin-1"), own_documents.ENCODING),
    "large.csv": (b"x" * (own_documents.LARGEST + 1), own_documents.LARGE),
    "torn.pdf": (READ["book.pdf"][0][:40], "damaged, or no PDF file"),
    "scanned.pdf": (pdf(" "), own_formats.NO_TEXT),
    "torn.docx": (word()[:-30], "damaged, or no Word file"),
    "torn.ipynb": (NOTEBOOK[:-9], "damaged, or no notebook file"),
    "empty.html": (b" \n", own_documents.EMPTY),
    "empty.csv": (b"", own_documents.EMPTY),
    "umlaut.csv": ("crop\nGemüse\n".encode("latin-1"), own_documents.ENCODING),
    "field.svg": (b"<svg/>", own_formats.NO_DOCUMENT),
    "deep.html": (b"<div>" * 50_000 + b"rye", "damaged, or no HTML file"),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_holds_no_text_is_left_out_with_its_reason(name: str, tmp_path: Path) -> None:
    content, reason = LEFT_OUT[name]
    files = {"farm.md": b"\xef\xbb\xbfRye is sown in autumn.", ".git/config": b"secret"}
    for path, written in (files | {".hidden": b"secret", name: content}).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(written)
    read = own_documents.read(tmp_path)
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
    read = own_documents.read(tmp_path)
    assert {document.id for document in read.documents} == {"crops.csv", "long.csv", "notes.ipynb"}
    assert set(read.left_out.values()) == {own_formats.NEEDS}


def test_an_excerpt_is_judged_where_it_stands_in_the_text_and_its_page_is_known(
    tmp_path: Path,
) -> None:
    (tmp_path / "book.pdf").write_bytes(READ["book.pdf"][0])
    asked = {"question": "When are oats cut?", "excerpts": ["Oats are cut."]}
    (judgment,) = own.read(tmp_path, [asked]).collection.judgments
    (document,) = own_documents.read(tmp_path).documents
    assert document.text[judgment.start : judgment.end] == "Oats are cut."
    assert own_formats.page(document.text, judgment.start) == 2
    assert own_formats.page(document.text, 0) == 1 and own_formats.page("no pages", 3) == 0
