"""Small Parquet files: written whole or not at all, read with one sentence when something is wrong,
and known by a digest of what they hold, which no writer's version can change."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from chunkstudy.base.files import write_bytes

LEVEL = 19
"""Of zstd: a tenth smaller than the default and still read in a millisecond."""


class RecordError(RuntimeError):
    """A record, or a part of one, that is missing, cut short or was changed by hand."""


def write(path: Path, frame: pd.DataFrame, planes: Sequence[str] = ()) -> None:
    """Write the columns of a frame, without its index, in their order; they are on the disk before
    anything says that they are whole.

    Neither statistics nor pandas' own notes are stored: with a handful of rows they would outweigh
    the values.

    Args:
        planes: columns whose numbers are stored first byte by first byte, second by second, ...,
            which is smaller where many share their leading bytes; the others are stored as places
            in the list of their values, which is smaller where values recur.
    """
    _write(path, pa.Table.from_pandas(frame, preserve_index=False), planes)


def write_table(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns whose values may be missing, None, whatever else they are."""
    _write(path, pa.table(dict(columns)))


def _write(path: Path, table: pa.Table, planes: Sequence[str] = ()) -> None:
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


def read(path: Path) -> pd.DataFrame:
    """The table in a file whose columns have no missing values but NaN.

    Raises:
        RecordError: if it is missing, or is not whole.
    """
    table = read_table(path)
    return pd.DataFrame({name: table[name].to_numpy() for name in table.column_names})


def read_table(path: Path) -> pa.Table:
    """The table in a file, as :func:`read` reads it."""
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
