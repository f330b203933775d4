"""The texts that signals are measured on, taken apart: what is text, what is markup, and which of
their candidates are true boundaries.

Every end of a sentence inside a text is a candidate. What begins behind it says what it is: a
``document`` (an article, a chat, a chapter), a ``part`` of one (a section, a turn), a ``paragraph``
or a ``sentence``. The first two are true boundaries; headings, JSON and line breaks are what gives
them away. A text is read in two forms: *as it stands*, and *alone*, its sentences one after the
other with a space between, without headings, notation and line breaks.

Formats: Markdown with ``#`` headings (the built-in articles), WikiText's ``= headings =``
(Chroma's wikitexts), and lists of messages in JSON or in Python's own notation (the built-in chats;
Chroma's chat logs, the last of which breaks off).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from chunkstudy.base.spans import Collection
from chunkstudy.chunkers.cutting_by_signal import within
from chunkstudy.collections import emma_files

HEADING = re.compile(r"(#+) ")
WIKI_HEADING = re.compile(r" ?(=(?: =)*) .*= ?$")
MESSAGE = re.compile(
    r"""["']content["']: (?:"((?:[^"\\]|\\.)*)(?:"|$)|'((?:[^'\\]|\\.)*)(?:'|$))""", re.DOTALL
)
BROKEN = re.compile(r"(?:\\n)+")
ESCAPES = {r"\"": '"', r"\'": "'", r"\\": "\\", r"\t": " ", r"\n": " "}
DOCUMENT, PART, PARAGRAPH = "document", "part", "paragraph"
RANKS = (PARAGRAPH, PART, DOCUMENT)


@dataclass(frozen=True, slots=True)
class Block:
    """``raw[start:end]`` is a paragraph; ``begins`` says what else begins with it: a ``document``
    (article, chat, chapter), a ``part`` of one (section, turn), or the ``paragraph`` alone."""

    start: int
    end: int
    begins: str


def markdown(raw: str, document: int, part: int) -> Iterator[Block]:
    """The paragraphs of a Markdown text.

    Args:
        raw: the text.
        document: the level of headings that begin a document.
        part: the level of those that begin a part; headings of other levels begin a paragraph.
    """
    levels = {document: DOCUMENT, part: PART}
    return _lines(raw, HEADING, lambda signs: levels.get(len(signs), PARAGRAPH))


def wikipedia(raw: str) -> Iterator[Block]:
    """The paragraphs of Wikipedia's articles as WikiText has them; sections of any depth are
    parts."""
    return _lines(raw, WIKI_HEADING, lambda signs: DOCUMENT if signs == "=" else PART)


def messages(raw: str) -> Iterator[Block]:
    """The paragraphs of conversations; each message begins a part, the first of a list a document.

    Backslashes stand in the text as in the file; :func:`unescaped` takes them out.
    """
    last = 0
    for message in MESSAGE.finditer(raw):
        begins = DOCUMENT if "[" in raw[last : message.start()] else PART
        last = message.end()
        start, end = message.span(1 if message[1] is not None else 2)
        for first, after in _between(BROKEN, raw, start, end):
            if stripped := raw[first:after].strip():
                first += raw[first:after].index(stripped)
                yield Block(first, first + len(stripped), begins)
                begins = PARAGRAPH


def unescaped(text: str) -> str:
    """What a message says, without the backslashes of its notation."""
    return re.sub(r"\\.", lambda found: ESCAPES.get(found[0], found[0]), text)


def _lines(raw: str, heading: re.Pattern[str], kind: Callable[[str], str]) -> Iterator[Block]:
    """Paragraphs, each beginning the most that the headings before it name."""
    begins, at = DOCUMENT, 0
    for line in raw.split("\n"):
        if found := heading.match(line):
            begins = max(begins, kind(found[1]), key=RANKS.index)
        elif stripped := line.strip():
            start = at + line.index(stripped)
            yield Block(start, start + len(stripped), begins)
            begins = PARAGRAPH
        at += len(line) + 1


def _between(gap: re.Pattern[str], raw: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in gap.finditer(raw, start, end):
        yield start, found.start()
        start = found.end()
    yield start, end


ALONE, STANDS = "text alone", "as it stands"
SENTENCE = "sentence"
WIKITEXT = 30_000
"""Characters of Chroma's wikitexts that are read; the corpus has 118,372."""
AROUND, PLACES, SEED = 2, 20, 0
"""Of Emma: candidates on either side of a chapter's end, and how many other places are drawn."""
QUOTED = re.compile(r"[.?!…]+[\"'”’)\]]+$")
MARKS = (".", "?", "!")
QUOTE, OTHER = "quote", "other"
Loaded = Callable[[str], Collection]


@dataclass(frozen=True)
class Text:
    """A text with its candidates.

    Attributes:
        name: where it is from.
        forms: the text by form.
        places: a row per candidate, ascending: ``text``, ``number`` (of the sentence behind it),
            ``begins``, ``document`` (the number of the one that the sentence behind it is in),
            ``mark`` (what the sentence before it ends with), ``before`` and ``after`` (characters
            of the two sentences), ``since`` (characters since the last true boundary).
        ends: by form, the character at which each candidate lies.
        sentences: all of the text, those between two candidates that are left out too.
    """

    name: str
    forms: dict[str, str]
    places: pd.DataFrame
    ends: dict[str, list[int]]
    sentences: list[str]


def every(load: Loaded) -> list[Text]:
    """All texts.

    Args:
        load: gives a collection by its name.
    """
    builtin = {one.id: one.text for one in load("builtin").documents}
    chroma = {one.id: one.text for one in load("chroma").documents}

    def joined(folder: str, between: str) -> str:
        """Documents in an order drawn once, since by name two chats on one subject would meet."""
        names = [name for name in builtin if name.startswith(folder)]
        order = np.random.default_rng(SEED).permutation(len(names))
        return between.join(builtin[names[i]] for i in order)

    articles, chats = joined("encyclopedia/", "\n\n"), joined("chatlogs/", "\n")
    logs, wiki = chroma["chatlogs"], chroma["wikitexts"][:WIKITEXT]
    load("gutenqa-emma")
    return [
        text("built-in articles", articles, markdown(articles, 1, 2)),
        text("chat logs", logs, messages(logs)),
        emma(),
        text("built-in chats", chats, messages(chats)),
        text("wikitexts", wiki, wikipedia(wiki)),
    ]


def emma() -> Text:
    """Emma around the ends of its chapters and at other places, drawn with a fixed seed. The
    release holds no headings; which chapter a paragraph is in stands beside it."""
    rows = emma_files.read("paragraphs")
    raw, found, last = "", [], None
    for row in rows:
        paragraph = str(row["Chunk"])
        if stripped := paragraph.strip():
            start = len(raw) + paragraph.index(stripped)
            begins = PARAGRAPH if row["Chapter"] == last else DOCUMENT
            found.append(Block(start, start + len(stripped), begins))
            last = row["Chapter"]
        raw += paragraph + "\n"
    whole = text("Emma", raw, found)
    kept = around(whole.places["begins"] == DOCUMENT, AROUND, PLACES, SEED).to_numpy()
    ends = {form: np.asarray(of)[kept].tolist() for form, of in whole.ends.items()}
    return replace(whole, places=whole.places[kept].reset_index(drop=True), ends=ends)


def around(true: pd.Series, reach: int, others: int, seed: int) -> pd.Series:
    """Which candidates lie within ``reach`` of a true one, or of one of ``others`` drawn."""
    drawn = np.random.default_rng(seed).choice(len(true), size=others, replace=False)
    kept = np.zeros(len(true), dtype=bool)
    for middle in (*np.flatnonzero(true), *drawn):
        kept[max(0, middle - reach) : middle + reach + 1] = True
    return pd.Series(kept)


def text(name: str, raw: str, found: Iterable[Block]) -> Text:
    """A text from its paragraphs."""
    alone, last = "", 0
    sentences: list[str] = []
    rows: list[dict[str, object]] = []
    ends: dict[str, list[int]] = {ALONE: [], STANDS: []}
    document, since, before = -1, 0, ""
    for block in found:
        for n, (first, after) in enumerate(within(raw[block.start : block.end])):
            said = raw[block.start + first : block.start + after]
            plain = " ".join(unescaped(said).split())
            begins = block.begins if n == 0 else SENTENCE
            document += begins == DOCUMENT
            if alone:
                ends[ALONE].append(len(alone))
                ends[STANDS].append(last)
                rows.append(
                    {
                        "text": name,
                        "number": len(ends[ALONE]),
                        "begins": begins,
                        "document": document,
                        "mark": mark(before),
                        "before": len(before),
                        "after": len(plain),
                        "since": len(alone) - since,
                    }
                )
                if begins in (DOCUMENT, PART):
                    since = len(alone)
            alone += f" {plain}" if alone else plain
            last, before = block.start + after, plain
            sentences.append(plain)
    return Text(name, {ALONE: alone, STANDS: raw}, pd.DataFrame(rows), ends, sentences)


def mark(sentence: str) -> str:
    """What a sentence ends with: one of ``MARKS``, ``quote`` where a quotation or bracket closes
    behind the mark, or ``other``."""
    if QUOTED.search(sentence):
        return QUOTE
    return sentence[-1:] if sentence[-1:] in MARKS else OTHER
