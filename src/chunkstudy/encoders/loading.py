"""From a registered model to something that computes its token states."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import torch

from chunkstudy.base.faults import ModelError
from chunkstudy.base.models import ModelSpec
from chunkstudy.encoders.bert import Bert

KINDS = {
    "bert": "bert:Bert",
    "mpnet": "mpnet:MPNet",
    "xlm_roberta": "bert:XlmRoberta",
    "jina_bert": "jina_bert:JinaBert",
    "nomic_bert": "rotary:NomicBert",
    "jina_embeddings_v3": "rotary:JinaEmbeddingsV3",
}
"""By a model's kind the file beside this one and the class that computes it."""


def computed_by(kind: str) -> type[Bert]:
    """The class that computes models of a kind."""
    file, _, name = KINDS[kind].partition(":")
    stack: type[Bert] = getattr(import_module(f"chunkstudy.encoders.{file}"), name)
    return stack


def load(spec: ModelSpec, folder: Path, device: torch.device, dtype: torch.dtype) -> Bert:
    """The model in a folder whose files were checked.

    Raises:
        ModelError: if they hold another model than registered.
    """
    if spec.kind not in KINDS:
        raise ModelError(f"{spec.id} is no encoder that is computed here; there is nothing to load")
    model = computed_by(spec.kind)(folder, device, dtype)
    if spec.architecture not in (None, model.architecture):
        raise ModelError(
            f"{spec.id}: its config.json describes {model.architecture}, the registry "
            f"{spec.architecture}; correct the registry"
        )
    if spec.positions > model.positions:
        raise ModelError(
            f"{spec.id}: its config.json has {model.positions} positions, the registry "
            f"{spec.positions}; correct the registry"
        )
    for adapter, prefix in (
        (spec.query_adapter, spec.query_prefix),
        (spec.document_adapter, spec.document_prefix),
    ):
        if adapter and model.instructions.get(adapter) != prefix:
            raise ModelError(
                f"{spec.id}: its config.json puts {model.instructions.get(adapter)!r} before "
                f"texts of {adapter}, the registry {prefix!r}; correct the registry"
            )
    model.adapt(spec.document_adapter)
    return model
