"""Documents in the formats they come in, read as Markdown: web pages, PDF, Word, RTF, notebooks and
tables.

Offsets count in the Markdown, which is what is judged and shown. Links, emphasis and inline code
lose their marks and pictures leave their captions, so that an excerpt can be copied from what a
browser shows. The pages of a PDF are kept apart by form feeds, as pdftotext does.
"""

from __future__ import annotations

import csv
import io
import json
import logging
from collections.abc import Callable
from pathlib import PurePath

from chunkstudy.core.errors import UserError
from chunkstudy.core.folding import is_blank

HTML, PDF, WORD, RTF, NOTEBOOK, TABLE, DRAWING = (
    "HTML", "PDF", "Word", "RTF", "notebook", "table", "drawing",
)  # fmt: skip
SUFFIXES = {
    ".html": HTML, ".htm": HTML, ".xhtml": HTML, ".pdf": PDF, ".docx": WORD, ".rtf": RTF,
    ".ipynb": NOTEBOOK, ".csv": TABLE, ".tsv": TABLE, ".svg": DRAWING,
}  # fmt: skip
BEGINNINGS = {
    b"%pdf-": PDF,
    b"{\\rtf": RTF,
    b"<!doctype html": HTML,
    b"<html": HTML,
    b"<svg": DRAWING,
}
"""How a file begins, in lower case, whatever its name says."""
PAGE_BREAK = "\f"
UNSEEN = ("script", "style", "template", "noscript", "svg", "head")
"""Elements of a page that a reader does not see."""
UNMARKED = ["a", "b", "strong", "i", "em", "code"]
NEEDS = "to be read by the extra: pip install 'chunkstudy[documents]'"
NO_TEXT = "without text, perhaps scanned"
NO_DOCUMENT = "a drawing"


def format_of(name: str, head: bytes) -> str:
    """What a file is by its name, or by how it begins; empty where it is plain text."""
    if by_name := SUFFIXES.get(PurePath(name).suffix.lower(), ""):
        return by_name
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:20].lower()
    return next((kind for mark, kind in BEGINNINGS.items() if begins.startswith(mark)), "")


def read(kind: str, content: bytes) -> str:
    """A file of one of the formats as Markdown.

    Raises:
        UserError: if it is damaged, holds no text, or a library that reads it is not installed.
    """
    if kind == DRAWING:
        raise UserError(NO_DOCUMENT)
    try:
        text = READERS[kind](content)
    except UserError:
        raise
    except ImportError:
        raise UserError(NEEDS) from None
    except UnicodeDecodeError:
        raise UserError("not UTF-8") from None
    except Exception as error:  # of any library, on what it did not expect
        raise UserError(f"damaged, or no {kind} file") from error
    if is_blank(text):
        raise UserError(NO_TEXT)
    return text.encode("utf-8", "replace").decode("utf-8")


def page(text: str, offset: int) -> int:
    """The page on which a character of a document stands, from 1; 0 where it has no pages."""
    return text.count(PAGE_BREAK, 0, offset) + 1 if PAGE_BREAK in text else 0


def _of_html(content: bytes | str) -> str:
    """A web page as Markdown; its encoding is the one that it names."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(content, "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title and not soup.h1 else ""
    for element in soup(UNSEEN):
        element.decompose()
    for picture in soup("img"):
        picture.replace_with(str(picture.get("alt") or ""))
    converter = MarkdownConverter(
        heading_style="ATX", strip=UNMARKED, escape_asterisks=False, escape_underscores=False
    )
    text: str = converter.convert_soup(soup)
    return f"# {title}\n\n{text}" if title else text


def _of_pdf(content: bytes) -> str:
    """The text of every page, which a form feed ends."""
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what is mended is no news to a reader
    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise UserError("protected by a password")
    return PAGE_BREAK.join(sheet.extract_text() for sheet in reader.pages)


def _of_word(content: bytes) -> str:
    import mammoth

    without_pictures = mammoth.images.img_element(lambda _: {"src": ""})
    page = mammoth.convert_to_html(io.BytesIO(content), convert_image=without_pictures)
    return _of_html(page.value)


def _of_rtf(content: bytes) -> str:
    from striprtf.striprtf import rtf_to_text

    text: str = rtf_to_text(content.decode("latin-1"), errors="replace")
    return text


def _of_notebook(content: bytes) -> str:
    """The cells in their order, code in fences; what they printed is left out."""
    notebook = json.loads(content.decode("utf-8-sig"))
    language = notebook.get("metadata", {}).get("language_info", {}).get("name", "python")
    cells = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"]).strip("\n")
        if not is_blank(source):
            code = cell["cell_type"] == "code"
            cells.append(f"```{language}\n{source}\n```" if code else source)
    return "\n\n".join(cells)


def _of_table(content: bytes) -> str:
    """Rows of a CSV, or of one with tabs, semicolons or bars, as a Markdown table."""
    text = content.decode("utf-8-sig")
    csv.field_size_limit(max(len(text), csv.field_size_limit()))  # a cell may be a whole document
    try:
        dialect = csv.Sniffer().sniff(text[:8192], ",;\t|")
    except csv.Error:  # one column
        dialect = csv.excel
    cells = [
        " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in row)
        for row in csv.reader(io.StringIO(text, newline=""), dialect)
        if row
    ]
    if not cells:
        return ""
    rule = " | ".join(["---"] * (cells[0].count(" | ") + 1))
    return "\n".join(f"| {row} |" for row in (cells[0], rule, *cells[1:]))


READERS: dict[str, Callable[[bytes], str]] = {
    HTML: _of_html, PDF: _of_pdf, WORD: _of_word, RTF: _of_rtf, NOTEBOOK: _of_notebook,
    TABLE: _of_table,
}  # fmt: skip
