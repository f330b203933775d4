"""A model that stands in no registry: a folder, or a name on the hub. The sentence-transformers
library reads it (library.py)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from chunkstudy.core import hub
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.files import sha256
from chunkstudy.core.models import COMMIT

DECIDING = (".json", ".txt", ".model", ".safetensors")
"""How the files end that decide what a model computes: no pickle, which may run code, and no other
format of its weights. They are fetched, and digests tell them from others."""
ELSEWHERE = ("onnx/*", "openvino/*")
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?")


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A model's folder.

    Attributes:
        name: on the hub; of a folder its own, so that no record holds a path of one machine.
        folder: with its files.
        revision: the hub's commit; empty where the folder came from elsewhere.
    """

    name: str
    folder: Path
    revision: str

    def files_sha256(self) -> dict[str, str]:
        """The digests of all that decides what it computes, by name below its folder."""
        return {
            path.relative_to(self.folder).as_posix(): sha256(path)
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
            and path.suffix in DECIDING
            and not any(path.match(pattern) for pattern in ELSEWHERE)
        }


def find(name: str) -> OwnModel:
    """The model in a folder of that name, else of that name on the hub, from its cache if it is
    there.

    Raises:
        ResourceError: if it is neither, or holds nothing that can be read without running its code.
    """
    folder = Path(name).expanduser()
    known_as = folder.resolve().name
    if not folder.is_dir():
        folder, known_as = _of_the_hub(name), name
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise ResourceError(f"{folder} holds neither config.json nor modules.json; it is no model")
    if not any(folder.rglob("*.safetensors")):
        raise ResourceError(
            f"{folder} holds no safetensors; other weights may run code when they are read, save "
            "the model again with safe_serialization=True"
        )
    return OwnModel(known_as, folder, folder.name if COMMIT.fullmatch(folder.name) else "")


def _of_the_hub(name: str) -> Path:
    if not HUB_NAME.fullmatch(name):
        raise ResourceError(
            f"there is no folder {name}; name one that holds a model, or a model of the hub as "
            "owner/name"
        )
    return hub.snapshot(
        name,
        None,
        [f"*{ending}" for ending in DECIDING],
        lambda folder: any(folder.rglob("*.safetensors")),
        f"{name} is neither a folder nor in the hub's cache, and could not be downloaded; correct "
        "the name, go online once, or name a folder that holds the model",
        ELSEWHERE,
    )
