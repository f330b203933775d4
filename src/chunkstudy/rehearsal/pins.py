"""What the rehearsal pins: its own digests, in a file of their own, put where the study's stand.

The checks are the study's: a file of another digest than the one in the pin file is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from chunkstudy.collections import beir, chroma, gutenqa
from chunkstudy.collections.sources import SourceFile
from chunkstudy.encoders.registry import MODELS, Architecture
from chunkstudy.files import write_json
from chunkstudy.rehearsal.hub_models import Checkpoint
from chunkstudy.studies import berlin

LICENCE = "random weights of a rehearsal"


def write(
    path: Path, checkpoints: Mapping[str, Checkpoint], collections: Mapping[str, Any]
) -> None:
    """Pin the files of models and collections."""
    models = {
        name: {
            "revision": one.revision,
            "architecture": asdict(one.architecture),
            "files": {
                file: hashlib.sha256(one.files[file]).hexdigest() for file in MODELS[name].files
            },
        }
        for name, one in checkpoints.items()
    }
    write_json(path, {"models": models, **collections})


@contextmanager
def injected(path: Path, home: str) -> Iterator[None]:
    """The pins of a file in place of the study's own, and collections' files at another address.

    Afterwards everything is as it was.
    """
    pins = json.loads(path.read_text(encoding="utf-8"))
    changes: list[tuple[Any, str, Any]] = [
        (beir, "HOME", f"{home}/beir/"),
        (beir, "SOURCES", _beir(pins["beir"])),
        (chroma, "FILES", _chroma(pins["chroma"]["sha256"], home)),
        (chroma, "QUERIES", pins["chroma"]["queries"]),
        (chroma, "EXCERPTS", pins["chroma"]["excerpts"]),
        (gutenqa, "HUB_FILES", _gutenqa(pins["gutenqa"]["files"])),
        (gutenqa, "BOOKS", pins["gutenqa"]["books"]),
        (gutenqa, "QUESTIONS", pins["gutenqa"]["questions"]),
        (berlin, "FILE", SourceFile("jina/berlin.json", f"{home}/berlin.json", pins["berlin"])),
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    models = dict(MODELS)
    try:
        for owner, name, value in changes:
            setattr(owner, name, value)
        MODELS.update(_models(pins["models"]))
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
        MODELS.update(models)


def _models(pins: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for name, one in pins.items():
        architecture = Architecture(**one["architecture"])
        found[name] = replace(
            MODELS[name],
            revision=one["revision"],
            files=one["files"],
            architecture=architecture,
            dimension=architecture.hidden,
            licence=LICENCE,
            verified=True,
            missing="",
        )
    return found


def _beir(pins: Mapping[str, Any]) -> dict[str, beir.Source]:
    return {
        name: replace(
            beir.SOURCES[name],
            md5=one["md5"],
            documents=one["documents"],
            queries=one["queries"],
            characters=one["characters"],
            sha256={member: (digest,) for member, digest in one["sha256"].items()},
        )
        for name, one in pins.items()
    }


def _chroma(pins: Mapping[str, str], home: str) -> dict[str, SourceFile]:
    return {
        name: SourceFile(f"chroma/{name}", f"{home}/chroma/{name}", digest)
        for name, digest in pins.items()
    }


def _gutenqa(pins: Mapping[str, Mapping[str, str]]) -> dict[str, gutenqa.HubFile]:
    return {
        name: replace(gutenqa.HUB_FILES[name], revision=one["revision"], sha256=one["sha256"])
        for name, one in pins.items()
    }
