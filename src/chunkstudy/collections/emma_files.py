"""Emma's paragraphs, questions and released segmentations, from its authors' spreadsheets.

Source: joaodsmarques/LumberChunker at the commit below, folder ``Example/Emma_-_Jane_Austen``. Each
workbook holds one sheet; it is converted once into a compressed file of JSON lines, an object per
row under the sheet's own column names, an empty cell as null. What the workbooks are and what the
conversion must give is pinned by sha256. The folder's ada-002 embeddings of the 30 questions are
not fetched: without those of the chunks, which were never published, nothing can be scored.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from chunkstudy.base.files import write_bytes
from chunkstudy.base.sources import SourceError, SourceFile, cache_folder, fetch, find, lines

COMMIT = "5537bdfe68c9c1b3c788556bdca5ab902d20e8b6"
HOME = (
    f"https://raw.githubusercontent.com/joaodsmarques/LumberChunker/{COMMIT}"
    "/Example/Emma_-_Jane_Austen/"
)
FOLDER = "gutenqa_emma"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One workbook and its conversion.

    Attributes:
        name: of the converted file, without its endings.
        workbook: the authors' file.
        sha256: of the workbook.
        rows_sha256: of the uncompressed JSON lines that it must give.
    """

    name: str
    workbook: str
    sha256: str
    rows_sha256: str

    @property
    def path(self) -> str:
        """Where the converted file lies in the data folder and in the cache."""
        return f"{FOLDER}/{self.name}.jsonl.gz"


SHEETS = {line.split()[0]: Sheet(*line.split()) for line in lines("gutenqa_emma")}
"""By name; ``data/sources`` has a line a sheet, its attributes in their order."""


def read(name: str) -> list[dict[str, str | None]]:
    """The rows of one file, named as in ``SHEETS``, empty cells as None.

    The converted file is looked for under CHUNKSTUDY_DATA and in the user's cache; where it is in
    neither, the workbook is fetched and converted into the cache.

    Raises:
        SourceError: if the file can be had nowhere or is not what was pinned.
    """
    sheet = SHEETS[name]
    path = converted(sheet)
    try:
        rows = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error):
        rows = b""
    if hashlib.sha256(rows).hexdigest() != sheet.rows_sha256:
        raise SourceError(
            f"{path} does not hold the rows of {sheet.workbook}; delete it to have them fetched "
            "and converted again by the openpyxl of requirements.lock"
        )
    return [json.loads(line) for line in rows.splitlines()]


def convert(workbook: bytes) -> bytes:
    """The only sheet of a workbook as JSON lines under its header's names."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(workbook), read_only=True, data_only=True)
    header, *rows = book.worksheets[0].iter_rows(values_only=True)
    objects = [dict(zip(header, row, strict=True)) for row in rows]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in objects).encode("utf-8")


def converted(sheet: Sheet) -> Path:
    """The converted file, fetched and made where it is not here yet.

    Raises:
        SourceError: if the workbook can be had nowhere or is not what was pinned.
    """
    path = find(sheet.path)
    if path is None:
        path, workbook = cache_folder() / sheet.path, sheet.workbook
        source = SourceFile(f"{FOLDER}/raw/{workbook}", HOME + quote(workbook), sheet.sha256)
        write_bytes(path, gzip.compress(convert(fetch(source).read_bytes()), mtime=0))
    return path
