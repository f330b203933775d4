"""A model that stands in no registry: a folder, or a name on the hub.

Where its files say that it is one of the architectures computed here and that its vector is the
mean of its token states, it is read like a registered model. Any other goes through the
sentence-transformers library. Late chunking takes every model whose vector is the mean of its token
states, whatever layers follow the mean; of a vector made in another way, such as the state of the
first token, there is nothing to pool (Jina's second post asks for mean pooling).

What the files mean: sentence-transformers' documentation, Creating Custom Models, Structure of
Sentence Transformer Models (``modules.json``, ``sentence_bert_config.json``,
``config_sentence_transformers.json``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkstudy.base import hub
from chunkstudy.base.faults import ModelError
from chunkstudy.base.files import sha256
from chunkstudy.base.models import Kind, ModelSpec
from chunkstudy.base.tokens import tokenizer_of
from chunkstudy.encoders.interface import Encoder

WEIGHTS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"
PATTERNS = ("*.json", "*.txt", "*.model", "*.safetensors")
"""What is fetched of a model: no pickle, which may run code, and no other format of its weights."""
ELSEWHERE = ("onnx/*", "openvino/*")
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?")
COMMIT = re.compile(r"[0-9a-f]{40}")
SIZES, PUBLISHED_SIZES = ("hidden_size", "max_position_embeddings"), ("n_embd", "n_positions")
"""What configurations call the width and the positions, and what those of nomic_bert do."""
PADDED = {"mpnet": 2, "xlm_roberta": 2}
"""Rows of the table of positions that no token has."""
UNKNOWN_WINDOW = 512
"""Tokens of a window where a model's files name neither a window nor positions."""
DOCUMENT_PROMPTS = ("document", "passage", "corpus")
"""What the library looks for, in this order, to put before a document."""
KINDS: Mapping[str, Kind] = {
    "bert": "bert",
    "mpnet": "mpnet",
    "nomic_bert": "nomic_bert",
    "xlm-roberta": "xlm_roberta",
}
"""What ``model_type`` of a configuration is called here."""
AFTER_MEAN = {"Dense", "Normalize", "LayerNorm", "Dropout"}
"""Modules that make a vector of a vector, so that they may follow the mean of any span."""


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A model's folder, and how it can be read.

    Attributes:
        name: on the hub; of a folder its own, so that no record holds a path of one machine.
        folder: with its files.
        revision: the hub's commit; empty where the folder came from elsewhere.
        spec: what is read here; None where the library reads it.
        window: tokens read of a text.
        positions: tokens that it can read together; 0 where its files do not say.
        why_plain: why it takes no late chunking, as the second half of a sentence; empty where it
            does.
    """

    name: str
    folder: Path
    revision: str
    spec: ModelSpec | None
    window: int
    positions: int
    why_plain: str = ""

    def encoder(self) -> Encoder:
        """The model, computed here or by the library.

        Raises:
            ModelError: if the library is not installed, or cannot read the model.
        """
        if self.spec is None:
            from chunkstudy.encoders.library import LibraryEncoder, LibraryTokenEncoder

            return LibraryEncoder(self) if self.why_plain else LibraryTokenEncoder(self)
        from chunkstudy.encoders.transformer import TransformerEncoder  # torch, once it computes

        return TransformerEncoder(self.spec, folder=self.folder)


def find(name: str) -> OwnModel:
    """The model in a folder of that name, else of that name on the hub, from its cache if it is
    there.

    Raises:
        ModelError: if it is neither, or holds nothing that can be read without running its code.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return read(folder, folder.resolve().name)
    if not HUB_NAME.fullmatch(name):
        raise ModelError(
            f"there is no folder {name}; name one that holds a model, or a model of the hub as "
            "owner/name"
        )
    folder = hub.snapshot(
        name,
        None,
        PATTERNS,
        lambda folder: any(folder.rglob("*.safetensors")),
        f"{name} is neither a folder nor in the hub's cache, and could not be downloaded; correct "
        "the name, go online once, or name a folder that holds the model",
        ELSEWHERE,
    )
    return read(folder, name)


def read(folder: Path, name: str) -> OwnModel:
    """What a model's files say of it.

    Raises:
        ModelError: if there is no model, or its weights are pickled only.
    """
    if not (folder / CONFIG).is_file() and not (folder / "modules.json").is_file():
        raise ModelError(f"{folder} holds neither config.json nor modules.json; it is no model")
    if not any(folder.rglob("*.safetensors")):
        raise ModelError(
            f"{folder} holds no safetensors; other weights may run code when they are read, save "
            "the model again with safe_serialization=True"
        )
    revision = folder.name if COMMIT.fullmatch(folder.name) else ""
    why = why_plain(folder)
    if not why and (kind := _kind(folder)):
        spec = _spec(folder, name, revision, kind)
        return OwnModel(name, folder, revision, spec, spec.window, spec.positions)
    positions = int(_json(_transformer(folder) / CONFIG).get("max_position_embeddings", 0))
    window = _window(folder) or positions or UNKNOWN_WINDOW
    return OwnModel(name, folder, revision, None, window, positions, why)


def prompts(folder: Path) -> tuple[str, str]:
    """What the model's authors put before a query and before a document."""
    config = _json(folder / "config_sentence_transformers.json")
    known: dict[str, str] = config.get("prompts") or {}
    default = known.get(config.get("default_prompt_name") or "", "")
    document = next((known[name] for name in DOCUMENT_PROMPTS if known.get(name)), default)
    return known.get("query") or default, document


def files_sha256(folder: Path) -> dict[str, str]:
    """The digests of all that decides a model's vectors, by name below its folder."""
    wanted = {".json", ".safetensors", ".txt", ".model"}
    return {
        path.relative_to(folder).as_posix(): sha256(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.suffix in wanted
        and not any(path.match(pattern) for pattern in ELSEWHERE)
    }


def why_plain(folder: Path) -> str:
    """Why late chunking cannot take the model; empty where it can.

    Raises:
        ModelError: if a file is not whole JSON.
    """
    modules = _modules(folder)
    kinds = [kind for kind, _ in modules]
    if modules and (
        kinds[:2] != ["Transformer", "Pooling"] or not AFTER_MEAN.issuperset(kinds[2:])
    ):
        return f"it computes {', '.join(kinds)}, and late chunking needs the mean of token states"
    if modules and not _is_mean(_json(modules[1][1] / CONFIG)):
        return "its vector is not the mean of its token states"
    if _json(folder / "sentence_bert_config.json").get("do_lower_case"):
        return "its texts are put into lower case first"
    if not (folder / TOKENIZER).is_file():
        return f"it has no {TOKENIZER}, which says where in a text each token stands"
    around = len(tokenizer_of(folder / TOKENIZER).encode("").ids)
    if around != 2:
        return f"{around} special tokens stand around a text, and windows are made with two"
    return ""


def _modules(folder: Path) -> list[tuple[str, Path]]:
    """The classes of its modules in their order, and where the files of each lie; none where its
    files do not say, of which the library makes a transformer and the mean."""
    modules = _json(folder / "modules.json", [])
    named = [(str(module.get("type", "")), module.get("path", "")) for module in modules]
    return [(kind.rpartition(".")[2], folder / str(path)) for kind, path in named]


def _transformer(folder: Path) -> Path:
    """Where the transformer's own files lie."""
    modules = _modules(folder)
    return modules[0][1] if modules else folder


def _is_mean(pooling: Mapping[str, Any]) -> bool:
    """Whether the mean alone is taken, over prompts too, in the old form of the file or the new."""
    if not pooling.get("include_prompt", True):
        return False
    modes = [k for k, on in pooling.items() if k.startswith("pooling_mode_") and on is True]
    return modes == ["pooling_mode_mean_tokens"] or pooling.get("pooling_mode") in (
        "mean",
        ["mean"],
    )


def _kind(folder: Path) -> Kind | None:
    """Which architecture of this package it is, with nothing but its mean behind it."""
    files = all((folder / name).is_file() for name in (WEIGHTS, TOKENIZER, CONFIG))
    behind = [kind for kind, _ in _modules(folder)[2:]]
    if not files or behind not in ([], ["Normalize"]) or _transformer(folder) != folder:
        return None
    config = _json(folder / CONFIG)
    stated = config.get("model_type")
    if stated == "bert" and config.get("position_embedding_type") == "alibi":
        return "jina_bert"
    if stated == "nomic_bert" and PUBLISHED_SIZES[0] not in config:
        return None  # saved by transformers' own class, which names its weights otherwise
    return KINDS.get(str(stated))


def _spec(folder: Path, name: str, revision: str, kind: Kind) -> ModelSpec:
    config = _json(folder / CONFIG)
    names = PUBLISHED_SIZES if kind == "nomic_bert" else SIZES
    hidden, most = (config.get(key) for key in names)
    if not isinstance(hidden, int) or not isinstance(most, int):
        raise ModelError(f"{folder}/{CONFIG} lacks {' or '.join(names)}; it is no {kind}")
    positions = most - PADDED.get(kind, 0)
    digests = {file: sha256(folder / file) for file in (WEIGHTS, TOKENIZER, CONFIG)}
    query, document = prompts(folder)
    return ModelSpec(
        id=name,
        window=min(_window(folder) or positions, positions),
        positions=positions,
        dimension=hidden,
        licence="not looked up",
        revision=revision or digests[WEIGHTS][:40],
        files=digests,
        kind=kind,
        tokenizer="xlm-roberta" if kind == "xlm_roberta" else "wordpiece",
        query_prefix=query,
        document_prefix=document,
    )


def _window(folder: Path) -> int | None:
    """Tokens read of a text: the model's own word for it, else its tokenizer's."""
    window = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    window = window or _json(folder / "tokenizer_config.json").get("model_max_length")
    return int(window) if isinstance(window, int | float) and 2 < window < 1e6 else None


def _json(path: Path, default: Any = None) -> Any:
    """A file's content; the default, else nothing, where there is none.

    Raises:
        ModelError: if it is not JSON.
    """
    if not path.is_file():
        return {} if default is None else default
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ModelError(f"{path} is not whole JSON; get the model again") from None
