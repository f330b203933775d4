"""The table of chunkers. To add one: write its function, then its line in ``CHUNKERS``.

What stands here only hands a job to the chunker's own function, in the file of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

from chunkstudy.base.protocols import Protocol
from chunkstudy.base.spans import Drawn, RewrittenSpan, Span
from chunkstudy.base.tokens import TokenCounter, counter, decode_cl100k, encode_cl100k
from chunkstudy.chunkers import (
    breakpoints,
    handmade,
    llm_windows,
    lumberchunker,
    lumberchunker_controls,
    lumberchunker_published,
    passages,
    propositions,
    released,
    sections,
    segmenter,
    segmenter_api,
    semantic,
    structure,
)
from chunkstudy.chunkers.signals.candidates import sentences
from chunkstudy.chunkers.signals.cutting import cut
from chunkstudy.chunkers.text_tokens import token_spans
from chunkstudy.collections import gutenqa
from chunkstudy.encoders.interface import Embed, TextTokens
from chunkstudy.llm.causal_models import SMOLLM
from chunkstudy.llm.interface import Ask

Strengths = Callable[[str, Sequence[int], str], Sequence[float]]
"""Of a text, characters at which it could be cut, and the name of a signal: how strong it is at
each of them, NaN where it was not measured."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a chunker is given: a text, its name, sizes and length function, how to embed, how to
    ask a language model and which, whether ielab's code would show it sentences, and how strong a
    signal is at given ends."""

    text: str
    name: str
    sizes: tuple[int, ...]
    length: str
    protocol: Protocol
    embed: Embed
    tokenizer: TextTokens
    ask: Ask
    model: str
    sentences: bool
    strengths: Strengths

    @property
    def spans(self) -> list[Span]:
        """The characters of each of the text's tokens."""
        return token_spans(self.text, self.tokenizer)

    @property
    def quirks(self) -> bool:
        """Whether the official algorithm's faults are kept."""
        return self.protocol.quirks

    @property
    def count(self) -> TokenCounter:
        """The length function, ready to count."""
        return counter(self.length)


Split = Callable[[Job], list[RewrittenSpan]]

GEMINI = "gemini/gemini-2.5-flash"
"""What the taxonomy asks (Beyond Chunk-Then-Embed, Section 3.2)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A chunker in the table.

    Attributes:
        split: text to (start, end, text as the official code puts it together).
        sizes: how many numbers its slug has; a draw's number is one too.
        lengths: the length functions it can be measured in, the usual one first.
        needs_encoder: whether it places boundaries by embeddings.
        passes: how often it embeds the text to do so, for estimates of cost.
        windows: of a text, all that it embeds to do so, where that is known beforehand and can be
            encoded for a whole collection at once.
        overlaps: whether the second size is an overlap of neighbouring chunks.
        decodes: whether Jina's plain arm puts its tokens back into text.
        rewrites: whether its text is its own under every protocol, beside its parent's span.
        segments: the collections it knows, where it does not chunk any text.
        llm: the language model that the paper let draw the boundaries, by provider and name.
        control: whether it only stands against others and nobody would use it.
        reader: the causal model that reads the text for its signals, by hub id.
    """

    split: Split
    sizes: int
    lengths: tuple[str, ...] = ("cl100k", "wordpiece", "wordpiece-special", "characters")
    needs_encoder: bool = False
    passes: float = 0.0
    windows: Callable[[str], list[str]] | None = None
    overlaps: bool = False
    decodes: bool = False
    rewrites: bool = False
    segments: tuple[str, ...] = ()
    llm: str = ""
    control: bool = False
    reader: str = ""


def _recursive(job: Job) -> list[RewrittenSpan]:
    size, overlap = job.sizes
    spans = structure.recursive(job.text, size=size, overlap=overlap, count=job.count)
    return _source(job.text, spans)


def _token(job: Job) -> list[RewrittenSpan]:
    size, overlap = job.sizes
    spans = structure.token(job.text, size=size, overlap=overlap, tokenizer=job.length)
    if job.length != "cl100k":
        return [(start, end, job.text[start:end]) for start, end in spans]
    ids = structure.windows(encode_cl100k(job.text), size, overlap)
    return [(*span, decode_cl100k(i)) for span, i in zip(spans, ids, strict=True)]


def _kamradt(job: Job) -> list[RewrittenSpan]:
    return _join(job.text, *semantic.kamradt(job.text, embed=job.embed))


def _of_size(method: Callable[..., tuple[list[Span], list[int]]], job: Job) -> list[RewrittenSpan]:
    (size,) = job.sizes
    grouped = method(job.text, embed=job.embed, size=size, count=job.count, quirks=job.quirks)
    return _join(job.text, *grouped)


def _none(job: Job) -> list[RewrittenSpan]:
    return _source(job.text, passages.none(job.text))


def _paragraph(job: Job) -> list[RewrittenSpan]:
    return _source(job.text, passages.paragraphs(job.text))


def _markdown(job: Job) -> list[RewrittenSpan]:
    (size,) = job.sizes
    return _source(job.text, sections.sections(job.text, size=size, count=job.count))


def _fixed(job: Job) -> list[RewrittenSpan]:
    (size,) = job.sizes
    first = size + 1 if job.protocol.form == "ielab" else size
    return _source(job.text, passages.fixed(job.spans, size, first))


def _fixed_merged(job: Job) -> list[RewrittenSpan]:
    return _source(job.text, passages.fixed_merged(job.spans, *job.sizes))


def _fixed_dropped(job: Job) -> list[RewrittenSpan]:
    return _source(job.text, passages.fixed_dropped(job.spans, *job.sizes))


def _sentence(job: Job) -> list[RewrittenSpan]:
    (group,) = job.sizes
    if job.protocol.form == "ielab":
        return passages.ielab_sentences(job.text, group)
    keeps_tail = job.protocol.form == "own"
    spans = passages.sentence_groups(job.text, job.spans, group, keeps_tail)
    return _source(job.text, spans)


def _semantic(job: Job) -> list[RewrittenSpan]:
    if not job.text and job.protocol.form != "own":
        return [(0, 0, "")]
    return _join(job.text, *semantic.percentile(job.text, embed=job.embed), between="")


def _segmenter(job: Job) -> Drawn[RewrittenSpan]:
    spans, by_none = segmenter.segments(job.text, keeps_all=not job.quirks)
    return Drawn(_source(job.text, spans), by_none)


def _segmenter_api(job: Job) -> list[RewrittenSpan]:
    return _source(job.text, segmenter_api.api().segments(job.text))


def _released(job: Job) -> list[RewrittenSpan]:
    return released.of_text(job.name, job.text).chunk(job.text)


def _handmade(job: Job) -> list[RewrittenSpan]:
    return _source(job.text, _segmented_by_hand().chunk(job.text))


@lru_cache(maxsize=1)
def _segmented_by_hand() -> handmade.Handmade:
    return handmade.load()


def _source(text: str, spans: list[Span]) -> list[RewrittenSpan]:
    return [(start, end, text[start:end]) for start, end in spans]


def _join(
    text: str, pieces: list[Span], starts: list[int], between: str = " "
) -> Drawn[RewrittenSpan]:
    """Chunks from their base pieces, which Chroma's and LangChain's code join by a space.

    A single piece has no neighbour to compare with and stays whole: a fallback.
    """
    chunks = [
        (
            pieces[first][0],
            pieces[after - 1][1],
            between.join(text[start:end] for start, end in pieces[first:after]),
        )
        for first, after in pairwise([*starts, len(pieces)])
    ]
    return Drawn(chunks, fallbacks=int(len(pieces) == 1))


def _sentence_propositions(job: Job) -> list[RewrittenSpan]:
    return passages.sentence_propositions(job.text)


def _lumberchunker(job: Job) -> Drawn[RewrittenSpan]:
    if job.protocol.form == "ielab":
        split = passages.ielab_sentences(job.text, 1) if job.sentences else _paragraph(job)
        hear = lumberchunker_published.hearing(job.ask, job.model, job.sentences)
        sizes = lumberchunker_published.sizes([text for *_, text in split], job.tokenizer)
        blocks, by_rule = lumberchunker_published.ielab([t for *_, t in split], sizes, hear)
    elif job.quirks:
        split = _paragraph(job)
        hear = lumberchunker_published.hearing(job.ask, job.model, temperature=0.1)
        blocks, by_rule = lumberchunker_published.authors([text for *_, text in split], hear)
    else:
        unit, spans = lumberchunker.units(job.text)
        split = _source(job.text, spans)
        choose = lumberchunker.asking(job.ask, job.model, unit)
        blocks = list(lumberchunker.blocks((text for *_, text in split), choose))
        by_rule = sum(block.by_rule for block in blocks)
    if not job.text and job.protocol.form == "ielab":
        return Drawn([(0, 0, "")], 0)
    return Drawn([_block(split, one.first, one.after) for one in blocks], by_rule)


def _last_candidates(job: Job) -> list[RewrittenSpan]:
    return _source(job.text, lumberchunker_controls.chunk(job.text, lumberchunker_controls.last))


def _random_candidates(job: Job) -> list[RewrittenSpan]:
    (draw,) = job.sizes
    answers = lumberchunker_controls.at_random(draw)
    return _source(job.text, lumberchunker_controls.chunk(job.text, answers))


def _block(units: list[RewrittenSpan], first: int, after: int) -> RewrittenSpan:
    """Units joined by line breaks, as both official codes join them."""
    start = units[first][0]
    end = units[after - 1][1] if first < after else start
    return start, end, "\n".join(text for *_, text in units[first:after])


def _propositions(job: Job) -> Drawn[RewrittenSpan]:
    official = job.protocol.form == "ielab"
    if not job.text and official:
        return Drawn([(0, 0, "")], 0)
    return propositions.chunk(job.text, job.ask, job.model, official)


def _breakpoints(kind: breakpoints.Kind, job: Job) -> Drawn[RewrittenSpan]:
    found = breakpoints.chunk(job.text, job.ask, job.model, kind)
    return Drawn(_source(job.text, found), found.fallbacks)


def _llm_windows(job: Job) -> Drawn[RewrittenSpan]:
    pieces = structure.pieces(job.text, job.count)
    texts = [job.text[start:end] for start, end in pieces]
    choose = llm_windows.asking(job.ask, job.model, texts, job.quirks)
    found, by_rule = llm_windows.splits(job.count.count_many(texts), choose)
    starts = sorted({0, *(one for one in found if 0 < one < len(pieces))})
    return Drawn(_join(job.text, pieces, starts) if pieces else [], by_rule)


SIGNAL = "signal-"


def _signal(job: Job) -> list[RewrittenSpan]:
    (size,) = job.sizes
    found = sentences(job.text)
    ends = [one.end for one in found[:-1]]
    strengths = job.strengths(job.text, ends, job.name.removeprefix(SIGNAL))
    return _source(job.text, cut(job.text, found, strengths, size=size, count=job.count))


CHUNKERS: dict[str, Entry] = {
    "recursive": Entry(_recursive, sizes=2, overlaps=True),
    "token": Entry(_token, sizes=2, lengths=("cl100k", "wordpiece"), overlaps=True),
    "kamradt": Entry(_kamradt, sizes=0, lengths=("cl100k",), needs_encoder=True, passes=3),
    "kamradt-modified": Entry(
        partial(_of_size, semantic.kamradt_modified), sizes=1, needs_encoder=True, passes=7
    ),
    "cluster": Entry(partial(_of_size, semantic.cluster), sizes=1, needs_encoder=True, passes=1),
    "none": Entry(_none, sizes=0),
    "paragraph": Entry(_paragraph, sizes=0),
    "markdown": Entry(_markdown, sizes=1),
    "fixed": Entry(_fixed, sizes=1, lengths=("wordpiece",), decodes=True),
    "fixed-merged": Entry(_fixed_merged, sizes=2, lengths=("wordpiece",), decodes=True),
    "fixed-dropped": Entry(_fixed_dropped, sizes=2, lengths=("wordpiece",), decodes=True),
    "sentence": Entry(_sentence, sizes=1, lengths=("wordpiece",), decodes=True),
    "semantic": Entry(
        _semantic,
        sizes=0,
        lengths=("cl100k",),
        needs_encoder=True,
        passes=3,
        windows=semantic.percentile_windows,
        decodes=True,
    ),
    "segmenter": Entry(_segmenter, sizes=0, lengths=("cl100k",)),
    "segmenter-api": Entry(_segmenter_api, sizes=0, lengths=("cl100k",)),
    handmade.LUMBERCHUNKER: Entry(_handmade, sizes=0, segments=("builtin", "builtin-graded")),
    "proposition-sentences": Entry(_sentence_propositions, sizes=0, rewrites=True),
    **{
        name: Entry(
            _released,
            sizes=0,
            rewrites=name == "proposition-released",
            segments=(gutenqa.EMMA, gutenqa.FULL),
        )
        for name in released.RELEASED
    },
    **{
        SIGNAL + name: Entry(_signal, sizes=1, lengths=("cl100k",), reader=SMOLLM)
        for name in ("attention-last", "influence", "surprisal")
    },
    "llm": Entry(_llm_windows, sizes=0, lengths=("cl100k",), llm="openai/gpt-4o"),
    "lumberchunker": Entry(_lumberchunker, sizes=0, lengths=("cl100k",), llm=GEMINI),
    "lumberchunker-last": Entry(_last_candidates, sizes=0, lengths=("cl100k",), control=True),
    "lumberchunker-random": Entry(_random_candidates, sizes=1, lengths=("cl100k",), control=True),
    **{
        f"breakpoints-{kind}": Entry(
            partial(_breakpoints, kind), sizes=0, lengths=("cl100k",), llm=GEMINI
        )
        for kind in breakpoints.TASKS
    },
    "proposition": Entry(_propositions, sizes=0, lengths=("cl100k",), rewrites=True, llm=GEMINI),
}
