"""Looking encoders up by name, and their weights."""

from __future__ import annotations

import sys
from pathlib import Path

from chunkstudy.core import weights
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.models import MODELS, ModelSpec, spec
from chunkstudy.core.weights import (
    MISSING,
    at_hand,
    check_files,
    record_digests,
    with_recorded_digests,
)
from chunkstudy.encoders import four_bits


def weights_folder(model: ModelSpec) -> Path:
    """A folder with the model's files, each checked by sha256.

    The package or packages that carry them come first, then the hub's cache, then the hub itself.

    Raises:
        ResourceError: if they can be had nowhere, or one has another digest.
    """
    model = with_recorded_digests(model)
    if not model.verified:
        raise ResourceError(
            f"{model.id} is registered but was never checked, so it cannot run: missing is "
            f"{MISSING}; python -m chunkstudy.encoders.models {model.id} records it once"
        )
    return weights.folder_of(model, lambda file, to, _: four_bits.convert(file, to))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, record_digests(spec(name)))
