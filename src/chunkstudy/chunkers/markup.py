"""Where a text's lines and headings are: one reading for chunkers, contexts and pages.

A line ends where Unicode says so (``str.splitlines``): at a line feed, a carriage return or both, a
form feed, or one of the separators U+0085, U+2028 and U+2029. Headings are CommonMark's, as
markdown-it-py finds them (``#`` signs, or a line under the text; not in code, comments or front
matter), MediaWiki's (``== Name ==``), or, where a text is reStructuredText, its underlined titles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from chunkstudy.core.spans import Span, stripped

MARK = "\ufeff"
"""A byte order mark, which may stand before a text."""
KEY = re.compile(r"[\w-]+:")
LONGEST = 200
"""Characters of an underlined heading; what is longer is a paragraph above a rule."""
ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}")
"""reStructuredText: a line of one sign of punctuation, repeated. The specification takes one of any
length that is no shorter than the title; under three signs it is no more than a dash or dots."""
DIRECTIVE = re.compile(r"\.\. (?:[\w:-]+::|_[^:]+:|\[[#\w*-]+\])(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading.

    Attributes:
        start: where its first line begins, in characters.
        end: where its last line ends, the line's end left out.
        level: 1 for the widest.
        name: its text as written, in one line.
    """

    start: int
    end: int
    level: int
    name: str


def lines(text: str) -> list[Span]:
    """Every line without what ends it."""
    spans = []
    start = 0
    for line in text.splitlines(keepends=True):
        spans.append((start, start + len(line.splitlines()[0])))
        start += len(line)
    return spans


def paragraphs(text: str) -> list[Span]:
    """Runs of lines that are not blank, without white space at their ends."""
    spans: list[Span] = []
    open_ = False
    for start, end in lines(text):
        first, last = stripped(text, start, end)
        if open_ and first < last:
            spans[-1] = (spans[-1][0], last)
        elif first < last:
            spans.append((first, last))
        open_ = first < last
    return spans


def front_matter(text: str, spans: Sequence[Span]) -> int:
    """How many lines at the beginning a site generator keeps for itself: from a line ``---`` with a
    key under it to the next such line."""
    if len(spans) < 3 or text[slice(*spans[0])].lstrip(MARK).rstrip() != "---":
        return 0
    contents = (text[slice(*span)].strip() for span in spans[1:])
    # a comment may come before the first key
    if not KEY.match(next((line for line in contents if not line.startswith("#")), "")):
        return 0
    closing = (i for i in range(1, len(spans)) if text[slice(*spans[i])].rstrip() == "---")
    return next(closing, -1) + 1


@lru_cache(maxsize=8)
def headings(text: str) -> tuple[Heading, ...]:
    """The headings of a text, in their order."""
    from markdown_it import MarkdownIt  # late: most runs read no headings

    spans = lines(text)
    contents = [text[start:end] for start, end in spans]
    front = front_matter(text, spans)
    contents[:front] = [""] * front
    if contents:
        contents[0] = contents[0].removeprefix(MARK)
    # blocks alone: what stands inside a line is nobody's heading
    tokens = MarkdownIt("commonmark").disable("inline").parse("\n".join(contents))
    marks = {token.markup[:1] for token in tokens if token.type in ("heading_open", "fence")}
    # a page in Markdown may show a directive, in a block of code or as its own extension has it
    if not marks & {"#", "`"} and _is_restructured(contents):
        return tuple(_restructured(contents, spans))
    marked = []
    aside: set[int] = set()
    for i, token in enumerate(tokens):
        if token.map is None or token.level:
            continue
        first, after = token.map
        if token.type == "heading_open":
            name = " ".join(tokens[i + 1].content.split())
            if len(name) > LONGEST and token.markup in ("=", "-"):
                continue
            start, end = spans[first][0], spans[after - 1][1]
            marked.append(Heading(start, end, int(token.tag[1:]), name))
            aside.update(range(first, after))
        elif token.type in ("fence", "code_block", "html_block"):
            aside.update(range(first, after))
    for i, (start, end) in enumerate(spans):
        if i not in aside and (wiki := _of_a_wiki(contents[i])):
            marked.append(Heading(start, end, *wiki))
    return tuple(sorted((h for h in marked if h.name), key=lambda heading: heading.start))


def _of_a_wiki(line: str) -> tuple[int, str] | None:
    """Level and name of MediaWiki's heading; WikiText has blanks between its signs."""
    line = line.strip(" ")
    if len(line) < 3 or line[0] != "=" or line[-1] != "=":
        return None
    before = re.match(r"(?:= ?){1,6}", line)
    assert before is not None  # it begins with one
    level = before[0].count("=")
    name = line
    for _ in range(level):
        if len(name) < 2 or name[0] != "=" or name[-1] != "=":
            return None
        name = name[1:-1].strip(" ")
    return (level, name) if name and name[0] != "=" and name.strip("= ") else None


def _is_restructured(contents: Sequence[str]) -> bool:
    """Whether a text is reStructuredText: it has a directive, a target or a footnote, or titles
    under which stand signs that Markdown knows for nothing."""
    if any(line.startswith(".. ") and DIRECTIVE.match(line) for line in contents):
        return True
    adorned = [
        (title, line, before)
        for before, (title, line) in zip(["", *contents], pairwise(contents), strict=False)
        if ADORNMENT.fullmatch(line.rstrip()) and line[0] not in "=-`#*_"
    ]
    titled = [
        len(title.rstrip()) <= len(line.rstrip()) and not before.strip() and title.strip() != ""
        for title, line, before in adorned
        if title.strip() or line[0] != "~"
    ]
    closing = any(line[0] == "~" and not title.strip() for title, line, _ in adorned)
    return bool(titled) and all(titled) and not closing


def _restructured(contents: Sequence[str], spans: Sequence[Span]) -> list[Heading]:
    """Titles with a line of signs below, and perhaps above; the first kind met is the widest."""
    kinds: list[tuple[str, bool]] = []
    marked: list[Heading] = []
    for i, (title, line) in enumerate(pairwise(contents)):
        under, name = line.rstrip(), title.strip()
        if not name or not ADORNMENT.fullmatch(under) or len(under) < len(title.rstrip()):
            continue
        if ADORNMENT.fullmatch(title.rstrip()):
            continue
        before = contents[i - 1].rstrip() if i else ""
        over = before == under
        if not over and (before or title[0].isspace()):
            continue
        kind = (under[0], over)
        if kind not in kinds:
            kinds.append(kind)
        start = spans[i - 1 if over else i][0]
        marked.append(Heading(start, spans[i + 1][1], kinds.index(kind) + 1, name))
    return marked
