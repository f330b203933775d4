"""From a registered model to something that computes its token states."""

from __future__ import annotations

from pathlib import Path

import torch

from chunkstudy.base.models import ModelSpec
from chunkstudy.encoders.bert import Bert
from chunkstudy.encoders.jina_bert import JinaBert
from chunkstudy.encoders.models import ModelError
from chunkstudy.encoders.mpnet import MPNet
from chunkstudy.encoders.native import Native
from chunkstudy.encoders.translation import TRANSLATIONS


def load(spec: ModelSpec, folder: Path, device: torch.device, dtype: torch.dtype) -> Bert | Native:
    """The model in a folder whose files were checked.

    Raises:
        ModelError: if they hold another model than registered.
    """
    model: Bert | Native
    if spec.kind == "bert":
        model = Bert(folder, device, dtype)
    elif spec.kind == "jina_bert":
        model = JinaBert(folder, device, dtype)
    elif spec.kind == "mpnet":
        model = MPNet(folder, device, dtype)
    elif spec.kind in TRANSLATIONS:
        model = Native(spec.kind, folder, spec.document_adapter, device, dtype)
        for adapter, prefix in (
            (spec.query_adapter, spec.query_prefix),
            (spec.document_adapter, spec.document_prefix),
        ):
            if adapter and model.instructions.get(adapter) != prefix:
                raise ModelError(
                    f"{spec.id}: its config.json puts {model.instructions.get(adapter)!r} before "
                    f"texts of {adapter}, the registry {prefix!r}; correct the registry"
                )
    else:
        raise ModelError(f"{spec.id} runs behind an API; there is nothing to load")
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
    return model
