"""BEIR's collections: documents judged as wholes, test queries, read by beir's own loader.

A document's text is ``(title + " " + text).strip()``, as in ielab's beir_processor.py:35-40; Jina's
form differs by one leading space where a title is empty (mteb_chunked_eval.py:343), which no
tokenizer of the study sees.
"""

from __future__ import annotations

import gzip
import logging
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chunkstudy.base.files import sha256, write_bytes
from chunkstudy.base.sources import SourceError, cache_folder
from chunkstudy.base.spans import Collection, Document, Judgment, Query

HOME = "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/"
MEMBERS = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a set comes from and what it must hold.

    Attributes:
        md5: of the official archive, as BEIR's README lists it.
        documents, queries: counts of the test split.
        characters: of all documents, titles included (MTEB's descriptive statistics, commit
            a905523d; SciFact's counted here); 0 where nobody counted them, and
            estimates then assume two million tokens.
        sha256: accepted digests of the unpacked members. Where there are two, the second is the
            rebuilt file of the data folder: the same texts in another order of lines.
        skips_own_id: the queries are documents of the corpus.
        laptop: two cores run it with MiniLM in hours.
    """

    md5: str
    documents: int
    queries: int
    characters: int = 0
    sha256: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    skips_own_id: bool = False
    laptop: bool = False


SOURCES = {
    "scifact": Source(
        "5f7d1de60b170fc8027bb7898e2efca1",
        5_183,
        300,
        7_771_451,
        {
            "corpus.jsonl": ("dec31c8182f3d744c7d2c09423756fd1d17cbef75808db13ba01cc0aab4d1ac6",),
            "queries.jsonl": ("8ff84a7c903f722981cd8d595c022660140c51867b27608a6d4910db86080313",),
            "qrels/test.tsv": ("0864bb985e0ca2367ba217977e72004d549054b2b06666ed9d4825ac7c21284c",),
        },
        laptop=True,
    ),
    "nfcorpus": Source(
        "a89dba18a62ef92f7d323ec890a0d38d",
        3_633,
        323,
        5_779_318,
        {
            "corpus.jsonl": (
                "10cc83ef1826b1425e6a87090b5140b39b27755d5a27e48215a88611c899991f",
                "9127e0e7f4f89587540be1f1f350eec2a5bc203253f70517b8f34557a71e24ba",
            ),
            "queries.jsonl": ("d024e6621b84925d485ae473d316a0c3af31c62c8068a59fb29d22f7613aef2a",),
            "qrels/test.tsv": ("f8fba6ef3d4dd9c3a242a8ba4ae38276fc3622fce7dcbae764766d564542fd2a",),
        },
        laptop=True,
    ),
    "arguana": Source(
        "8ad3e3c2a5867cdced806d6503f29b99",
        8_674,
        1_406,
        8_930_264,
        {
            "corpus.jsonl": (
                "0627982cec4ee896df6dc98604ef6b499c83fd87a19eaaeb3f23b88bbef6cbce",
                "6d09cdf22f227e381b8420f7b0ea997496ba02042fc5b35a76070c8b2e3cae10",
            ),
            "queries.jsonl": ("f8b7c903f95d9a2d291de3915a8fac25085e9db679f19f59fea4145bfd1df618",),
            "qrels/test.tsv": ("0c47b481fa8b47fb9ca5e74bc8a017bdea14518c0e4a5d21345291180b3aca76",),
        },
        skips_own_id=True,
        laptop=True,
    ),
    "fiqa": Source(
        "17918ed23cd04fb15047f73e6c3bd9d9",
        57_638,
        648,
        44_220_497,
        {
            "corpus.jsonl": ("ff593e4df9933955dc3af83be0c3fa28ac7465f627e08c2e53593e734d506517",),
            "queries.jsonl": ("eede1e61d4a0188940239b53ebc2da91f577a6a34679c812d1eb9090c29877bc",),
            "qrels/test.tsv": ("6adc2a640dcdd22bb8b3858f89107adef2a7c3db20a63550dfa7a0f71e379e44",),
        },
    ),
    "scidocs": Source(
        "38121350fc3a4d2f48850f6aff52e4a9",
        25_657,
        1_000,
        30_900_074,
        {
            "corpus.jsonl": ("328bb38854179c83ee40d4f49fae2ef7209ede7163785193cbdcd5906b28eecc",),
            "queries.jsonl": ("3c85b68419bd579ff52edb58f9e7b32eb3d18bc83435edb71dbb68aaf79531d6",),
            "qrels/test.tsv": ("dcd3d7f77417294bb6f338537f3c28d8a5ea72b30fe6633f407fa85528767e35",),
        },
    ),
    "trec-covid": Source("ce62140cb23feb9becf6270d0d1fe6d1", 171_332, 50, 191_463_070),
    "quora": Source("18fb154900ba42a600f84b839c173167", 522_931, 10_000, 32_504_396),
}
LAPTOP = tuple(name for name, source in SOURCES.items() if source.laptop)


def available(name: str) -> bool:
    """Whether the set is here already, so that loading needs no network."""
    return all(_find(name, member) for member in MEMBERS)


def load(name: str) -> Collection:
    """A set's corpus, its test queries and its positive judgments.

    A judged document that the corpus lacks, or that is empty, is kept in ``absent``.

    Raises:
        SourceError: if a file can be had nowhere or is not what it should be.
    """
    source = SOURCES[name]
    corpus, queries, qrels = _read(_folder(name))
    collection = build(name, corpus, queries, qrels, source.skips_own_id)
    sizes = (len(collection.documents), len(collection.queries))
    if sizes != (source.documents, source.queries):
        raise SourceError(
            f"{name} holds {sizes[0]} documents and {sizes[1]} test queries instead of "
            f"{source.documents} and {source.queries}; fetch it again"
        )
    return collection


def characters(name: str) -> int:
    """Of all documents of a set, titles and texts without the space that joins them when they are
    read: the mean lengths in Jina's first post come out so, to their one decimal."""
    corpus, _, _ = _read(_folder(name))
    return sum(
        len(document.get("title") or "") + len(document.get("text") or "")
        for document in corpus.values()
    )


def is_folder(folder: Path) -> bool:
    """Whether a folder has BEIR's form, its members as they are or each as ``.gz``."""
    return all(_member(folder, name) for name in MEMBERS)


def load_folder(folder: Path, name: str) -> Collection:
    """A collection in BEIR's form that is none of the known sets.

    A query that is one of the documents, by id and text, never retrieves itself, as in ArguAna.

    Raises:
        SourceError: if a member is missing or cannot be read.
    """
    with tempfile.TemporaryDirectory() as unpacked:
        for member in MEMBERS:
            file = _member(folder, member)
            if file is None:
                raise SourceError(f"{folder} lacks {member}; BEIR's form is {', '.join(MEMBERS)}")
            _unpack(file, Path(unpacked) / member)
        try:
            corpus, queries, qrels = _read(Path(unpacked))
        except (ValueError, KeyError, OSError) as error:
            raise SourceError(
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


def _read(folder: Path) -> Loaded:
    from beir.datasets.data_loader import GenericDataLoader

    logging.getLogger("beir").setLevel(logging.WARNING)
    loaded: Loaded = GenericDataLoader(str(folder)).load(split="test")
    return loaded


def _folder(name: str) -> Path:
    """The folder beir's loader reads: unpacked files, each checked."""
    folder = cache_folder() / "beir" / name
    for member in MEMBERS:
        file = _find(name, member)
        if file is None:
            _download(name)
            file = folder / member
            if not file.is_file():
                raise SourceError(f"the archive of {name} lacks {member}; delete it and try again")
        target = folder / member
        if file != target:
            _unpack(file, target)
        accepted = SOURCES[name].sha256.get(member)
        if accepted and sha256(target) not in accepted:
            target.unlink()
            raise SourceError(
                f"{name}/{member} has another sha256 than the official file; it was removed, put "
                f"the right one under $CHUNKSTUDY_DATA/{name} or go online once"
            )
    return folder


def _find(name: str, member: str) -> Path | None:
    data = os.environ.get("CHUNKSTUDY_DATA")
    cached = _member(cache_folder() / "beir" / name, member)
    return cached or (_member(Path(data) / name, member) if data else None)


def _member(folder: Path, name: str) -> Path | None:
    return next((p for p in (folder / name, folder / f"{name}.gz") if p.is_file()), None)


def _unpack(file: Path, target: Path) -> None:
    data = file.read_bytes()
    write_bytes(target, gzip.decompress(data) if file.suffix == ".gz" else data)


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
        raise SourceError(
            f"{name} is neither under CHUNKSTUDY_DATA nor in the cache and could not be "
            "downloaded whole; set CHUNKSTUDY_DATA to a folder that has it, or go online once"
        ) from error
