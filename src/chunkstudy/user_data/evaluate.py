"""``from chunkstudy import evaluate``: chunkers, encoders and orderings compared on somebody's own
documents and questions.

Everything is the study's own way: protocol ``corrected``, exact search, per-query scores, intervals
and tests. Without questions, chunks are screened by what no question is needed for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

from chunkstudy.collections import user_collections
from chunkstudy.collections.user_collections import Documents, Questions
from chunkstudy.collections.user_documents import EVALUATION
from chunkstudy.core.errors import UserError
from chunkstudy.core.files import write_json
from chunkstudy.core.project import project_or_working_folder
from chunkstudy.pipeline.conditions import MINILM_512
from chunkstudy.user_data import questions as questions_page
from chunkstudy.user_data import record, report, scripts
from chunkstudy.user_data.comparison import Evaluation, best_first, compare
from chunkstudy.user_data.output import output_folder
from chunkstudy.user_data.pipeline import Pipeline, Say, unread_share
from chunkstudy.user_data.reading_warnings import reading_warnings
from chunkstudy.user_data.recommendation import TOLERANCE, check_tolerance
from chunkstudy.user_data.systems import PLAIN, System, systems

CHUNKERS = ("recursive-200-0",)
ENCODERS = (MINILM_512,)
"""The study's setting: MiniLM reads 512 tokens, where its own configuration says 256."""
MISSING = (
    "questions are missing: name a file with --questions (docs/your-own-data.md shows its lines), "
    "or let a language model write some, `chunkstudy generate {} --model openai/gpt-4o-mini "
    "--dry-run`"
)


def evaluate(
    documents: Documents,
    questions: Questions = None,
    chunkers: Iterable[Any] | Mapping[str, Any] = CHUNKERS,
    encoders: Iterable[Any] = ENCODERS,
    *,
    orderings: Sequence[str] = (PLAIN,),
    k: int | None = None,
    max_tokens: int | None = None,
    budget: int = 0,
    base_url: str = "",
    seed: int = 0,
    name: str = "",
    output: str | Path | None = None,
    only_vectors: bool = False,
    rerank: Any = None,
    fresh: bool = False,
    tolerance: float = TOLERANCE,
    say: Say = lambda _: None,
    before_ranking: Callable[[Pipeline, Sequence[System]], object] = lambda *_: None,
) -> Evaluation:
    """Compare ways of chunking on your own documents and questions (docs/your-own-data.md).

    Args:
        documents: a folder of texts, a file with a document a line, a folder in BEIR's form, or
            texts by name.
        questions: a file with a question a line, or such questions; none where the documents
            bring theirs.
        chunkers: names of the catalogue, ``module:name``, functions from a text to texts or spans,
            LangChain text splitters, LlamaIndex node parsers, chonkie chunkers; as a mapping,
            under names of your own. ``sentence-1+paragraph`` matches one and returns the other.
        encoders: hub ids, folders, functions from texts to an array, pairs of such functions for
            documents and queries, ``bm25``, ``bm25+MODEL``, ``openai/MODEL``.
        orderings: ``plain``, ``late``, ``title``, ``headings``.
        k: chunks, or documents, that count as read, and then decide; without it 5, which are only
            shown beside, or 10 of whole documents, which decide.
        max_tokens: tokens returned that count as read of excerpts; 1,000 unless ``k`` is given.
        budget: the old name of ``max_tokens``.
        base_url: of the server that ``openai/MODEL`` is behind.
        seed: of the resamples behind the intervals.
        name: of the collection; after the documents if empty.
        output: the folder to write; below ``build/evaluations`` if none.
        only_vectors: leaves out BM25 and its fusion with each encoder, which else stand beside.
        rerank: a cross-encoder of the hub or in a folder, ``module:name``, or a function from a
            question and texts to a number for each text: every way stands there once more, its
            first 50 chunks in that order.
        fresh: ignore the vectors that were computed before this call.
        tolerance: points that a cheaper system may score lower than the best to be recommended.
        say: told how it goes.
        before_ranking: called with what is read and compared, before anything is ranked; what it
            raises ends the evaluation (:func:`~.gated.evaluate_gated` checks a baseline there).

    Raises:
        ValueError, RuntimeError, FileNotFoundError: in a sentence on what to do.
    """
    check_tolerance(tolerance)
    folder = output_folder(documents, name, output)
    pipeline, compared, notes = prepared(
        documents, questions, chunkers, encoders, orderings=orderings, k=k, max_tokens=max_tokens,
        budget=budget, base_url=base_url, name=name, only_vectors=only_vectors, rerank=rerank,
        fresh=fresh,
        say=say,
    )  # fmt: skip
    collection = pipeline.collection
    if not collection.queries:
        named = documents if isinstance(documents, str | Path) else "FOLDER"
        raise UserError(MISSING.format(named))
    for note in notes:
        say(note)
    before_ranking(pipeline, compared)
    results = pipeline.run(compared, say)
    unread = [unread_share(result.index, result.read) for result in results]
    warnings = reading_warnings(pipeline, [result.system for result in results], unread)
    described = record.describe(pipeline, results, notes, warnings, tolerance=tolerance, seed=seed)
    ranked = best_first(pipeline, results)
    evaluation = compare(pipeline, ranked, described, folder)
    # A killed run leaves a folder without a record, which no gate takes for a whole evaluation.
    (folder / EVALUATION).unlink(missing_ok=True)
    page = ""
    if pipeline.texts.task == "token_overlap":
        say("looking at the questions that are answered worst")
        page = questions_page.write(pipeline, ranked, folder).name
    record.write_rankings(folder, pipeline, results)
    report.write(evaluation, page)
    write_json(folder / EVALUATION, described)
    return evaluation


def prepared(
    documents: Documents,
    questions: Questions,
    chunkers: Iterable[Any] | Mapping[str, Any],
    encoders: Iterable[Any],
    *,
    orderings: Sequence[str] = (PLAIN,),
    k: int | None = None,
    max_tokens: int | None = None,
    budget: int = 0,
    base_url: str = "",
    name: str = "",
    only_vectors: bool = False,
    rerank: Any = None,
    fresh: bool = False,
    say: Say = lambda _: None,
) -> tuple[Pipeline, tuple[System, ...], tuple[str, ...]]:
    """What is read, what is compared, and in a sentence each what is left out of both. Arguments
    as :func:`evaluate` takes them."""
    if isinstance(chunkers, str) or isinstance(encoders, str) or isinstance(orderings, str):
        raise UserError("give chunkers, encoders and orderings as lists")
    for option, value in {"k": k, "max_tokens": max_tokens, "budget": budget}.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, Integral)):
            raise UserError(f"{option} must be a whole number, got {value!r}")
    texts = user_collections.read(documents, questions, name)
    collection = texts.collection
    say(f"{_counted(collection.documents, 'document')}, {_counted(collection.queries, 'question')}")
    max_tokens = _max_tokens(max_tokens, budget)
    pipeline = Pipeline(texts, project_or_working_folder().vectors, k, max_tokens, fresh=fresh)
    asked = bool(collection.queries)  # screening knows no ranking
    compared, notes = systems(
        chunkers,
        encoders,
        orderings,
        base_url,
        only_vectors=only_vectors or not asked,
        rerank=rerank if asked else None,
    )
    return pipeline, compared, (*texts.notes, *notes, *scripts.notes(pipeline, compared))


def _max_tokens(max_tokens: int | None, budget: int) -> int | None:
    """Return the tokens that count as read, whichever name gives them; 0 of the old one is none."""
    if max_tokens is not None and budget:
        raise UserError("--budget is the old name of --max-tokens; give only --max-tokens")
    return budget or None if max_tokens is None else max_tokens


def _counted(things: Sequence[object], name: str) -> str:
    return f"{len(things):,} {name}{'' if len(things) == 1 else 's'}"
