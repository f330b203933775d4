"""The list of models: what is said of each has a source, and late chunking's checklist is applied
word by word."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from transformers import JinaEmbeddingsV3Config
from typer.testing import CliRunner

from chunkstudy.cli.main import app
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.models import Architecture, Card, ModelSpec, read_models
from chunkstudy.encoders import models
from chunkstudy.encoders.checkpoint import kind
from chunkstudy.studies.jina import checklist
from tests.checkpoints import unused_positions

ENTRY = 'id = "a"\nwindow = 1\npositions = 1\ndimension = 1\nlicence = "MIT"'
GOOD = ModelSpec(
    "somebody/long",
    window=8192,
    positions=8192,
    dimension=8,
    licence="MIT",
    document_prefix="passage: ",
    card=Card("mean", "bidirectional", "rotary", tuned=8192, tuned_source="its card"),
)

PUBLIC = json.loads((Path(__file__).parent / "data" / "public_configurations.json").read_bytes())
"""Of models that cannot be had here what public copies of their ``config.json`` say, as far as the
copy goes (looked up on 28 November 2026; of Jina's small model none was found)."""
PUBLIC["jinaai/jina-embeddings-v3"]["config"] |= {
    key: value
    for key, value in JinaEmbeddingsV3Config().to_dict().items()
    if key not in ("model_type", "position_embedding_type")
}


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("nothing may be downloaded")


def other(**changed: Any) -> ModelSpec:
    return replace(GOOD, **changed)


def said(**changed: Any) -> ModelSpec:
    return other(card=replace(GOOD.card, **changed))


def test_cards_do_not_contradict_what_is_loaded() -> None:
    for spec in checklist.every():
        if spec.kind == "causal":
            assert spec.card.attention == "causal"
        elif spec.kind == "api":
            assert spec.card == Card()  # nobody outside knows
        else:
            assert spec.card.pooling == "mean"
            assert spec.card.attention == "bidirectional"
            assert ("relative" in spec.card.positions) == (spec.kind == "mpnet")
            assert (spec.card.positions == "ALiBi") == (spec.kind == "jina_bert")


def test_whoever_says_how_long_texts_a_model_was_trained_on_is_named() -> None:
    for card in (spec.card for spec in checklist.every()):
        assert card.pretrained_source or not card.pretrained
        assert card.tuned_source or not card.tuned


@pytest.mark.parametrize(
    ("lacking", "why"),
    [
        (other(kind="api"), "returns one vector for a text and no token states"),
        (other(window=512), "reads 512 tokens, fewer than 8,192"),
        (said(attention="causal"), "no token's state knows what comes later"),
        (said(pooling="none"), "has no pooling of its own"),
    ],
)
def test_each_thing_that_a_model_lacks_is_said_by_itself(lacking: ModelSpec, why: str) -> None:
    assert not checklist.obstacles(GOOD) and not checklist.row(GOOD)["doubts"]
    (obstacle,) = checklist.obstacles(lacking)
    assert why in obstacle


def test_texts_shorter_than_the_window_in_training_are_a_doubt_and_no_obstacle() -> None:
    short = said(tuned=512)
    assert checklist.row(short)["doubts"] == "it was tuned on texts of up to 512 tokens"
    silent = said(tuned=None, tuned_source="")
    assert checklist.row(silent)["doubts"] == "on how long texts it was tuned is not known"


@pytest.mark.parametrize("id", PUBLIC)
def test_the_registry_and_the_encoders_agree_with_public_copies_of_config_json(id: str) -> None:
    spec, config = models.spec(id), PUBLIC[id]["config"]
    computed = kind(spec.kind)
    sizes = {ours: config[published] for ours, published in computed.sizes.items()}
    assert spec.positions == sizes.pop("positions") - unused_positions(spec.kind)
    del sizes["epsilon"]
    assert spec.architecture == Architecture(**sizes, gated=computed.gated)
    for key, wanted in {**computed.computed_with, **computed.unless_absent}.items():
        assert config.get(key, wanted) == wanted


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ('[model.card]\nattention = "both"', "a: card.attention"),
        ('[model.card]\npoolnig = "mean"', "a: card.poolnig"),
        ("windwo = 3", "a: windwo"),
        ('kind = "gpt"', "a: kind"),
        ("[[model]]\n" + ENTRY, "has a twice"),
    ],
)
def test_an_entry_out_of_shape_is_refused(entry: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(f"[[model]]\n{ENTRY}\n{entry}\n", encoding="utf-8")
    with pytest.raises(ResourceError, match=sentence):
        read_models(path)


def test_late_chunking_suits_long_mean_pooled_models_and_the_command_says_why_not_others() -> None:
    shown = CliRunner().invoke(app, ["models"])
    assert shown.exit_code == 0
    blocks = shown.stdout.strip().split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == [one.id for one in checklist.every()]
    suits = [block for block in blocks if "late chunking suits  yes" in block]
    assert [block.split("\n")[0] for block in suits] == [
        "jinaai/jina-embeddings-v2-small-en",
        "jinaai/jina-embeddings-v2-base-en",
        "jinaai/jina-embeddings-v3",
        "nomic-ai/nomic-embed-text-v1",
    ]
    assert not any("why not" in block for block in suits)
    assert all("why not" in block for block in blocks if block not in suits)


def test_weights_are_at_hand_where_a_package_or_a_folder_has_them_and_nothing_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.snapshot_download", refuse)
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda *_, **__: "a/file")
    spec = models.spec("intfloat/multilingual-e5-large")
    assert models.at_hand(spec)
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda *_, **__: None)
    assert not models.at_hand(spec)
    assert models.at_hand(replace(spec, package="pytest"))
    assert not models.at_hand(replace(spec, package="no_such_package"))
    assert not models.at_hand(models.spec("text-embedding-3-large"))
    made = tmp_path / "models" / f"intfloat__multilingual-e5-large-{spec.revision[:12]}"
    made.mkdir(parents=True)
    for name in spec.files:
        assert not models.at_hand(spec)
        (made / name).touch()
    assert models.at_hand(spec)
