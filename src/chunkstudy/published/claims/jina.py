"""Claims of Jina's two posts on late chunking, restated: "Late Chunking in Long-Context Embedding
Models" (August 2024) and "What Late Chunking Really Is & What It's Not: Part II" (October 2024).

nDCG@10 in percent.
"""

from __future__ import annotations

from typing import Any

from chunkstudy.published.claims import witnesses
from chunkstudy.published.claims.evidence import Evidence
from chunkstudy.published.claims.ledger import (
    Claims,
    Readings,
    fair,
    plain,
    strict,
)
from chunkstudy.published.claims.numbers import (
    correlation,
    listed,
    over,
    pick,
    spread,
    together,
    without,
)
from chunkstudy.published.claims.outcomes import in_parts, jointly
from chunkstudy.published.claims.predicates import (
    beyond,
    code,
    equal,
    every,
    most,
    once,
    reproduced,
    some,
)
from chunkstudy.runs.conditions import MINILM
from chunkstudy.runs.published_grid import E5_INSTRUCT as E5
from chunkstudy.runs.published_grid import JINA_SMALL as V2
from chunkstudy.runs.published_grid import JINA_V3 as V3
from chunkstudy.runs.published_grid import NOMIC

WORK = Claims("jina", (V2, "jinaai/jina-embeddings-v2-base-en", V3, NOMIC))
claim = WORK.claim

LATE, NAIVE = "contextualized", "pre_embedding"
LATE_CHUNKING, BOUNDARIES = "jina_1_late_chunking", "jina_2_boundaries_and_models"
SEGMENTING = "jina_3_segmenting_a_post"
EVALUATION = "First post, Quantitative Evaluation on BEIR"
BERLIN = "First post, Implementation and Qualitative Evaluation"
RESILIENT = "Second post, Late Chunking is Resilient to Poor Boundary Cues"
SUPPORTED = "Second post, Which Embedding Models Support Late Chunking?"
ARCHIVED = "The archived copy of the first post"
POINTS = "{:+.2f}"


def post(evidence: Evidence, chunker: str, ordering: str) -> Any:
    """nDCG@10 of the first post by collection."""
    keys = {"chunker": chunker, "ordering": ordering}
    return evidence.cells("jina/beir", "collection", measure="nDCG@10", **keys)


def gain(evidence: Evidence) -> Any:
    """Late minus naive chunking in the first post."""
    return post(evidence, "fixed-256", LATE) - post(evidence, "fixed-256", NAIVE)


def characters(evidence: Evidence) -> Any:
    """Mean length of a document as the first post states it, by collection."""
    return evidence.cells("jina/beir", "collection", measure="characters")


def combinations(evidence: Evidence, ordering: str) -> Any:
    """nDCG@10 of the second post's table by model, boundaries and collection."""
    return evidence.cells(
        "jina/combinations", "encoder", "chunker", "collection", ordering=ordering
    )


def gains(evidence: Evidence) -> Any:
    """Late minus naive chunking in the second post."""
    return combinations(evidence, LATE) - combinations(evidence, NAIVE)


def fixed_over_semantic(evidence: Evidence, semantic: str) -> Any:
    """Fixed lengths, late, minus semantic boundaries in one ordering, by model and collection."""
    late = pick(combinations(evidence, LATE), chunker="fixed-256")
    return late - pick(combinations(evidence, semantic), chunker="semantic")


def model_over_model(one: Any, other: Any, pairs: dict[str, tuple[str, str]]) -> Any:
    """Scores of one model minus those of another, by their names."""
    leads = {name: pick(one, encoder=a) - pick(other, encoder=b) for name, (a, b) in pairs.items()}
    return together("models", leads)


def segmentations(evidence: Evidence, value: str) -> Any:
    """A count of the post's segmentations."""
    return evidence.study("one-post/texts", "segmentation", value=value)


def after_replacing(evidence: Evidence, sentence: str) -> Any:
    """Similarity of each chunk's vector to itself after the first or last sentence is replaced."""
    return evidence.study("late-direction", "chunk", value=f"{sentence} replaced")


def gain_without_tails(evidence: Evidence) -> Any:
    """The low end of the gain where no last chunk is short."""
    return evidence.table(
        "late_chunking_gains", "encoder", "collection", "chunker", value="low",
        measure="nDCG@10", protocol="as_published-jina",
        chunker=["fixed-merged-256-64", "fixed-dropped-256-64"],
    )  # fmt: skip


@claim("C57", f"{BERLIN}, table", LATE_CHUNKING)
def similarities_of_berlin(evidence: Evidence) -> Readings:
    """Six cosine similarities of "Berlin" to three sentences, naive and late."""
    witness = witnesses.berlin_with_minilm(evidence.of_any_model)
    yield plain(reproduced(evidence, "jina/berlin"), witness=witness)


@claim("C58", BERLIN, LATE_CHUNKING)
def late_chunking_raises_similarities_of_berlin(evidence: Evidence) -> Readings:
    """Late chunking raises the similarity of the Berlin sentences, as one sees at once."""
    late, naive = (evidence.cells("jina/berlin", "chunker", ordering=o) for o in (LATE, NAIVE))
    found = every(late - naive, "change:", "{:+.3f}", above=0)
    yield plain(found, witness=witnesses.berlin_with_minilm(evidence.of_any_model))


@claim("C59", f"{EVALUATION}, table", LATE_CHUNKING)
def fifteen_scores_of_beir(evidence: Evidence) -> Readings:
    """Fifteen nDCG@10 of five BEIR collections: naive, late and no chunking."""
    witness = witnesses.gains_with_minilm(evidence.of_any_model, "as_published-jina")
    yield plain(reproduced(evidence, "jina/beir", measure="nDCG@10"), witness=witness)


@claim("C60", f"{EVALUATION}, table", LATE_CHUNKING)
def lengths_of_documents(evidence: Evidence) -> Readings:
    """Documents have 1498.4, 1116.7, 767.2, 1589.8 and 62.2 characters on average."""
    # Title and text; documents of FiQA and Quora have no title. MTEB counts a space between title
    # and text where both are there, which is so for most of TREC-COVID's documents.
    told = characters(evidence)
    form = "{:.1f}"
    counted = evidence.study("document-lengths", "collection", value="mean characters")
    fiqa, quora, covid = (
        (evidence.code_number(f"mteb-characters-{name}"), pick(told, collection=name))
        for name in ("fiqa", "quora", "trec-covid")
    )
    spaces = covid[0] - covid[1]
    found = jointly(
        equal(counted, told, "counted here:", form, digits=1),
        equal(*fiqa, digits=1, label="FiQA as MTEB counts it", form=form),
        equal(*quora, digits=1, label="Quora", form=form),
        every(spaces, "TREC-COVID, spaces counted, more by", form, at_least=0, at_most=1),
    )
    yield plain(found)


@claim("C61", EVALUATION, LATE_CHUNKING)
def late_chunking_improves_everywhere(evidence: Evidence) -> Readings:
    """Late chunking improves on naive chunking in all cases."""
    nowhere = every(gain(evidence), "gain in points:", POINTS, at_least=0)
    larger = every(gain(evidence), "gain in points:", POINTS, above=0)
    witness = witnesses.gains_with_minilm(evidence.of_any_model, "as_published-jina")
    yield fair("nowhere smaller", nowhere, witness=witness)
    yield strict("larger in each collection", larger)


@claim("C62", EVALUATION, LATE_CHUNKING)
def late_chunking_beats_whole_documents_in_places(evidence: Evidence) -> Readings:
    """In some collections late chunking also beats encoding whole documents."""
    lead = post(evidence, "fixed-256", LATE) - post(evidence, "none", NAIVE)
    yield plain(some(lead, "collections; late minus no chunking:", POINTS, above=0))


@claim("C63", EVALUATION, LATE_CHUNKING)
def not_chunking_is_best_elsewhere(evidence: Evidence) -> Readings:
    """In other collections not chunking at all is best."""
    naive, late = (post(evidence, "fixed-256", ordering) for ordering in (NAIVE, LATE))
    lead = post(evidence, "none", NAIVE) - naive.where(naive > late, late)
    yield plain(some(lead, "collections; no chunking minus the better of both:", POINTS, above=0))


@claim("C64", EVALUATION, LATE_CHUNKING)
def longer_documents_gain_more(evidence: Evidence) -> Readings:
    """The longer the documents, the more late chunking gains."""
    # The sentence tells of the post's five collections; other models and boundaries are witnesses.
    order = correlation(gain(evidence), characters(evidence), "collection")
    label = "rank correlation over the 5 collections of the post"
    found = every(order, label, "{:.2f}", at_least=1)
    r = correlation(gain(evidence), characters(evidence), "collection", "pearson")
    second = correlation(gains(evidence.beside), characters(evidence), "collection")
    label = "second post, nine rows of model and boundaries over 4 collections,"
    yield plain(found, listed(r, "r =", "{:.2f}"), witness=listed(second, label, "{:.2f}"))


@claim("C65", EVALUATION, LATE_CHUNKING, models="any")
def boundaries_come_from_an_expression(evidence: Evidence) -> Readings:
    """Boundaries come from a regular expression that makes strings of roughly 256 tokens."""
    # The one public expression is the segmenter's; it needs no model; its chunks are far smaller.
    parts = {
        "a regular expression": code(evidence, "jina-fixed-boundaries", "a regular expression"),
        "roughly 256 tokens": code(evidence, "jina-fixed-tokens", "256"),
    }
    size = evidence.beside.table("one_post_sizes", value="mean tokens", segmentation="segmenter")
    label = "tokens of a chunk that the segmenter's public expression draws on this post, mean:"
    yield plain(in_parts(parts), listed(size, label, "{:.1f}"))


@claim("C66", "First post, The Solution: Late Chunking", LATE_CHUNKING, models="any")
def late_chunks_depend_on_previous_ones(evidence: Evidence) -> Readings:
    """Each late chunk is conditioned on the previous ones."""
    # It is conditioned on later text as well, which the sentence does not deny; the second post
    # does. Any encoder-only transformer can show it.
    label = "similarity of a chunk's vector to itself after earlier text is replaced:"
    later = listed(after_replacing(evidence, "last"), "after later text is replaced:", "{:.3f}")
    yield plain(every(after_replacing(evidence, "first"), label, "{:.3f}", below=0.9999), later)


@claim("C67", f"{ARCHIVED}, headings of its segmentations", SEGMENTING)
def chunks_of_four_segmentations(evidence: Evidence) -> Readings:
    """The four segmentations have 4, 9, 7 and 118 chunks."""
    found, told = (segmentations(evidence, f"chunks {one}") for one in ("found", "stated"))
    yield plain(equal(found, told, form="{:.0f}"))


@claim("C68", f"{ARCHIVED}, its four segmentations", SEGMENTING)
def segmentations_are_of_one_article(evidence: Evidence) -> Readings:
    """The four segmentations are of one article."""
    # No sentence says it; that they stand below one headline does.
    added = segmentations(evidence, "characters added")
    foreign = every(added, "characters added:", "{:.0f}", at_most=0)
    kept = segmentations(evidence.beside, "characters kept")
    share = kept / segmentations(evidence.beside, "characters of the post")
    yield plain(foreign, listed(share, "share of the post's characters:", "{:.0%}"))


@claim("X10", "First post, Conclusion", LATE_CHUNKING)
def late_chunking_is_highly_effective(evidence: Evidence) -> Readings:
    """Late chunking is a highly effective answer to what naive chunking loses."""
    # Highly: where naive chunking falls behind whole documents, most of the way back.
    lost = post(evidence, "none", NAIVE) - post(evidence, "fixed-256", NAIVE)
    label = "share regained of what naive chunking loses against whole documents:"
    yield plain(every((gain(evidence) / lost)[lost > 0], label, "{:.2f}", above=0.5))


@claim("X15", "First post, Conclusion", LATE_CHUNKING)
def naive_chunks_lose_by_context(evidence: Evidence) -> Readings:
    """Naive chunks do worse because they lose context."""
    # A short last chunk is poor by itself; late chunking repairs it, and so does merging it.
    label = "low end of the gain without short tails:"
    found = once(
        every(gain_without_tails(evidence), label, "{:+.4f}", above=0),
        "records of jina-embeddings-v2-small-en with short last chunks merged or dropped, naive "
        "and late",
        "0 gains of Jina's models without short last chunks",
    )
    minilm = pick(gain_without_tails(evidence.of_any_model), encoder=f"{MINILM}-w512")
    label = "all-MiniLM-L6-v2, low end of late chunking's gain without short tails:"
    yield plain(found, witness=listed(minilm, label, "{:+.4f}"))


@claim("C131", RESILIENT, BOUNDARIES)
def models_profit_consistently(evidence: Evidence) -> Readings:
    """All three models consistently profit from late chunking in all collections."""
    means = over(gains(evidence), "chunker").mean()
    meaning = "each model in each collection, on average over the kinds of boundaries"
    witness = witnesses.gains_with_minilm(evidence.of_any_model, "as_published-jina")
    yield fair(meaning, every(means, "mean gain", POINTS, above=0, digits=3), witness=witness)
    yield strict("in each cell", every(gains(evidence), "gain", POINTS, above=0, digits=2))


@claim("C132", RESILIENT, BOUNDARIES)
def no_weaker_model_overtakes(evidence: Evidence) -> Readings:
    """No weaker model with late chunking beats a stronger one without."""
    pairs = {
        "v2-small and nomic": (V2, NOMIC), "v2-small and v3": (V2, V3), "nomic and v3": (NOMIC, V3),
    }  # fmt: skip
    late, naive = (combinations(evidence, ordering) for ordering in (LATE, NAIVE))
    leads = model_over_model(late, naive, pairs)
    label = "weaker and late minus stronger"
    means = every(over(leads, "collection").mean(), label, POINTS, at_most=0)
    cells = every(leads, label, POINTS, at_most=0, digits=2)
    yield fair("on average over the four collections", means)
    yield strict("with the same boundaries, in each collection", cells)


@claim("C133", RESILIENT, BOUNDARIES)
def fixed_late_beats_semantic_naive(evidence: Evidence) -> Readings:
    """Late chunking at fixed lengths beats naive chunking at semantic boundaries."""
    leads = fixed_over_semantic(evidence, NAIVE)
    on_average = every(over(leads, "collection").mean(), "mean lead in points:", POINTS, above=0)
    cells = every(leads, "lead in points", "{:+.1f}", above=0, digits=2)
    yield fair("each model on average", on_average)
    yield strict("for each model and collection", cells)


@claim("C134", RESILIENT, BOUNDARIES)
def fixed_does_as_well_when_late(evidence: Evidence) -> Readings:
    """With late chunking fixed lengths do as well as elaborate boundaries."""
    leads = fixed_over_semantic(evidence, LATE)
    on_average = every(leads.mean(), "fixed minus semantic, mean", POINTS, at_least=0)
    cells = every(leads, "fixed minus semantic", "{:+.1f}", at_least=0, digits=2)
    yield fair("no worse on average over models and collections", on_average)
    yield strict("no worse for each model and collection", cells)


@claim("C135", RESILIENT, BOUNDARIES)
def order_of_models(evidence: Evidence) -> Readings:
    """By their scores on MTEB the models rank v2-small, nomic-v1, v3."""
    # MTEB's average runs over dozens of tasks; the post's table holds four of them, chunked.
    naive = combinations(evidence, NAIVE)
    pairs = {"nomic over v2-small": (NOMIC, V2), "v3 over nomic": (V3, NOMIC)}
    leads = model_over_model(naive, naive, pairs)
    means = over(leads, "collection").mean()
    label = "mean lead of the stronger model"
    needs = "MTEB's average of each of the three models, from its leaderboard or their reports"
    why = "the average runs over tasks that this study does not hold"
    mteb = beyond(needs, "4 of its tasks stand in the post's table", why)
    witness = listed(leads, "lead of the stronger model in the post's own cells", "{:+.1f}")
    yield fair(
        "on average over the post's own collections", every(means, label, "{:+.1f}", above=0)
    )
    yield strict("by MTEB's average", mteb, witness=witness)


@claim("C136", "Second post, Late Chunking is Bidirectional", BOUNDARIES, models="any")
def late_chunks_depend_on_both_sides(evidence: Evidence) -> Readings:
    """A late chunk depends on text before and after it."""
    # Of any encoder-only transformer, the sentence says.
    later, earlier = (after_replacing(evidence, one) for one in ("last", "first"))
    label = "similarity of a chunk's vector to itself after later text is replaced:"
    parts = {
        "on text after it": every(later, label, "{:.3f}", below=0.9999),
        "on text before it": every(
            earlier, "after earlier text is replaced:", "{:.3f}", below=0.9999
        ),
    }
    yield plain(in_parts(parts))


@claim("C137", "Second post, Late Chunking vs. Contextual Retrieval", "contextual_retrieval")
def contextual_retrieval_behaves_alike(_: Evidence) -> Readings:
    """Anthropic's contextual retrieval behaves like late chunking."""
    found = beyond(
        "contexts by a language model such as Anthropic's (an API key), beside late chunking of "
        "the same chunks",
        "contexts by a model of 135 million parameters, none by one such as Anthropic's",
        "what a language model adds to a chunk differs from call to call and model to model, and "
        "the post gives none of it",
    )
    yield plain(found)


POOLED_OTHERWISE = (
    "BAAI/bge-small-en-v1.5", "BAAI/bge-base-en-v1.5", "Snowflake/snowflake-arctic-embed-m",
)  # fmt: skip


@claim("C138", SUPPORTED, BOUNDARIES, models=POOLED_OTHERWISE)
def other_poolings_cannot_be_used(evidence: Evidence) -> Readings:
    """Models that pool by CLS or maximum cannot be used for late chunking."""
    # The models named pool by CLS.
    keys = ("encoder", "collection", "chunker", "measure", "protocol", "ordering")
    high = evidence.table("late_chunking_gains", *keys, value="high")
    found = once(
        every(high, "high end of late chunking's gain", "{:+.3f}", below=0),
        "records of a model trained with CLS pooling, naive and late",
        "0 records of such a model",
    )
    yield plain(found)


@claim("C139", f"{RESILIENT}, table", BOUNDARIES)
def combination_table(evidence: Evidence) -> Readings:
    """72 nDCG@10 of three models, three kinds of boundaries and four collections."""
    yield plain(reproduced(evidence, "jina/combinations"))


@claim("X11", RESILIENT, BOUNDARIES)
def boundaries_are_varied(evidence: Evidence) -> Readings:
    """The study varies boundaries: fixed lengths, sentences and semantic ones."""
    keys = ("encoder", "ordering", "chunker", "collection")
    cells = evidence.cells("jina/combinations", *keys)
    rows = pick(cells, chunker="sentence-5") - pick(cells, chunker="semantic")
    apart = over(abs(rows), "collection").max()
    label = "difference of sentence and semantic rows"
    mostly = most(apart, f"rows; largest {label}", "{:.1f}", above=0, digits=2)
    always = every(apart, f"largest {label}", "{:.1f}", above=0, digits=2)
    yield fair("most rows differ", mostly)
    yield strict("no row of sentences repeats the row of semantic boundaries", always)


@claim("X12", "Second post, introduction", BOUNDARIES)
def context_matters_more_than_boundaries(evidence: Evidence) -> Readings:
    """Lost context is the more critical problem, boundaries the lesser one."""
    # As the post's table of four cases has it: context kept at poor boundaries against good
    # boundaries with context lost.
    late, naive = (over(combinations(evidence, one), "chunker") for one in (LATE, NAIVE))
    leads = late.min() - naive.max()
    label = "worst late minus best naive,"
    means = every(leads.mean(), f"{label} mean, points:", POINTS, above=0, digits=3)
    cells = every(leads, f"{label} points:", "{:+.1f}", above=0, digits=2)
    yield fair("on average over models and collections", means)
    yield strict(
        "for each model and collection, late at its worst boundaries beats naive at its best", cells
    )


@claim("X13", RESILIENT, BOUNDARIES)
def boundaries_matter_less_when_late(evidence: Evidence) -> Readings:
    """Late chunking makes boundaries matter less."""
    late, naive = (spread(combinations(evidence, one), "chunker") for one in (LATE, NAIVE))
    ranges = late - naive
    label = "range over boundaries, late minus naive:"
    yield fair("on average", every(ranges.mean(), f"mean {label}", POINTS, below=0))
    yield strict("for each model and collection", every(ranges, label, POINTS, below=0, digits=2))


@claim("X14", SUPPORTED, BOUNDARIES)
def short_windows_make_no_sense(evidence: Evidence) -> Readings:
    """Late chunking makes no sense for a model with a short window."""
    changes = evidence.cells("taxonomy/4", "encoder", chunker="average", collection="average")
    e5, least = pick(changes, encoder=E5), without(changes, encoder=E5).min()
    label = "E5's average change minus the smallest of the others, points of percent:"
    less = every(e5 - least, label, POINTS, below=0)
    label = "average change in the taxonomy's corpora with E5's 512 tokens:"
    witness = witnesses.gains_with_minilm(evidence.of_any_model, "corrected")
    yield fair("it gains less than each model of 8192", less, witness=witness)
    yield strict("a model of 512 tokens gains nothing", every(e5, label, "{:+.2f}%", at_most=0))
