"""What tests share: the real collection where it is at hand, models that cost nothing, children
that can be killed, and no network but the loopback."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from chunkstudy.collections import chroma
from chunkstudy.core import sources
from chunkstudy.core.spans import Collection
from tests import forking

# Neither a deadline nor a slow draw fails a test: a busy machine is no fault of the code.
settings.register_profile(
    "chunkstudy", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("chunkstudy")
LOOPBACK = ("localhost", "127.0.0.1", "::1", None)


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """Names of other machines are not found, and at once: no test waits for one."""
    resolve = socket.getaddrinfo

    def only_here(host: Any, *given: Any, **named: Any) -> Any:
        if host not in LOOPBACK:
            raise socket.gaierror(f"{host}: tests have no network but the loopback")
        return resolve(host, *given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", only_here)
        yield


@pytest.fixture(scope="module", autouse=True)
def threads() -> Iterator[None]:
    """What a file sets of torch's threads ends with it."""
    import torch

    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def chroma_collection() -> Collection:
    if not all(sources.find(f"chroma/{name}") for name in sources.listed("chroma")):
        pytest.skip("Chroma's files are not here; set CHUNKSTUDY_DATA or run `chunkstudy fetch`")
    return chroma.load()


@pytest.fixture(scope="session")
def little_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random BERT in the hub's layout, with a real tokenizer: the mean of random word
    vectors tells texts by their words."""
    import torch
    from transformers import BertConfig, BertModel

    from tests.checkpoints import save_with_minilms_tokenizer

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
    save_with_minilms_tokenizer(BertModel(config), folder)
    saved = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    written = saved | {"position_embedding_type": "absolute"}
    (folder / "config.json").write_text(json.dumps(written), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small collection and model of :mod:`tests.fault_scenes`."""
    folder = tmp_path_factory.mktemp("world")
    forking.well("prepare", folder)
    return folder
