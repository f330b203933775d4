"""BEIR's collections: documents judged as wholes, test queries, read by beir's own loader.

A document's text is ``(title + " " + text).strip()``, as in ielab's beir_processor.py:35-40; Jina's
form differs by one leading space where a title is empty (mteb_chunked_eval.py:343), which no
tokenizer of the study sees.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.files import write_bytes
from chunkstudy.core.settings import Settings
from chunkstudy.core.sources import cache_folder, lines
from chunkstudy.core.spans import Collection, Document, Judgment, Query

HOME = "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/"
MEMBERS = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a set comes from and what it must hold.

    Attributes:
        md5: of the official archive, as BEIR's README lists it.
        documents, queries: counts of the test split.
        characters: of all documents, titles included (MTEB's descriptive statistics, commit
            a905523d; SciFact's counted here).
        skips_own_id: the queries are documents of the corpus.
    """

    md5: str
    documents: int
    queries: int
    characters: int
    skips_own_id: bool = False


DIGESTS = {path: digests for path, *digests in map(str.split, lines("beir"))}
"""By set and member, the sha256 that are accepted of it unpacked. Where there are two, the second
is the rebuilt file of the data folder: the same texts in another order of lines."""
SOURCES = {
    "scifact": Source("5f7d1de60b170fc8027bb7898e2efca1", 5_183, 300, 7_771_451),
    "nfcorpus": Source("a89dba18a62ef92f7d323ec890a0d38d", 3_633, 323, 5_779_318),
    "arguana": Source(
        "8ad3e3c2a5867cdced806d6503f29b99", 8_674, 1_406, 8_930_264, skips_own_id=True
    ),
    "fiqa": Source("17918ed23cd04fb15047f73e6c3bd9d9", 57_638, 648, 44_220_497),
    "scidocs": Source("38121350fc3a4d2f48850f6aff52e4a9", 25_657, 1_000, 30_900_074),
    "trec-covid": Source("ce62140cb23feb9becf6270d0d1fe6d1", 171_332, 50, 191_463_070),
    "quora": Source("18fb154900ba42a600f84b839c173167", 522_931, 10_000, 32_504_396),
}
LAPTOP = ("scifact", "nfcorpus", "arguana")
"""Those that two cores run with MiniLM in hours."""


def available(name: str) -> bool:
    """Whether the set is here already, so that loading needs no network."""
    return len(_here(name)) == len(MEMBERS)


def load(name: str) -> Collection:
    """A set's corpus, its test queries and its positive judgments.

    A judged document that the corpus lacks, or that is empty, is kept in ``absent``.

    Raises:
        ResourceError: if a file can be had nowhere or is not what it should be.
    """
    source = SOURCES[name]
    corpus, queries, qrels = _official(name)
    collection = build(name, corpus, queries, qrels, source.skips_own_id)
    sizes = (len(collection.documents), len(collection.queries))
    if sizes != (source.documents, source.queries):
        raise ResourceError(
            f"{name} holds {sizes[0]} documents and {sizes[1]} test queries instead of "
            f"{source.documents} and {source.queries}; fetch it again"
        )
    return collection


def characters(name: str) -> int:
    """Of all documents of a set, titles and texts without the space that joins them when they are
    read: the mean lengths in Jina's first post come out so, to their one decimal."""
    corpus, _, _ = _official(name)
    return sum(
        len(document.get("title") or "") + len(document.get("text") or "")
        for document in corpus.values()
    )


def is_folder(folder: Path) -> bool:
    """Whether a folder has BEIR's form, its members as they are or each as ``.gz``."""
    return len(_members(folder)) == len(MEMBERS)


def load_folder(folder: Path, name: str) -> Collection:
    """A collection in BEIR's form that is none of the known sets.

    A query that is one of the documents, by id and text, never retrieves itself, as in ArguAna.

    Raises:
        ResourceError: if a member is missing or cannot be read.
    """
    try:
        corpus, queries, qrels = _read(_members(folder))
    except (ValueError, KeyError, OSError, EOFError, zlib.error) as error:
        raise ResourceError(
            f"{folder} is not in BEIR's form ({type(error).__name__}: {error})"
        ) from error
    alike = (query for query in queries if (corpus.get(query) or {}).get("text") == queries[query])
    return build(name, corpus, queries, qrels, skips_own_id=next(alike, None) is not None)


def build(
    name: str,
    corpus: Mapping[str, Mapping[str, str]],
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, int]],
    skips_own_id: bool = False,
) -> Collection:
    """A collection from what beir's loader returns; judgments of grade 0 or less are dropped."""
    texts = {
        key: f"{document.get('title') or ''} {document.get('text') or ''}".strip()
        for key, document in corpus.items()
    }
    judged = [
        (query, document, grade)
        for query, grades in qrels.items()
        for document, grade in grades.items()
        if grade > 0
    ]
    return Collection(
        name,
        tuple(Document(key, text) for key, text in sorted(texts.items())),
        tuple(Query(key, text) for key, text in queries.items()),
        tuple(Judgment(q, d, 0, len(texts[d]), grade) for q, d, grade in judged if texts.get(d)),
        absent=tuple((q, d, grade) for q, d, grade in judged if not texts.get(d)),
        skips_own_id=skips_own_id,
        titles={key: title for key, document in corpus.items() if (title := document.get("title"))},
    )


Loaded = tuple[dict[str, dict[str, str]], dict[str, str], dict[str, dict[str, int]]]


def _read(files: Mapping[str, Path], name: str = "") -> Loaded:
    """What beir's loader makes of members, packed or not; those of a named set are checked."""
    from beir.datasets.data_loader import GenericDataLoader

    logging.getLogger("beir").setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        for member, file in files.items():
            content = file.read_bytes()
            content = gzip.decompress(content) if file.suffix == ".gz" else content
            accepted = DIGESTS.get(f"{name}/{member}")
            if accepted and hashlib.sha256(content).hexdigest() not in accepted:
                raise ResourceError(
                    f"{file} has another sha256 than the official file; put the right one in its "
                    "place, or delete it and go online once"
                )
            write_bytes(Path(folder) / member, content)
        loaded: Loaded = GenericDataLoader(folder).load(split="test")
    return loaded


def _official(name: str) -> Loaded:
    """A set of the study, downloaded if need be, each member checked."""
    files = _here(name)
    if len(files) < len(MEMBERS):
        _download(name)
        files = _here(name)
    if missing := [member for member in MEMBERS if member not in files]:
        raise ResourceError(f"the archive of {name} lacks {missing[0]}; delete it and try again")
    return _read(files, name)


def _here(name: str) -> dict[str, Path]:
    """The members of a set that are in the cache or in the data folder."""
    data = Settings.from_env().data
    return (_members(data / name) if data else {}) | _members(cache_folder() / "beir" / name)


def _members(folder: Path) -> dict[str, Path]:
    """Of a set in a folder, each member as it is or packed."""
    places = ((name, folder / f"{name}{packed}") for packed in (".gz", "") for name in MEMBERS)
    return {name: path for name, path in places if path.is_file()}


def _download(name: str) -> None:
    import pooch

    try:
        pooch.retrieve(
            f"{HOME}{name}.zip",
            known_hash=f"md5:{SOURCES[name].md5}",
            fname=f"{name}.zip",
            path=cache_folder() / "beir",
            processor=pooch.Unzip(extract_dir="."),
        )
    except Exception as error:
        raise ResourceError(
            f"{name} is neither under CHUNKSTUDY_DATA nor in the cache and could not be "
            "downloaded whole; set CHUNKSTUDY_DATA to a folder that has it, or go online once"
        ) from error
