"""The texts that signals are measured on, taken apart: what is text, what is markup, and which of
their candidates are true boundaries.

Every end of a sentence inside a text is a candidate. What begins behind it says what it is: a
``document`` (an article, a chat, a chapter), a ``part`` of one (a section, a turn), a ``paragraph``
or a ``sentence``. The first two are true boundaries; headings, JSON and line breaks are what gives
them away. So a text is its sentences alone, one after the other with a space between.

Formats: Markdown with ``#`` headings (the built-in articles), WikiText's ``= headings =``
(Chroma's wikitexts), and lists of messages in JSON or in Python's own notation (the built-in chats;
Chroma's chat logs, the last of which breaks off).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from chunkstudy.chunkers.semantic import punkt
from chunkstudy.collections import gutenqa
from chunkstudy.core.spans import Collection, Span

MESSAGE = re.compile(
    r"""["']content["']: (?:"((?:[^"\\]|\\.)*)(?:"|$)|'((?:[^'\\]|\\.)*)(?:'|$))""", re.DOTALL
)
BROKEN = re.compile(r"(?:\\n)+")
ESCAPES = {r"\"": '"', r"\'": "'", r"\\": "\\", r"\t": " ", r"\n": " "}
DOCUMENT, PART, PARAGRAPH, SENTENCE = "document", "part", "paragraph", "sentence"
RANKS = (PARAGRAPH, PART, DOCUMENT)
MARKDOWN = (re.compile(r"(#+) "), {"#": DOCUMENT, "##": PART}, PARAGRAPH)
WIKITEXT = (re.compile(r" ?(=(?: =)*) .*= ?$"), {"=": DOCUMENT}, PART)
"""Their headings, and what begins behind these, as :func:`headed` takes them."""
READ = 30_000
"""Characters of Chroma's wikitexts that are read; the corpus has 118,372."""
AROUND, PLACES, SEED = 2, 20, 0
"""Of Emma: candidates on either side of a chapter's end, and how many other places are drawn."""
ABBREVIATIONS = (
    "mr", "mrs", "ms", "messrs", "dr", "st", "prof", "rev", "capt", "col", "gen", "vs", "cf",
    "e.g", "i.e", "al", "fig", "lit", "approx",
)  # fmt: skip
"""What ends with a full stop that ends no sentence."""
LETTER = re.compile(r"[^\W\d_]")
QUOTED = re.compile(r"[.?!…]+[\"'”’)\]]+$")
Paragraph = tuple[str, str]
"""Its text, and what else begins with it: a ``document`` (article, chat, chapter), a ``part`` of
one (section, turn), or the ``paragraph`` alone."""


@dataclass(frozen=True)
class Text:
    """A text with its candidates.

    Attributes:
        name: where it is from.
        sentences: all of the text, those between two candidates that are left out too.
        places: a row per candidate, ascending: ``text``, ``number`` (of the sentence behind it),
            ``begins``, ``document`` (the number of the one that the sentence behind it is in),
            ``mark`` (what the sentence before it ends with), ``before`` and ``after`` (characters
            of the two sentences), ``since`` (characters since the last true boundary), and ``end``,
            the character of the whole text at which the candidate lies.
    """

    name: str
    sentences: list[str]
    places: pd.DataFrame

    @property
    def whole(self) -> str:
        """What a model reads."""
        return " ".join(self.sentences)


def every(load: Callable[[str], Collection]) -> list[Text]:
    """All texts.

    Args:
        load: gives a collection by its name.
    """
    builtin = {document.id: document.text for document in load("builtin").documents}
    chroma = {document.id: document.text for document in load("chroma").documents}

    def joined(folder: str, between: str) -> str:
        """Documents in an order drawn once, since by name two chats on one subject would meet."""
        names = [name for name in builtin if name.startswith(folder)]
        order = np.random.default_rng(SEED).permutation(len(names))
        return between.join(builtin[names[i]] for i in order)

    load("gutenqa-emma")
    return [
        text("built-in articles", headed(joined("encyclopedia/", "\n\n"), *MARKDOWN)),
        text("chat logs", messages(chroma["chatlogs"])),
        emma(),
        text("built-in chats", messages(joined("chatlogs/", "\n"))),
        text("wikitexts", headed(chroma["wikitexts"][:READ], *WIKITEXT)),
    ]


def headed(
    raw: str, heading: re.Pattern[str], levels: Mapping[str, str], deeper: str
) -> Iterator[Paragraph]:
    """The paragraphs of a text with headings, each beginning the most that those before it name.

    Args:
        raw: the text.
        heading: a line of one, whose first group holds its signs.
        levels: what begins behind a heading, by its signs.
        deeper: the same of all other signs.
    """
    begins = DOCUMENT
    for line in raw.split("\n"):
        if match := heading.match(line):
            begins = max(begins, levels.get(match[1], deeper), key=RANKS.index)
        elif line.strip():
            yield line.strip(), begins
            begins = PARAGRAPH


def messages(raw: str) -> Iterator[Paragraph]:
    """The paragraphs of conversations; each message begins a part, the first of a list a document.

    Backslashes stand in the text as in the file; :func:`unescaped` takes them out.
    """
    last = 0
    for message in MESSAGE.finditer(raw):
        begins = DOCUMENT if "[" in raw[last : message.start()] else PART
        last = message.end()
        for paragraph in BROKEN.split(message[1] if message[1] is not None else message[2]):
            if paragraph.strip():
                yield paragraph.strip(), begins
                begins = PARAGRAPH


def unescaped(text: str) -> str:
    """What a message says, without the backslashes of its notation."""
    return re.sub(r"\\.", lambda escape: ESCAPES.get(escape[0], escape[0]), text)


def emma() -> Text:
    """Emma around the ends of its chapters and at other places, drawn with a fixed seed. The
    release holds no headings; which chapter a paragraph is in stands beside it."""
    paragraphs, last = [], None
    for chapter, paragraph in gutenqa.sheet("paragraphs")[["Chapter", "Chunk"]].values.tolist():
        if stripped := paragraph.strip():
            begins = PARAGRAPH if chapter == last else DOCUMENT
            paragraphs.append((stripped, begins))
            last = chapter
    whole = text("Emma", paragraphs)
    drawn = np.random.default_rng(SEED).choice(len(whole.places), size=PLACES, replace=False)
    judged = np.zeros(len(whole.places), dtype=bool)
    for middle in (*np.flatnonzero(whole.places["begins"] == DOCUMENT), *drawn):
        judged[max(0, middle - AROUND) : middle + AROUND + 1] = True
    return replace(whole, places=whole.places[judged].reset_index(drop=True))


def text(name: str, paragraphs: Iterable[Paragraph]) -> Text:
    """A text from its paragraphs."""
    rows = [
        (" ".join(unescaped(paragraph[first:last]).split()), SENTENCE if n else begins)
        for paragraph, begins in paragraphs
        for n, (first, last) in enumerate(sentences(paragraph))
    ]
    table = pd.DataFrame(rows, columns=["sentence", "begins"])
    after = table["sentence"].str.len()
    # where the sentence before ends: behind all sentences so far and the spaces between them
    end = (after.cumsum() + table.index).shift(fill_value=0)
    boundary = end.where(table["begins"].isin([DOCUMENT, PART]))
    places = pd.DataFrame(
        {
            "text": name,
            "number": table.index,
            "begins": table["begins"],
            "document": (table["begins"] == DOCUMENT).cumsum() - 1,
            "mark": table["sentence"].map(mark).shift(),
            "before": after.shift(fill_value=0),
            "after": after,
            "since": end - boundary.ffill().shift(fill_value=0).astype(int),
            "end": end,
        }
    )
    # before the first sentence nothing ends
    return Text(name, table["sentence"].tolist(), places[1:].reset_index(drop=True))


def sentences(paragraph: str) -> list[Span]:
    """The sentences of a paragraph; between them lies nothing but white space.

    They are NLTK's Punkt's under a fixed list of abbreviations. What holds no letter, such as the
    number of a list item, belongs to the sentence that it precedes, and what begins with a small
    letter, as *said she* after a question, to the one before it.
    """
    joined: list[Span] = []
    begun: int | None = None
    for start, end in punkt(ABBREVIATIONS).span_tokenize(paragraph):
        begun = start if begun is None else begun
        if LETTER.search(paragraph, start, end):
            goes_on = bool(joined) and paragraph[begun].islower()
            joined.append((joined.pop()[0] if goes_on else begun, end))
            begun = None
    if begun is not None:
        first = joined.pop()[0] if joined else begun
        joined.append((first, len(paragraph.rstrip())))
    return joined


def mark(sentence: str) -> str:
    """What a sentence ends with: ``.``, ``?`` or ``!``, ``quote`` where a quotation or bracket
    closes behind the mark, or ``other``."""
    if QUOTED.search(sentence):
        return "quote"
    return sentence[-1] if sentence.endswith((".", "?", "!")) else "other"
