"""From the files of a registered model to something that computes its token states: safetensors as
they were published, whole, every key accounted for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.models import ModelSpec

if TYPE_CHECKING:
    from chunkstudy.encoders.bert import Bert

Weights = dict[str, torch.Tensor]
KINDS = {
    "bert": "bert:Bert",
    "mpnet": "mpnet:MPNet",
    "xlm_roberta": "bert:XlmRoberta",
    "jina_bert": "jina_bert:JinaBert",
    "nomic_bert": "rotary:NomicBert",
    "jina_embeddings_v3": "rotary:JinaEmbeddingsV3",
}
"""By a model's kind the file here and the class that computes it."""


def kind(name: str) -> type[Bert]:
    """The class that computes models of a kind."""
    file, of = KINDS[name].split(":")
    made: type[Bert] = getattr(import_module(f"chunkstudy.encoders.{file}"), of)
    return made


def load(spec: ModelSpec, folder: Path, device: torch.device, dtype: torch.dtype) -> Bert:
    """The model in a folder whose files were checked.

    Raises:
        ResourceError: if they hold another model than registered.
    """
    model = kind(spec.kind)(folder, device, dtype)
    said: dict[str, tuple[Any, Any]] = {
        "its sizes": (spec.architecture, model.architecture),
        "positions": (spec.positions, min(spec.positions, model.positions)),
    }
    for adapter, prefix in (
        (spec.query_adapter, spec.query_prefix),
        (spec.document_adapter, spec.document_prefix),
    ):
        if adapter:
            said[f"the text before {adapter}"] = prefix, model.instructions.get(adapter)
    for what, (registered, published) in said.items():
        if registered != published:
            raise ResourceError(
                f"{spec.id}: its config.json says {published!r} of {what}, the registry "
                f"{registered!r}; correct the registry"
            )
    model.adapt(spec.document_adapter)
    return model


def check_keys(present: set[str], expected: set[str], name: str) -> None:
    """Refuse a checkpoint with a key too few or too many, so that no weight stays random."""
    for fault, wrong in (("lacks", expected - present), ("has", present - expected)):
        if wrong:
            raise ResourceError(f"the checkpoint {name} {fault} {min(wrong)}; it is another model")
