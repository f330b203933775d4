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
from chunkstudy.base.sources import SourceError, SourceFile, cache_folder, fetch, find

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

    @property
    def source(self) -> SourceFile:
        """Where the workbook comes from."""
        return SourceFile(f"{FOLDER}/raw/{self.workbook}", HOME + quote(self.workbook), self.sha256)


SHEETS = {
    sheet.name: sheet
    for sheet in (
        Sheet(
            "fixed_length_450",
            "Emma_-_Jane_Austen_Fixed_Length_450.xlsx",
            "e1be736729049be5b56b0416619efcf14c5e657f177fb795ddea0746a70d756f",
            "2b5d963a5f6e2b10a224f4cd3588bdd92672017b1663f9930d448193a6d77d2c",
        ),
        Sheet(
            "gemini_chunks",
            "Gemini_Chunks_-_Emma_-_Jane_Austen.xlsx",
            "038b9d54a448b6e7245aa086919478fc10ce8d50911e0dfa27150cae2dad964e",
            "e3a0df68573cbe40c682603999616700f3c3b93810f02d1b97c886b7f98d2ee2",
        ),
        Sheet(
            "langchain_recursive",
            "Emma_-_Jane_Austen_Langchain.xlsx",
            "67ec74e638bfcf92fa50283596f9e7c4035cc6b8bfd793709ddb5768b8962977",
            "971d69d3aa89341027b08388a777717aec1d1c3fe9c6e97ad6f6b3204c04b58e",
        ),
        Sheet(
            "paragraphs",
            "Emma_-_Jane_Austen_Paragraph.xlsx",
            "b136e6d9c2fe20918361932d6fcd8ff1ba06ffd4486154dde469d306713fb328",
            "7f9944dcb236d46eac4ea61d86b1670fb1bff4f390cddafb83611bbc18912404",
        ),
        Sheet(
            "propositions",
            "Emma_-_Jane_Austen_Propositions.xlsx",
            "9a567f0d9f003edea8fa0e04d4c0df3ca1a935c5e8cc1e3bc3d243e79c2c138f",
            "100c1763cd003ff0f3fb9ff4e9ff6e615750a93347df83d37493808b89164ce0",
        ),
        Sheet(
            "questions",
            "Questions_-_Emma_-_Jane_Austen.xlsx",
            "6ad65cd00bbd6ce21b3d21e1bf80f9c49fad5cf78e9c73fa7c98df094ebdc363",
            "11ce533f3b7c4015aeb80f8f1645d2816d892cde15e854670f91c09dcb50fdd5",
        ),
        Sheet(
            "semantic",
            "Emma_-_Jane_Austen_Semantic.xlsx",
            "2c73dd0fc1bf8189c54e2143d3fea7778d9defffba865d2eec8d7a96a084850e",
            "d5ae5a69f1596a422a94e2a809681e60de6a2307d9bcf4a086b1bd75d842927b",
        ),
    )
}


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
        lines = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error):
        lines = b""
    if hashlib.sha256(lines).hexdigest() != sheet.rows_sha256:
        raise SourceError(
            f"{path} does not hold the rows of {sheet.workbook}; delete it to have them fetched "
            "and converted again by the openpyxl of requirements.lock"
        )
    return [json.loads(line) for line in lines.splitlines()]


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
        path = cache_folder() / sheet.path
        write_bytes(path, gzip.compress(convert(fetch(sheet.source).read_bytes()), mtime=0))
    return path
