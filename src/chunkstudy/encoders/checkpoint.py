"""From the files of a registered model to something that computes its token states: safetensors as
they were published, whole, every key accounted for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from chunkstudy.base.faults import ModelError
from chunkstudy.base.models import ModelSpec

if TYPE_CHECKING:
    from chunkstudy.encoders.bert import Bert

Weights = dict[str, torch.Tensor]
WEIGHTS = "model.safetensors"
PICKLES = {".bin", ".pt", ".pth", ".pkl", ".ckpt"}
KINDS = {
    "bert": "bert:Bert",
    "mpnet": "mpnet:MPNet",
    "xlm_roberta": "bert:XlmRoberta",
    "jina_bert": "jina_bert:JinaBert",
    "nomic_bert": "rotary:NomicBert",
    "jina_embeddings_v3": "rotary:JinaEmbeddingsV3",
}
"""By a model's kind the file here and the class that computes it."""


def load(spec: ModelSpec, folder: Path, device: torch.device, dtype: torch.dtype) -> Bert:
    """The model in a folder whose files were checked.

    Raises:
        ModelError: if they hold another model than registered.
    """
    if spec.kind not in KINDS:
        raise ModelError(f"{spec.id} is no encoder that is computed here; there is nothing to load")
    file, name = KINDS[spec.kind].split(":")
    made = getattr(import_module(f"chunkstudy.encoders.{file}"), name)
    model: Bert = made(folder, device, dtype)
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


def read_weights(folder: Path) -> Weights:
    """The tensors of ``model.safetensors``, as stored.

    Raises:
        ModelError: if the file is missing, cut short or damaged, or there is only a pickle, which
            may hold code and is never read.
    """
    path = folder / WEIGHTS
    if path.is_file():
        try:
            return load_file(path)
        except SafetensorError as error:
            raise ModelError(
                f"{folder.name}/{WEIGHTS} is cut short or damaged; install it again"
            ) from error
    pickled = next((file.name for file in folder.iterdir() if file.suffix in PICKLES), None)
    raise ModelError(
        f"{folder.name} holds pickled weights only ({pickled}), which may run code and are "
        "never read; get model.safetensors"
        if pickled
        else f"{folder.name} holds no model.safetensors; install it again"
    )


def check_keys(present: set[str], expected: set[str], name: str) -> None:
    """Refuse a checkpoint with a key too few or too many, so that no weight stays random."""
    for fault, wrong in (("lacks", expected - present), ("has", present - expected)):
        if wrong:
            raise ModelError(f"the checkpoint {name} {fault} {min(wrong)}; it is another model")
