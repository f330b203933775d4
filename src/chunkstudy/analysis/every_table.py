"""Every table of the study by name, from records, published cells and studies."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from chunkstudy.analysis import (
    boundary_signals,
    boundary_signals_chunkers,
    chroma,
    chroma_bias,
    chroma_models,
    chroma_print,
    chroma_search,
    chunk_size,
    conformance,
    context_reach,
    contexts,
    empty_documents,
    equal_budget,
    generation,
    jina,
    labels,
    labels_power,
    language_models,
    language_models_answers,
    language_models_cost,
    late_against_whole,
    late_chunking,
    late_chunking_cut,
    late_chunking_excerpts,
    model_list,
    models,
    models_run,
    moderators,
    moderators_models,
    moderators_ranges,
    moderators_rows,
    one_post,
    papers,
    positions,
    prompted_breakpoints,
    published_facts,
    random_boundaries,
    reproduction,
    segmenter,
    taxonomy,
    trained_late_chunking,
    which_chunker,
    witnesses,
)
from chunkstudy.collections import covid_qa
from chunkstudy.grid import facts
from chunkstudy.grid.library import Library
from chunkstudy.places import Places
from chunkstudy.published import consistency, speeds
from chunkstudy.published import witnesses as leaderboard
from chunkstudy.published.cells import Cell, frame
from chunkstudy.published.verdicts import VERDICTS
from chunkstudy.studies import results

SEARCH = "chroma-search"


def make(
    places: Places, library: Library, cells: Sequence[Cell], comparison: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Every table; one whose records are missing is empty.

    Args:
        places: where facts and studies lie.
        library: the records.
        cells: the published cells.
        comparison: what became of them.
    """
    published = frame(cells)
    of_papers = facts.read(places, covid_qa.WITHIN)
    made = {
        "verdicts": verdict_counts(comparison),
        "published_consistency": consistency.consistency(published),
        "published_facts": published_facts.table(published),
        "chroma_collection": chroma.collection(facts.read(places, "chroma_counts")),
        "chroma_main": chroma.published_rows(comparison, "main"),
        "chroma_minilm": chroma.published_rows(comparison, "minilm"),
        "chroma_appendix": chroma.appendix(comparison),
        "chroma_lengths": chroma.lengths(library, published),
        "chroma_protocols": chroma.protocols(library),
        "chroma_token_unit": chroma.token_unit(library),
        "chroma_cost": chroma.cost(library),
        "chroma_minilm_verdicts": chroma_print.minilm_verdicts(comparison),
        "chroma_printed_twice": chroma_print.printed_twice(published),
        "chroma_token_windows": chroma_print.token_windows(places, library, cells),
        "chroma_cluster_sizes": chroma_print.cluster_sizes(library, published),
        "chroma_rerun": chroma_print.rerun(places, published),
        "chroma_scores": chroma.scores(library),
        **chroma_models.tables(library),
        "late_chunking_scores": late_chunking.scores(library),
        "late_chunking_gains": late_chunking.gains(library),
        "late_chunking_windows": late_chunking.windows(library),
        "late_chunking_tails": late_chunking.tails(library),
        "late_chunking_tail_gains": late_chunking.tail_gains(library),
        "late_chunking_protocols": late_chunking.protocols(library),
        "late_chunking_collections": late_chunking.facts(places),
        "late_chunking_emma": late_chunking.emma(library),
        "late_chunking_propositions": late_chunking.propositions(library),
        "late_chunking_excerpts": late_chunking_excerpts.excerpts(
            library, results.read(places, "cut-chunks", "chunkers")
        ),
        "late_chunking_cut": late_chunking_cut.by_window(
            library,
            results.read(places, "cut-chunks", "questions"),
            results.read(places, "cut-chunks", "chunkers"),
        ),
        "late_chunking_positions": positions.within_corpora(library),
        "papers_positions": positions.within_papers(library, of_papers),
        "late_chunking_excerpts_alike": results.read(places, "similarity", "windows"),
        "late_chunking_similarity": results.read(places, "similarity", "orderings").rename(
            columns={"n": "documents, of a book chunks"}
        ),
        "late_chunking_company": results.read(places, "packed-windows"),
        "late_chunking_depth": results.read(places, "depth"),
        "late_chunking_depth_changes": late_chunking.depth_changes(results.read(places, "depth")),
        **models.every(library, of_papers),
        "late_chunking_read_whole": late_against_whole.table(library, of_papers),
        "late_chunking_run": models_run.table(library),
        "late_chunking_conformance": conformance.decisions(
            results.read(places, "conformance", "scores")
        ),
        "late_chunking_layouts": conformance.against_plain(
            results.read(places, "conformance", "scores"), library
        ),
        "late_chunking_conformance_vectors": results.read(places, "conformance", "vectors"),
        **contexts.tables(library, of_papers),
        "contexts_prices": results.read(places, "context-prices", "requests"),
        "late_chunking_separated": conformance.separated(library, of_papers),
        "late_chunking_which_models": model_list.table(),
        **context_reach.tables(results.read(places, "bidirectionality")),
        "papers_gains": papers.gains(library, of_papers),
        "papers_against_paragraphs": papers.against_paragraphs(library, of_papers),
        "papers_release": facts.read(places, f"{covid_qa.ALL}_release"),
        "jina_berlin": jina.berlin(published, results.read(places, "berlin")),
        "jina_datasets": jina.datasets(published, library),
        "jina_length": jina.length(published),
        "jina_combinations": jina.combinations(published, library),
        "jina_comparisons": jina.comparisons(published),
        "witnesses": witnesses.table(leaderboard.read(places), library),
        "chunk_size_correlations": chunk_size.correlations(library, places, published),
    }
    searched = results.tables(places, SEARCH)
    bias = chroma_bias.rows(comparison, searched.get("spread", pd.DataFrame()))
    made |= {"chroma_bias_rows": bias, "chroma_bias": chroma_bias.tests(bias, library)}
    made |= _chroma_search(searched, cells, comparison)
    made |= taxonomy.tables(library, published)
    made |= empty_documents.tables(results.tables(places, "empty-documents"), published)
    made["reproduction_measures"] = reproduction.measures(library, published, comparison, made)
    made["which_chunker"] = which_chunker.which_chunker(
        library, published, made["chroma_cost"], made["late_chunking_collections"], of_papers
    )
    made["which_chunker_advice"] = which_chunker.advice(made["which_chunker"])
    made |= generation.tables(results.tables(places, "generated-questions"))
    made |= _language_models(places, library)
    made["segmenter_excerpts"] = segmenter.excerpts(library)
    made |= one_post.tables(results.tables(places, "one-post"))
    made |= prompted_breakpoints.tables(results.tables(places, "prompted-breakpoints"))
    made |= trained_late_chunking.tables(results.tables(places, "trained-late-chunking"))
    made |= boundary_signals.tables(results.tables(places, "boundary-signals"))
    made["boundary_signals_chunkers"] = boundary_signals_chunkers.table(library)
    made |= _controls(places) | _moderators(places, library) | _labels(places)
    return made | {"late_chunking_asked": models_run.asked(made)}


def verdict_counts(comparison: pd.DataFrame) -> pd.DataFrame:
    """Verdicts by work, table and encoder, beside how many cells there are and were run, and how
    many of the exact ones are scores of retrieval."""
    counts = (
        comparison.groupby(["work", "table", "encoder", "verdict"])
        .size()
        .unstack("verdict", fill_value=0)
        .reindex(columns=list(VERDICTS), fill_value=0)
    )
    cells = counts.sum(axis=1)
    scores = comparison["of_retrieval"] & (comparison["verdict"] == "exact")
    scores = scores.groupby([comparison[name] for name in counts.index.names]).sum()
    counts.insert(1, "exact scores of retrieval", scores)
    counts.insert(0, "cells", cells)
    counts.insert(1, "run", cells - counts["not_run"])
    every = pd.DataFrame([counts.sum()]).assign(work="all", table="", encoder="")
    return pd.concat([counts.reset_index(), every], ignore_index=True)[
        ["work", "table", "encoder", *counts.columns]
    ].rename_axis(columns=None)


def _chroma_search(
    study: dict[str, pd.DataFrame], cells: Sequence[Cell], comparison: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    names = [f"chroma_search{part}" for part in ("", "_settings", "_recalls", "_corpora")]
    if not study:
        return {name: pd.DataFrame() for name in names}
    found = chroma_search.Searched.of(comparison, cells, study["spread"])
    made = (
        chroma_search.cells(found),
        chroma_search.settings(found),
        chroma_search.recalls(found),
        chroma_search.corpora(found, study["missed"], study["moved"]),
    )
    return dict(zip(names, made, strict=True))


def _language_models(places: Places, library: Library) -> dict[str, pd.DataFrame]:
    """What follows from records; what stands beside predictions is added where these are known."""
    study = results.tables(places, "window-answers")
    measured = results.read(places, "chunking-speed")
    arms = language_models.arms(library, study, results.tables(places, "random-boundaries"))
    answers = language_models_answers.answers(places)
    return {
        "language_models_emma": language_models.side_by_side(arms),
        "language_models_bought": language_models.bought(arms),
        "language_models_replies": language_models_answers.replies(answers),
        "language_models_answers": language_models_answers.where(
            answers, study.get("answers", pd.DataFrame())
        ),
        "language_models_prices": language_models_cost.prices(places),
        "language_models_cost": language_models_cost.beside_score(
            library, places, measured, speeds.read(places), answers
        ),
    }


def _controls(places: Places) -> dict[str, pd.DataFrame]:
    drawn, read = (results.tables(places, one) for one in ("random-boundaries", "equal-budget"))
    nothing = pd.DataFrame()
    questions = read.get("questions", nothing)
    return {
        "random_boundaries": random_boundaries.table(
            drawn.get("questions", nothing), drawn.get("draws", nothing)
        ),
        "equal_budget_overlap": equal_budget.overlaps(questions),
        "equal_budget_sizes": equal_budget.sizes(questions, read.get("chunkers", nothing)),
    }


def _moderators(places: Places, library: Library) -> dict[str, pd.DataFrame]:
    rows = moderators_rows.rows(library, results.tables(places, "moderators"))
    return {
        "moderators": moderators.over_windows(rows),
        "moderators_by_window": moderators.by_window(rows),
        "moderators_between": moderators_models.between(rows),
        "moderators_predicted": moderators.predictions(rows),
        "moderators_ranges": moderators_ranges.ranges(rows),
    }


def _labels(places: Places) -> dict[str, pd.DataFrame]:
    records = labels.LabelRecords.read(places)
    scored = labels.scores(records)
    return {
        "labels_worked_example": labels.worked_example(places),
        "labels_scores": scored,
        "labels_by_chunk_size": labels.by_chunk_size(scored),
        "labels_macro_micro": labels.macro_micro(records),
        "labels_power": labels_power.queries_needed(records),
        "labels_power_curve": labels_power.power_curve(records),
    }
