"""From a registered model to something that computes its token states."""

from __future__ import annotations

from pathlib import Path

import torch

from chunkstudy.base.faults import ModelError
from chunkstudy.base.models import ModelSpec
from chunkstudy.base.named import Named
from chunkstudy.encoders.bert import Bert

KINDS = {
    "bert": Named("encoders.bert:Bert"),
    "mpnet": Named("encoders.mpnet:MPNet"),
    "xlm_roberta": Named("encoders.bert:XlmRoberta"),
    "jina_bert": Named("encoders.jina_bert:JinaBert"),
    "nomic_bert": Named("encoders.rotary:NomicBert"),
    "jina_embeddings_v3": Named("encoders.rotary:JinaEmbeddingsV3"),
}
"""By a model's kind the class that computes it."""


def load(spec: ModelSpec, folder: Path, device: torch.device, dtype: torch.dtype) -> Bert:
    """The model in a folder whose files were checked.

    Raises:
        ModelError: if they hold another model than registered.
    """
    if spec.kind not in KINDS:
        raise ModelError(f"{spec.id} is no encoder that is computed here; there is nothing to load")
    model: Bert = KINDS[spec.kind](folder, device, dtype)
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
