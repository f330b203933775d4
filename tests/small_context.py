"""What studies work with, in small: parts of the built-in collection under the names of the real
collections, and one layer of MiniLM under the name of every encoder."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

from safetensors.numpy import load_file, save_file

from chunkstudy.collections import builtin, covid_qa
from chunkstudy.core.files import sha256, write_text
from chunkstudy.core.models import ModelSpec
from chunkstudy.core.project import Project
from chunkstudy.core.sources import SourceFile
from chunkstudy.core.spans import Chunks, Collection, Document
from chunkstudy.encoders import models
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.pipeline.conditions import MINILM, Condition, parse_encoder
from chunkstudy.pipeline.experiments import Context
from chunkstudy.pipeline.vector_store import VectorStore

LONG = 5_000
"""Characters of a document at most."""
CORPORA = {
    "chatlogs/sauerkraut-fermentation.json": "chatlogs",
    "encyclopedia/hollin-stair.md": "wikitexts",
    "speeches/harbour-budget-address.md": "state_of_the_union",
    "speeches/university-founding-day.md": "finance",
    "story/the-salt-line.md": "pubmed",
}
ARTICLES = ("aldis-marenko", "galdern-railway", "henrike-saal", "pale-scree-moth", "tolmer-cheese")
PAPERS = {f"encyclopedia/{one}.md": one for one in ARTICLES} | {
    "speeches/harbour-budget-address.md": "address", "story/the-salt-line.md": "story",
}  # fmt: skip
EMMA = "gutenqa-emma"
BOOK = {"story/the-salt-line.md": "Emma"}
POST = ("Hamburg lies on the Elbe.", " The city has 1.9 million people.", " Its port is old.")


def part(whole: Collection, name: str, documents: dict[str, str]) -> Collection:
    """Some documents, called otherwise and cut, with the questions that one of them answers."""
    texts = {one.id: one.text[:LONG] for one in whole.documents if one.id in documents}
    lengths = {name: len(text) for name, text in texts.items()}
    asked = {
        query: [
            replace(one, document=documents[one.document], end=min(one.end, LONG))
            for one in judged
            if one.start < lengths.get(one.document, 0)
        ]
        for query, judged in whole.judgments_by_query().items()
    }
    asked = {query: kept for query, kept in asked.items() if len({j.document for j in kept}) == 1}
    return Collection(
        name,
        tuple(Document(documents[old], text) for old, text in texts.items()),
        tuple(one for one in whole.queries if one.id in asked),
        tuple(one for kept in asked.values() for one in kept),
        {query: kept[0].document for query, kept in asked.items()},
    )


@cache
def collection(name: str) -> Collection:
    """What stands for a collection; the built-in one is whole, since replies are recorded on it."""
    if name == "builtin":
        return builtin.load()
    of = CORPORA if name.startswith("chroma") else BOOK if name == EMMA else PAPERS
    if name.startswith(("chroma", "gutenqa", covid_qa.ALL)):
        found = part(builtin.load(), name.removesuffix("-within"), of)
        whole = name in ("chroma", covid_qa.ALL)
        return found if whole else replace(found.within_documents(), name=name)
    return part(builtin.load_graded(), name, of)


def quoted(one: Collection) -> dict[str, str]:
    """Of every query the first passage that answers it."""
    texts = {document.id: document.text for document in one.documents}
    judged = one.judgments_by_query()
    return {query: texts[j.document][j.start : j.end] for query, (j, *_) in judged.items()}


def one_layer(folder: Path) -> ModelSpec:
    """MiniLM without its layers but the first, in a folder, as the registry would describe it."""
    spec = models.spec(parse_encoder(MINILM).model)
    shutil.copytree(models.weights_folder(spec), folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    write_text(folder / "config.json", json.dumps(config | {"num_hidden_layers": 1}))
    weights = load_file(folder / "model.safetensors")
    kept = {k: v for k, v in weights.items() if "layer." not in k or "layer.0." in k}
    save_file(kept, folder / "model.safetensors")
    files = {name: sha256(folder / name) for name in spec.files}
    assert spec.architecture
    one = replace(spec.architecture, layers=1)
    return replace(spec, files=files, architecture=one, package=None)


class SmallContext(Context):
    """Hands out what is small; nothing that a study makes of it is a result."""

    def __init__(self, places: Project, spec: ModelSpec, weights: Path) -> None:
        super().__init__(places)
        self.spec, self.weights = spec, weights

    def collection(self, name: str) -> Collection:
        return collection(name)

    def store(self, encoder: str) -> VectorStore:
        window = parse_encoder(encoder).window
        found = TransformerEncoder(self.spec, window=window, folder=self.weights)
        return VectorStore(found, self.places.vectors)

    def chunks(self, condition: Condition, store: VectorStore | None = None) -> Chunks:
        """Boundaries that were released for a book, or that a language model drew, are others."""
        if condition.chunker.endswith("-released") or "-by-" in condition.chunker:
            condition = replace(condition, chunker="recursive-200-0")
        return super().chunks(condition, store)

    def file(self, source: SourceFile) -> Path:
        """A made file in place of a published one."""
        if source.path.endswith(".csv"):
            file = io.StringIO()
            csv.writer(file).writerow(("question", "references", "corpus_id"))
            csv.writer(file).writerows((one.text, "[]", "") for one in collection("chroma").queries)
            made = file.getvalue()
        else:
            chunks = [{"text": one} for one in POST]
            made = json.dumps({"text": "".join(POST), "chunks": chunks, "query": "Hamburg"})
        write_text(self.places.build / source.path, made)
        return self.places.build / source.path

    def say(self, text: str) -> None:
        """Nothing."""
