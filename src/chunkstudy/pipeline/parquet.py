"""Parquet files: written whole or not at all, read with one sentence when something is wrong, and
known by a digest of what they hold, which no writer's version can change."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from chunkstudy.core.errors import RecordError
from chunkstudy.core.files import write_bytes

LEVEL = 19
"""Of zstd: a tenth smaller than the default and still read in a millisecond."""
KEY = ("chunker", "encoder", "ordering", "protocol")
"""The columns that say of every row of a collection's tables of which condition it is."""
Key = tuple[str, ...]


def write(path: Path, rows: pd.DataFrame | pa.Table, planes: Sequence[str] = ()) -> None:
    """Write the columns of a table, without a frame's index, in their order; they are on the disk
    before anything says that they are whole.

    Neither statistics nor pandas' own notes are stored: with a handful of rows they would outweigh
    the values.

    Args:
        planes: columns whose numbers are stored first byte by first byte, second by second, ...,
            which is smaller where many share their leading bytes; the others are stored as places
            in the list of their values, which is smaller where values recur.
    """
    framed = isinstance(rows, pd.DataFrame)
    table = pa.Table.from_pandas(rows, preserve_index=False) if framed else rows
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        compression_level=LEVEL,
        use_dictionary=[name for name in table.column_names if name not in planes],
        use_byte_stream_split=list(planes),
        write_statistics=False,
        store_schema=False,
    )
    write_bytes(path, buffer.getvalue(), durable=True)


def write_by_key(
    path: Path,
    rows: Mapping[Key, pd.DataFrame],
    columns: Sequence[Hashable],
    planes: Sequence[str] = (),
) -> None:
    """Write the rows of conditions, sorted by them, so that the order of running does not show; no
    file where there is no row."""
    if not rows:
        path.unlink(missing_ok=True)
        return
    frames = {key: rows[key].reindex(columns=list(columns)) for key in sorted(rows)}
    write(path, pd.concat(frames, names=list(KEY)).droplevel(-1).reset_index(), planes)


def read(path: Path) -> pd.DataFrame:
    """The table in a file, of which only numbers are missing anywhere.

    Raises:
        RecordError: if it is missing, or is not whole.
    """
    table = read_table(path)
    return pd.DataFrame({name: table[name].to_numpy() for name in table.column_names})


def read_by_key(path: Path) -> dict[Key, pd.DataFrame]:
    """The rows of conditions in their order, without the columns of the key; none where there is no
    file. A file that stands as it is is read once.

    Raises:
        RecordError: if it is not whole, or does not say whose its rows are.
    """
    return _read_by_key(path, *state(path)) if path.exists() else {}


def state(path: Path) -> tuple[int, int, int]:
    """What differs once a file is replaced."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


@lru_cache(maxsize=16)
def _read_by_key(path: Path, *_: int) -> dict[Key, pd.DataFrame]:
    table = read(path)
    if lacking := [name for name in KEY if name not in table]:
        raise RecordError(
            f"{path} is no table of records, since it lacks the column {lacking[0]}; restore it, "
            "or remove it and run its conditions again"
        )
    return {
        tuple(map(str, key)): rows.drop(columns=list(KEY)).reset_index(drop=True)
        for key, rows in table.groupby(list(KEY), sort=False)
    }


def read_table(path: Path) -> pa.Table:
    """The same as it lies there.

    Raises:
        RecordError: if it is missing, or is not whole.
    """
    try:
        return pq.ParquetFile(io.BytesIO(path.read_bytes())).read()
    except FileNotFoundError as error:
        raise RecordError(f"{path} is missing; run its conditions again") from error
    except (pa.ArrowException, OSError) as error:
        raise RecordError(
            f"{path} cannot be read as Parquet, perhaps because it was cut short; restore it, or "
            "remove it and run its conditions again"
        ) from error


def digest(table: pd.DataFrame) -> str:
    """sha256 of columns in the order of their names, a line of JSON each: name, then the values.

    A float stands as the shortest decimals that give it back, a missing one as ``NaN``.
    """
    total = hashlib.sha256()
    for name in sorted(map(str, table)):
        total.update(json.dumps([name, *table[name].tolist()]).encode("ascii") + b"\n")
    return total.hexdigest()
