"""What a study left: its tables, and beside them ``provenance.json``, which says what made them.

The tables lie in ``results/studies/<study>/<table>.csv``, or ``.parquet`` where they are long.
``provenance.json`` refuses placeholders and holds a digest of each table, so that a number changed
by hand is found.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field, ValidationError

from chunkstudy.base.faults import first_fault
from chunkstudy.base.files import write_json, write_text
from chunkstudy.base.places import Places
from chunkstudy.runs import parquet
from chunkstudy.runs.records import Named, Natural, Sha256, Strict

PROVENANCE = "provenance.json"
LONG = 2_000
"""Rows above which a table is kept as Parquet: text of so many takes most of a megabyte."""
Kind = Literal["text", "integer", "number", "boolean"]
DTYPES: dict[str, Any] = {"text": str, "integer": "int64", "number": "float64", "boolean": bool}


class StudyError(RuntimeError):
    """A study or its notebook cannot go on; the message says what to do."""


class TableWritten(Strict):
    rows: Natural
    columns: Annotated[dict[Named, Kind], Field(min_length=1)]
    sha256: Sha256
    """Of the cells, row by row, however they are quoted; of a long table by ``parquet.digest``."""

    @property
    def long(self) -> bool:
        return self.rows > LONG


class Provenance(Strict):
    schema_version: Literal[1] = 1
    study: Named
    question: Named
    origin: Literal["run", "converted from the table of an earlier version; not run again"]
    collections: dict[Named, dict[str, Any]]
    """Digests and counts."""
    chunks: dict[Named, dict[str, Any]]
    """Digest and count, by collection, chunker, encoder and protocol; none of a converted study,
    since nothing had recorded them."""
    models: list[dict[str, Any]]
    """What :meth:`Encoder.describe` says of them."""
    sources: dict[Named, Sha256]
    """Files read that are no collection."""
    tables: Annotated[dict[Named, TableWritten], Field(min_length=1)]
    packages: Annotated[dict[Named, Named], Field(min_length=1)]
    python: Named
    platform: Named


def folder(places: Places, study: str) -> Path:
    return places.results / "studies" / study


def read(places: Places, study: str, table: str | None = None) -> pd.DataFrame:
    """A table of a study, its columns typed; an empty frame where the study was not run.

    Args:
        table: which of its tables; may be left out where it has one.

    Raises:
        StudyError: if the table is unknown, or was changed by hand.
    """
    study_folder = folder(places, study)
    if not (study_folder / PROVENANCE).exists():
        return pd.DataFrame()
    written = read_provenance(study_folder).tables
    if table is None and len(written) > 1:
        raise StudyError(f"study {study} has several tables; name one of {', '.join(written)}")
    name = table or next(iter(written))
    if name not in written:
        raise StudyError(f"study {study} has no table {name!r}, only {', '.join(written)}")
    path = file(study_folder, name, written[name])
    frame = _read(path, written[name])
    if frame is None:
        raise StudyError(
            f"{path} is not what its provenance recorded; run `chunkstudy study {study}` again"
        )
    return frame


def file(study_folder: Path, name: str, table: TableWritten) -> Path:
    """Where a table of a study lies."""
    return study_folder / f"{name}.{'parquet' if table.long else 'csv'}"


def _read(path: Path, written: TableWritten) -> pd.DataFrame | None:
    """A table; None where it is not what was written."""
    if written.long:
        try:
            frame = parquet.read(path)
        except parquet.RecordError:
            return None
        if parquet.digest(frame) != written.sha256:
            return None
        return frame.astype({name: DTYPES[kind] for name, kind in written.columns.items()})
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return parse(text, written.columns) if digest(text) == written.sha256 else None


def tables(places: Places, study: str) -> dict[str, pd.DataFrame]:
    """Every table of a study by name; none where it was not run."""
    study_folder = folder(places, study)
    written = read_provenance(study_folder).tables if (study_folder / PROVENANCE).exists() else {}
    return {name: read(places, study, name) for name in written}


def read_provenance(study_folder: Path) -> Provenance:
    """The checked ``provenance.json`` of a study's folder.

    Raises:
        StudyError: if it is malformed.
    """
    path = study_folder / PROVENANCE
    try:
        return Provenance.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as error:
        where, fault = first_fault(error)
        raise StudyError(f"{path} is not valid ({where}: {fault})") from error


def write(
    study_folder: Path, tables: dict[str, pd.DataFrame], made_by: dict[str, Any]
) -> Provenance:
    """Write tables and provenance, which comes last, since it says that the rest is whole.

    Args:
        study_folder: the study's folder; tables of an earlier run that are no more are removed.
        tables: by name; numbers are written to eight significant digits.
        made_by: the fields of :class:`Provenance` except ``tables``.

    Raises:
        ValidationError: if a field is missing or a placeholder.
    """
    contents: dict[str, pd.DataFrame | str] = {}
    written: dict[str, TableWritten] = {}
    for name, table in tables.items():
        text, columns = (
            table.to_csv(index=False, lineterminator="\n", float_format="%.8g"),
            kinds(table),
        )
        content = contents[name] = parse(text, columns) if len(table) > LONG else text
        sha = digest(content) if isinstance(content, str) else parquet.digest(content)
        written[name] = TableWritten(rows=len(table), columns=columns, sha256=sha)
    provenance = Provenance(**made_by, tables=written)
    (study_folder / PROVENANCE).unlink(missing_ok=True)
    paths = {name: file(study_folder, name, table) for name, table in written.items()}
    for name, path in paths.items():
        content = contents[name]
        if isinstance(content, str):
            write_text(path, content)
        else:
            parquet.write(
                path, content, [str(column) for column in content.select_dtypes("number")]
            )
    for path in {*study_folder.glob("*.csv"), *study_folder.glob("*.parquet")} - set(
        paths.values()
    ):
        path.unlink()
    write_json(study_folder / PROVENANCE, provenance.model_dump(mode="json", exclude_none=True))
    return provenance


def kinds(table: pd.DataFrame) -> dict[str, Kind]:
    """What each column holds."""
    by_column: dict[str, Kind] = {}
    for name, column in table.items():
        if pd.api.types.is_bool_dtype(column):
            by_column[str(name)] = "boolean"
        elif pd.api.types.is_integer_dtype(column):
            by_column[str(name)] = "integer"
        else:
            number = pd.api.types.is_float_dtype(column)
            by_column[str(name)] = "number" if number else "text"
    return by_column


def parse(text: str, columns: dict[str, Kind]) -> pd.DataFrame:
    """A table from its text: missing numbers are NaN, missing words empty."""
    return pd.read_csv(
        io.StringIO(text),
        dtype={name: DTYPES[kind] for name, kind in columns.items()},
        keep_default_na=False,
        na_values={name: [""] for name, kind in columns.items() if kind == "number"},
    )


def digest(text: str) -> str:
    """sha256 over the cells of a CSV, row by row."""
    rows = csv.reader(io.StringIO(text, newline=""))
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    return hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()
