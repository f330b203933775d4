"""Small Parquet files: written whole or not at all, read with one sentence when something is wrong,
and known by a digest of what they hold, which no writer's version can change."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from chunkstudy.files import write_bytes

LEVEL = 19
"""Of zstd: a tenth smaller than the default and still read in a millisecond."""


class RecordError(RuntimeError):
    """A record, or a part of one, that is missing, cut short or was changed by hand."""


def write(path: Path, frame: pd.DataFrame) -> None:
    """Write the columns of a frame, without its index, in their order.

    Neither statistics nor pandas' own notes are stored: with a handful of rows they would outweigh
    the values. Bytes of numbers are written plane by plane where that compresses better, which is
    where many values share their leading bytes: 32 bits, not the full mantissas of scores.
    """
    table = pa.Table.from_pandas(frame, preserve_index=False)
    planes = [field.name for field in table.schema if field.type in (pa.int32(), pa.float32())]
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        compression_level=LEVEL,
        use_dictionary=False,
        use_byte_stream_split=planes,
        write_statistics=False,
        store_schema=False,
    )
    write_bytes(path, buffer.getvalue())


def read(path: Path) -> pd.DataFrame:
    """The columns of a file.

    Raises:
        RecordError: if it is missing, or is not whole.
    """
    try:
        table = pq.read_table(io.BytesIO(path.read_bytes()))
    except FileNotFoundError as error:
        raise RecordError(f"{path} is missing; run its condition again") from error
    except (pa.ArrowException, OSError) as error:
        raise RecordError(
            f"{path} cannot be read as Parquet, perhaps because it was cut short; restore it, or "
            "run its condition again"
        ) from error
    frame: pd.DataFrame = table.to_pandas()
    return frame


def digest(frame: pd.DataFrame) -> str:
    """sha256 of the columns in sorted order, a line of JSON each: name, then the values by row.

    A float stands as the shortest decimals that give it back, a missing one as ``NaN``.
    """
    total = hashlib.sha256()
    for name in sorted(frame.columns):
        total.update(json.dumps([name, *frame[name].tolist()]).encode("ascii") + b"\n")
    return total.hexdigest()
