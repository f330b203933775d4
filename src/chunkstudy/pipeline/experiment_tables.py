"""What a study left: its tables, and beside them ``provenance.json``, which says what made them.

The tables lie in ``results/studies/<study>/<table>.csv``, or ``.parquet`` where they are long.
``provenance.json`` holds a digest of each table, so that a number changed by hand is found.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from pathlib import Path
from typing import Any, Literal, TypedDict

import pandas as pd

from chunkstudy.core.errors import RecordError, StudyError
from chunkstudy.core.files import write_json, write_text
from chunkstudy.core.project import Project
from chunkstudy.pipeline import parquet

PROVENANCE = "provenance.json"
LONG = 2_000
"""Rows above which a table is kept as Parquet: text of so many takes most of a megabyte."""
Kind = Literal["text", "integer", "number", "boolean"]
DTYPES: dict[str, Any] = {"text": str, "integer": "int64", "number": "float64", "boolean": bool}
KINDS: dict[str, Kind] = {"i": "integer", "u": "integer", "f": "number", "b": "boolean"}
"""What a column holds by the kind of its dtype; of any other text."""


class TableWritten(TypedDict):
    """What the provenance says of a table; the digest is of the cells, row by row, however they are
    quoted, and of a long table by ``parquet.digest``."""

    rows: int
    columns: dict[str, Kind]
    sha256: str


def folder(places: Project, study: str) -> Path:
    return places.results / "studies" / study


def read(places: Project, study: str, table: str) -> pd.DataFrame:
    """A table of a study, its columns typed; an empty frame where the study was not run.

    Raises:
        StudyError: if the table is unknown, or was changed by hand.
    """
    study_folder = folder(places, study)
    written = tables_written(study_folder)
    if not written:
        return pd.DataFrame()
    if table not in written:
        raise StudyError(f"study {study} has no table {table!r}, only {', '.join(written)}")
    path = file(study_folder, table, written[table])
    frame = _read(path, written[table])
    if frame is None:
        raise StudyError(
            f"{path} is not what its provenance recorded; run `chunkstudy study {study}` again"
        )
    return frame


def file(study_folder: Path, name: str, table: TableWritten) -> Path:
    """Where a table of a study lies."""
    return study_folder / f"{name}.{'parquet' if table['rows'] > LONG else 'csv'}"


def _read(path: Path, written: TableWritten) -> pd.DataFrame | None:
    """A table; None where it is not what was written."""
    columns = written["columns"]
    if path.suffix == ".parquet":
        try:
            frame = parquet.read(path)
        except RecordError:
            return None
        if parquet.digest(frame) != written["sha256"]:
            return None
        return frame.astype({name: DTYPES[kind] for name, kind in columns.items()})
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return parse(text, columns) if digest(text) == written["sha256"] else None


def tables(places: Project, study: str) -> dict[str, pd.DataFrame]:
    """Every table of a study by name; none where it was not run."""
    return {name: read(places, study, name) for name in tables_written(folder(places, study))}


def tables_written(study_folder: Path) -> dict[str, TableWritten]:
    """What the provenance of a study says of its tables; none where it was not run."""
    written: dict[str, TableWritten] = provenance(study_folder).get("tables", {})
    return written


def provenance(study_folder: Path) -> dict[str, Any]:
    """What a study's folder says its tables were made with; nothing where it was not run.

    Raises:
        StudyError: if that is malformed.
    """
    path = study_folder / PROVENANCE
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise StudyError(f"{path} is not valid ({error})") from error
    return content


def write(
    study_folder: Path, tables: dict[str, pd.DataFrame], made_by: dict[str, Any]
) -> dict[str, Any]:
    """Write tables and provenance, which comes last, since it says that the rest is whole.

    Args:
        study_folder: the study's folder; tables of an earlier run that are no more are removed.
        tables: by name; numbers are written to eight significant digits.
        made_by: what the provenance says beside the digests of the tables, as
            ``study_runs.made_by`` does.
    """
    contents: dict[Path, pd.DataFrame | str] = {}
    written: dict[str, TableWritten] = {}
    for name, table in tables.items():
        text = table.to_csv(index=False, lineterminator="\n", float_format="%.8g")
        columns = {str(name): KINDS.get(dtype.kind, "text") for name, dtype in table.dtypes.items()}
        content = parse(text, columns) if len(table) > LONG else text
        sha = digest(content) if isinstance(content, str) else parquet.digest(content)
        written[name] = TableWritten(rows=len(table), columns=columns, sha256=sha)
        contents[file(study_folder, name, written[name])] = content
    (study_folder / PROVENANCE).unlink(missing_ok=True)
    for path, content in contents.items():
        if isinstance(content, str):
            write_text(path, content)
        else:
            parquet.write(path, content, list(map(str, content.select_dtypes("number"))))
    for path in {*study_folder.glob("*.csv"), *study_folder.glob("*.parquet")} - contents.keys():
        path.unlink()
    whole = {"schema_version": 1, **made_by, "tables": written}
    write_json(study_folder / PROVENANCE, whole)
    return whole


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
