"""The grid: what the study's own encoders run, per collection; the papers' own models stand in
``published_grid``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from chunkstudy.base.protocols import (
    AS_PUBLISHED_CHROMA,
    AS_PUBLISHED_IELAB,
    AS_PUBLISHED_JINA,
    AS_PUBLISHED_LUMBERCHUNKER,
    CORRECTED,
)
from chunkstudy.chunkers import contexts
from chunkstudy.collections import beir, covid_qa
from chunkstudy.runs.conditions import FOUR_BITS, MINILM, MPNET, NONE, Condition
from chunkstudy.runs.names import (
    CONTEXTUALIZED,
    PREPENDED,
    EncoderName,
    parse_encoder,
)
from chunkstudy.runs.published_grid import MAIN_SIZES, published_grid

MINILM_SIZES = ("250-125", "250-0", "200-0")

WIDE = f"{MINILM}-w512"
"""MiniLM with all its positions, so that a chunk of 256 tokens is read whole."""
SMOLLM = "local__QuantFactory__SmolLM2-135M-Instruct-GGUF"
SIGNAL_CHUNKERS = ("signal-attention-last-200", "signal-influence-200")
"""By the signal that tells boundaries best of those that one reading of a text gives, and by the
best of all, which takes another reading."""
PRE = "pre_embedding"
LATE = "contextualized-512"
BEIR_AT_HAND = tuple(name for name, source in beir.SOURCES.items() if source.laptop)
SMALL = ("scifact", "nfcorpus")
"""Where short tails are merged and dropped: late chunking gains nothing from fixed-size chunks on
ArguAna, and a record of its 1,406 queries takes half of a megabyte."""
PASSAGES = ("fixed-256", "sentence-5", "semantic")
TAILS = ("fixed-merged-256-64", "fixed-dropped-256-64")
SWEPT = ("none", "fixed-64", "fixed-256", "sentence-5")
Windows = Mapping[int, str]
"""Tokens read at once to an encoder's slug, ascending; the widest holds all its positions."""
WINDOWS = {128: f"{MINILM}-w128", 256: MINILM, 512: WIDE}
MPNET_WINDOWS = {
    window: str(EncoderName(parse_encoder(MPNET).model, window)) for window in (128, 256, 384, 512)
}
FOUR_BIT_WINDOWS = {
    window: str(EncoderName(parse_encoder(FOUR_BITS).model, window)) for window in (128, 256, 512)
}
EXCERPT_METHODS = (
    "paragraph",
    "sentence-5",
    "fixed-64",
    "fixed-256",
    "recursive-200-0",
    "cluster-200",
)
BESIDE = ("averaged", "packed", "0")
"""Layouts that every model reads, beside windows that share a quarter; 0: they share nothing."""
LAYOUT_METHODS = ("sentence-5", "fixed-64", "fixed-256")
"""Chunkers that every model reads in these layouts."""
PAPER_METHODS = (
    *EXCERPT_METHODS,
    "semantic",
    "recursive-400-0",
    "cluster-400",
    "kamradt",
    "kamradt-modified-300",
)
"""Of every chunker that needs no language model; tails stay, and overlap, which the budget of
tokens read decides, is another question."""
EMMA_METHODS = (
    "paragraph",
    "sentence-5",
    "fixed-256",
    "semantic",
    "lumberchunker-released",
    "proposition-released",
)
"""The taxonomy's six; LumberChunker and propositions as their authors released them."""
EMMA_RELEASED = ("semantic-released", "recursive-released", "fixed-released")
JINA, IELAB = AS_PUBLISHED_JINA.name, AS_PUBLISHED_IELAB.name
LUMBERCHUNKER, OWN = AS_PUBLISHED_LUMBERCHUNKER.name, CORRECTED.name


def chroma_grid() -> list[Condition]:
    """Chroma's MiniLM table, its model-free scores, the rows that settle its printed sizes, token
    windows as wide as that table's, whatever it says, and the segmenter, whose rules no work tried
    on excerpts."""
    simple = [f"{name}-{size}" for size in MAIN_SIZES for name in ("recursive", "token")]
    controls = [f"recursive-{size}-wordpiece" for size in MINILM_SIZES]
    model_free = simple + _small("") + _small("-wordpiece-special")[::2] + controls
    grid = _both("chroma", list(dict.fromkeys(model_free)), NONE, NONE)
    by_rules = [
        Condition("chroma", "segmenter", NONE, NONE, OWN),
        Condition("chroma", "segmenter", MINILM, PRE, OWN),
    ]
    windows = _both("chroma", ["token-222-0", "token-278-0", "token-278-139"], MINILM, PRE)
    return grid + chroma_tables_grid(MINILM) + windows + by_rules


def chroma_tables_grid(encoder: str) -> list[Condition]:
    """The chunkers of Chroma's MiniLM table with one encoder."""
    # MiniLM's printed sizes fit WordPiece lengths with [CLS] and [SEP]; the others are controls.
    chunkers = [*_small(""), "cluster-250", "cluster-200", *_small("-wordpiece-special")[::2]]
    chunkers += [*_small("-wordpiece")[1::2], "cluster-400", "kamradt", "kamradt-modified-300"]
    return _both("chroma", chunkers, encoder, PRE)


def builtin_grid() -> list[Condition]:
    """Token overlap on the built-in collection, for every chunker of Chroma's report."""
    chunkers = [
        "recursive-200-0",
        "recursive-400-200",
        "token-200-0",
        "token-250-125",
        "kamradt",
        "kamradt-modified-300",
        "cluster-200",
        "cluster-400",
    ]
    return _both("builtin", chunkers, MINILM, "pre_embedding")


def beir_grid(windows: Windows = WINDOWS) -> list[Condition]:
    """The BEIR sets at hand, both orderings, the protocols that differ.

    Without chunking they agree before encoding, and ielab's late arm is the plain embedding, cut.
    """
    wide = (windows[512],)
    grid = _cross(BEIR_AT_HAND, ("none",), wide, (PRE, LATE), (OWN,))
    grid += _cross(BEIR_AT_HAND, ("none",), wide, (LATE,), (JINA,))
    grid += _cross(BEIR_AT_HAND, PASSAGES, wide, (PRE, LATE), (JINA, OWN))
    grid += _cross(BEIR_AT_HAND, PASSAGES, wide, (PRE, LATE), (IELAB,))
    grid += _cross(SMALL, TAILS, wide, (PRE, LATE), (JINA, OWN))
    return grid + sweep_grid("scifact", windows)


def emma_grid(windows: Windows = WINDOWS) -> list[Condition]:
    """Emma: the six methods, both orderings, both ways to tell what is relevant."""
    emma, wide = ("gutenqa-emma",), (windows[512],)
    methods = EMMA_METHODS + EMMA_RELEASED
    grid = _cross(emma, methods, wide, (PRE, LATE), (IELAB, OWN))
    released = (*tuple(name for name in methods if name.endswith("-released")), "paragraph")
    grid += _cross(emma, released, wide, (PRE,), (LUMBERCHUNKER,))
    return grid + sweep_grid("gutenqa-emma", windows)


def sweep_grid(collection: str, windows: Windows = WINDOWS) -> list[Condition]:
    """The window from 128 to 512 tokens with one model, both orderings."""
    chunkers = SWEPT if collection != "gutenqa-emma" else (*SWEPT[1:], "paragraph")
    grid = []
    for window, encoder in windows.items():
        orderings = (PRE, f"contextualized-{window}")
        grid += _cross((collection,), chunkers, (encoder,), orderings, (OWN,))
    return grid


def excerpts_grid(windows: Windows = WINDOWS) -> list[Condition]:
    """Both orderings on Chroma's excerpts by window, in the query's own corpus and in all.

    The taxonomy finds that late chunking harms within a document, on books; Emma, the one at hand,
    has 30 questions. Chroma's corpora are five long texts with 472, so that each corpus, searched
    alone, is such a document.
    """
    grid = []
    for window, encoder in windows.items():
        orderings = [PRE, f"{CONTEXTUALIZED}-{window}"]
        grid += _cross(("chroma",), EXCERPT_METHODS, (encoder,), orderings, (OWN,))
        grid += _cross(("chroma-within",), EXCERPT_METHODS, (encoder,), orderings, (OWN,))
    return grid


def papers_grid(
    windows: Windows = WINDOWS, over_all: Iterable[int] = (128, 256, 512)
) -> list[Condition]:
    """Both orderings on COVID-QA by window, in the query's own paper and over all papers.

    A record over all papers takes 120 KB, so the six methods of Chroma's excerpts stand for all,
    and the second encoder reads them at its own window and its widest.
    """
    grid = []
    for window, encoder in windows.items():
        orderings = (PRE, f"{CONTEXTUALIZED}-{window}")
        grid += _cross((covid_qa.WITHIN,), PAPER_METHODS, (encoder,), orderings, (OWN,))
        if window in over_all:
            grid += _cross((covid_qa.ALL,), EXCERPT_METHODS, (encoder,), orderings, (OWN,))
    return grid


def layouts_grid(windows: Windows, chunkers: Iterable[str] = ()) -> list[Condition]:
    """How a document longer than the window is read within documents, by window: with every
    chunker for which both orderings are recorded, or with those given."""
    chunkers = tuple(chunkers)
    of_collection = {"chroma-within": EXCERPT_METHODS, covid_qa.WITHIN: PAPER_METHODS}
    grid = []
    for collection, window in product(of_collection, (128, 256, 512)):
        orderings = [f"{CONTEXTUALIZED}-{window}-{name}" for name in BESIDE]
        some = chunkers or of_collection[collection]
        grid += _cross((collection,), some, (windows[window],), orderings, (OWN,))
    return grid


def contexts_grid(windows: Windows, chunkers: Iterable[str]) -> list[Condition]:
    """Contexts before chunks, read in the widest window, where all of it fits; on the built-in
    collection both orderings beside them too, by window.

    No paper of COVID-QA marks its headings, and a record over all papers takes 120 KB, so that one
    chunker stands for all there. The language model that runs here writes contexts for the built-in
    collection, Chroma's corpora and COVID-QA's papers.
    """
    encoder = windows[512]
    chunkers = tuple(chunkers)
    free = tuple(f"{PREPENDED}-{source}" for source in contexts.FREE)
    grid = _cross(("chroma-within",), chunkers, (encoder,), free, (OWN,))
    headless = tuple(one for one in free if "head" not in one)
    grid += _cross((covid_qa.WITHIN,), chunkers, (encoder,), headless, (OWN,))
    grid += _cross((covid_qa.ALL,), chunkers[:1], (encoder,), headless, (OWN,))
    small = ("sentence-5", "fixed-64")
    for window, slug in windows.items():
        orderings = (PRE, f"{CONTEXTUALIZED}-{window}")
        grid += _cross(("builtin",), small, (slug,), orderings, (OWN,))
    grid += _cross(("builtin",), small, (encoder,), free, (OWN,))
    written = f"{PREPENDED}-by-{SMOLLM}"
    by_model = ("builtin", "chroma-within", covid_qa.WITHIN)
    return grid + _cross(by_model, ("sentence-5",), (encoder,), (written,), (OWN,))


def builtin_graded_grid() -> list[Condition]:
    """In-corpus retrieval of the built-in collection, run live by ``make reproduce``."""
    chunkers = (
        "none",
        "paragraph",
        "fixed-64",
        "sentence-5",
        "semantic",
        "lumberchunker-handmade",
        "proposition-sentences",
    )
    return _cross(("builtin-graded",), chunkers, (WIDE,), (PRE, LATE), (OWN,))


def language_model_grid() -> list[Condition]:
    """Boundaries by the language model that runs here: by its replies, as far as they are recorded,
    and by its signals; on Emma those of a control that reads nothing too, on Chroma's corpora those
    of its signals alone."""
    asked = f"lumberchunker-by-{SMOLLM}"
    emma = _cross(("gutenqa-emma",), (asked, "lumberchunker-last"), (WIDE,), (PRE, LATE), (OWN,))
    grid = _cross(("builtin-graded",), (asked, SIGNAL_CHUNKERS[0]), (WIDE,), (PRE, LATE), (OWN,))
    grid += _cross(("builtin",), (asked, *SIGNAL_CHUNKERS), (MINILM,), (PRE,), (OWN,))
    return grid + _cross(("chroma",), SIGNAL_CHUNKERS, (MINILM,), (PRE,), (OWN,)) + emma


def live_grid() -> list[Condition]:
    """What ``make reproduce`` runs live: every stage, small enough for minutes on two cores."""
    return builtin_grid() + builtin_graded_grid()


def witness_grid(encoder: str) -> list[Condition]:
    """What a public leaderboard scores too: no chunking, the model at its own window."""
    return _cross(BEIR_AT_HAND, ("none",), (encoder,), (PRE,), (OWN,))


def laptop_grid() -> list[Condition]:
    """What two cores finish in hours: MiniLM on the real collections at hand."""
    ours = chroma_grid() + excerpts_grid() + papers_grid() + beir_grid() + emma_grid()
    before = contexts_grid(WINDOWS, ("sentence-5", "fixed-256", "recursive-200-0"))
    return _once(ours + before + witness_grid(MINILM) + layouts_grid(WINDOWS))


def mpnet_grid() -> list[Condition]:
    """The second encoder: what MiniLM runs, and 384 tokens, its own window, in every sweep."""
    grid = (
        excerpts_grid(MPNET_WINDOWS)
        + papers_grid(MPNET_WINDOWS, (384, 512))
        + emma_grid(MPNET_WINDOWS)
    )
    grid += contexts_grid(MPNET_WINDOWS, ("sentence-5",))
    grid += layouts_grid(MPNET_WINDOWS, LAYOUT_METHODS)
    return grid + chroma_tables_grid(MPNET) + beir_grid(MPNET_WINDOWS) + witness_grid(MPNET)


def four_bits_grid() -> list[Condition]:
    """A third model, of another family, by window.

    It was to tell the window from the length of training texts, which its authors do not give
    (data/models.toml). The one to be had has four bits a weight, so it answers nothing else.
    """
    within = ("chroma-within", covid_qa.WITHIN)
    grid = _cross(("nfcorpus",), ("none",), (FOUR_BITS,), (PRE,), (OWN,))
    for window, encoder in FOUR_BIT_WINDOWS.items():
        orderings = (PRE, f"{CONTEXTUALIZED}-{window}")
        grid += _cross(within, EXCERPT_METHODS, (encoder,), orderings, (OWN,))
    grid += layouts_grid(FOUR_BIT_WINDOWS, LAYOUT_METHODS)
    return grid + sweep_grid("scifact", FOUR_BIT_WINDOWS)


def grid() -> list[Condition]:
    """Every condition of the study: the profile ``full``."""
    ours = laptop_grid() + mpnet_grid() + four_bits_grid()
    return _once(ours + live_grid() + language_model_grid() + published_grid())


def _cross(*parts: Iterable[str]) -> list[Condition]:
    return [Condition(*one) for one in product(*parts)]


def _once(conditions: Iterable[Condition]) -> list[Condition]:
    return list(dict.fromkeys(conditions))


def _both(collection: str, chunkers: list[str], encoder: str, ordering: str) -> list[Condition]:
    return [
        Condition(collection, chunker, encoder, ordering, protocol)
        for chunker in chunkers
        for protocol in (AS_PUBLISHED_CHROMA.name, CORRECTED.name)
    ]


def _small(length: str) -> list[str]:
    """Recursive and token chunkers by turns, at the sizes of the MiniLM table."""
    return [f"{n}-{size}{length}" for size in MINILM_SIZES for n in ("recursive", "token")]
