"""``chunkstudy reproduce`` and ``chunkstudy check``: everything derived, from records alone."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import pandas as pd

from chunkstudy import live, notebooks
from chunkstudy.analysis import chroma as tables
from chunkstudy.analysis import jina, late_chunking, taxonomy
from chunkstudy.analysis.which_chunker import advice, which_chunker
from chunkstudy.claims import ledger
from chunkstudy.files import write_text
from chunkstudy.grid import grids
from chunkstudy.places import Places
from chunkstudy.published.cells import frame, read
from chunkstudy.published.compare import Library, compare
from chunkstudy.published.consistency import consistency
from chunkstudy.render import jina_answers, latex, taxonomy_answers
from chunkstudy.render.figures import chroma as figures
from chunkstudy.render.findings import findings
from chunkstudy.render.labels_answers import tables as labels_tables
from chunkstudy.render.late_chunking_answers import answers
from chunkstudy.render.readme import fill
from chunkstudy.site import inspector
from chunkstudy.studies import results as studies

CAPTIONS = {
    "chroma_main": "Chroma's main table: published beside reproduced, in percent.",
    "chroma_minilm": "Chroma's MiniLM table: published beside reproduced, in percent.",
    "chroma_appendix": "Chroma's MiniLM appendix: recall, in percent.",
    "chroma_lengths": "Which length function prints the MiniLM table's chunk sizes.",
    "chroma_protocols": "The official protocol against the corrected one, in points.",
    "chroma_cost": "What each chunker costs.",
    "jina_berlin": "Jina's example: cosine of a sentence with the word Berlin.",
    "jina_datasets": "Jina's five collections: nDCG@10 in percent, MiniLM beside.",
    "jina_length": "The gain of late chunking against document length.",
    "jina_combinations": "Jina's combinations: nDCG@10 in percent, MiniLM below.",
    "jina_comparisons": "What Jina's second post says of its table, counted in it.",
    "late_chunking_gains": "Contextualized minus plain chunking, all-MiniLM-L6-v2, in percent.",
    "late_chunking_windows": "Contextualized minus plain chunking by window, in percent.",
    "late_chunking_tails": "Fixed-size chunks with short tails merged or dropped, in percent.",
    "late_chunking_protocols": "The official protocols against the corrected one, in percent.",
    "late_chunking_emma": "GutenQA's public book: DCG@10 and its ceiling, in percent.",
    "late_chunking_nan_guard": "Empty documents with and without a guard against NaN, in percent.",
    "late_chunking_excerpts": "Contextualized minus plain on Chroma's excerpts, in percent.",
    "late_chunking_positions": "The same by the positions at which tokens are read, in percent.",
    "late_chunking_company": "Chunks that have their window to themselves where chunks are packed.",
    "late_chunking_depth": "Chunks ranked before documents are scored by their best.",
    "late_chunking_similarity": "How alike the chunks of one document are.",
    "labels_by_chunk_size": "Chunk labels beside token overlap at five chunks, in percent.",
    "labels_macro_micro": "Recall of chunk labels at five chunks, averaged both ways, in percent.",
    "labels_power": "Queries needed to see a difference in recall at five chunks, in points.",
}


class CheckError(RuntimeError):
    """Something committed is not what the records give."""


def reproduce(places: Places) -> None:
    """Derive tables, comparison, LaTeX, figures, README's table, notebooks; run builtin live."""
    _say("tables")
    derive_tables(places)
    _say("figures")
    figures.write_all(places)
    _say("built-in collection, live")
    _say(live.compare_with_stored(places))
    _say(f"inspector: {inspector.write(places, 'builtin').relative_to(places.root)}")
    _say("notebooks")
    notebooks.run_all(places)
    _say(f"gallery: {notebooks.gallery(places).relative_to(places.root)}")


def derive_tables(places: Places) -> None:
    """Write ``results/tables``, ``comparison.csv``, ``claims.csv``, ``paper/generated``, README."""
    comparison = compare(places, Library(places))
    made = make_tables(places, comparison)
    _write_csv(comparison, places.results / "comparison.csv")
    claims = ledger.derive(places, comparison, made)
    _write_csv(claims, places.results / "claims.csv")
    for name, table in made.items():
        _write_csv(table, places.tables / f"{name}.csv")
        if name in CAPTIONS:
            text = latex.table(table, CAPTIONS[name], f"tab:{name}")
            write_text(places.generated / f"{name}.tex", text)
    taxonomy.write_layouts(places)
    write_text(places.generated / "numbers.tex", latex.macros(numbers(comparison, made)))
    readme = places.root / "README.md"
    if readme.exists():
        write_text(readme, fill(readme.read_text(encoding="utf-8"), comparison, claims, made))


def make_tables(places: Places, comparison: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by name."""
    made = {
        "chroma_collection": tables.collection(places),
        "chroma_main": tables.published_rows(comparison, "main"),
        "chroma_minilm": tables.published_rows(comparison, "minilm"),
        "chroma_appendix": tables.appendix(comparison),
        "chroma_lengths": tables.lengths(places),
        "chroma_protocols": tables.protocols(places),
        "chroma_token_unit": tables.token_unit(places),
        "chroma_cost": tables.cost(places),
        "chroma_approximate_search": tables.approximate(places),
        "chroma_scores": tables.scores(places),
    }
    library = Library(places)
    made |= {
        "late_chunking_scores": late_chunking.scores(library),
        "late_chunking_gains": late_chunking.gains(library),
        "late_chunking_windows": late_chunking.windows(library),
        "late_chunking_tails": late_chunking.tails(library),
        "late_chunking_tail_gains": late_chunking.tail_gains(library),
        "late_chunking_protocols": late_chunking.protocols(library),
        "late_chunking_collections": late_chunking.facts(places),
        "late_chunking_emma": late_chunking.emma(library),
        "late_chunking_propositions": late_chunking.propositions(library),
        "late_chunking_nan_guard": late_chunking.nan_guard(places),
        "late_chunking_excerpts": late_chunking.excerpts(places),
        "late_chunking_positions": late_chunking.positions(places),
        "late_chunking_excerpts_alike": studies.read(places, "similarity", "windows"),
        "late_chunking_company": studies.read(places, "packed-windows"),
        "late_chunking_depth": studies.read(places, "depth"),
        "late_chunking_similarity": studies.read(places, "similarity", "orderings"),
    }
    cells = frame(read(places))
    made |= {
        "jina_berlin": jina.berlin(cells, studies.read(places, "berlin")),
        "jina_datasets": jina.datasets(cells, library),
        "jina_length": jina.length(cells),
        "jina_combinations": jina.combinations(cells, library),
        "jina_comparisons": jina.comparisons(cells),
    }
    made["which_chunker"] = which_chunker(library, cells, made["chroma_cost"])
    made["which_chunker_advice"] = advice(made["which_chunker"])
    made["jina_answers"] = jina_answers.answers(made)
    made |= taxonomy.tables(library, places, comparison)
    made["published_audit"] = consistency(cells)
    made["late_chunking_answers"] = answers(made)
    made["taxonomy_answers"] = taxonomy_answers.answers(cells, made)
    made |= labels_tables(places)
    made["findings"] = findings(comparison, made)
    made["verdicts"] = verdict_counts(comparison)
    return made


def verdict_counts(comparison: pd.DataFrame) -> pd.DataFrame:
    """Verdicts by work, table and encoder."""
    return (
        comparison.groupby(["work", "table", "encoder", "verdict"])
        .size()
        .unstack("verdict", fill_value=0)
        .reindex(columns=["exact", "within_noise", "deviates", "not_run"], fill_value=0)
        .reset_index()
    )


def numbers(comparison: pd.DataFrame, made: dict[str, pd.DataFrame]) -> dict[str, str]:
    """Every number the prose uses, by name."""
    found = {f"verdict {v}": str(n) for v, n in comparison["verdict"].value_counts().items()}
    found["published cells"] = str(len(comparison))
    found["conditions"] = str(len(grids.grid()))
    for _, row in made["chroma_collection"].iterrows():
        found[f"tokens {row['part']}"] = f"{row['tokens']}"
    return found


def check(places: Places) -> str:
    """Derive everything into a copy and compare bytes.

    Raises:
        CheckError: naming the files that differ.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Places(Path(folder))
        for name in ("results", "notebooks", "figures", "paper"):
            if (places.root / name).exists():
                shutil.copytree(places.root / name, copy.root / name)
        shutil.copy(places.root / "README.md", copy.root / "README.md")
        derive_tables(copy)
        figures.write_all(copy)
        changed = sorted(
            path.relative_to(copy.root).as_posix()
            for path in copy.root.rglob("*")
            if path.is_file() and not _same(path, places.root / path.relative_to(copy.root))
        )
    if changed:
        raise CheckError(
            f"{len(changed)} files are not what the records give, first {changed[0]}; run "
            "`make reproduce` and commit the result"
        )
    return "tables and figures are what the records give"


def _same(path: Path, other: Path) -> bool:
    return other.is_file() and path.read_bytes() == other.read_bytes()


def _write_csv(table: pd.DataFrame, path: Path) -> None:
    write_text(path, table.to_csv(index=False, lineterminator="\n"))


def _say(text: str) -> None:
    print(text, file=sys.stderr)
