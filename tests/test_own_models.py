"""A model of anybody's is read as sentence-transformers reads it, plain and late, or it is said why
not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

from chunkstudy.core.errors import ResourceError, UserError
from chunkstudy.encoders import user_models
from chunkstudy.encoders.contextualized import Frame, Layout, most_context, whole
from chunkstudy.encoders.library import LibraryEncoder, LibraryTokenEncoder, encoder
from chunkstudy.user_data.systems import retriever, systems
from tests.checkpoints import save_with_minilms_tokenizer

sentence_transformers = pytest.importorskip("sentence_transformers")
parts = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
TEXTS = ["Rye is sown in autumn.", "oats", "", "Millet and spelt, " * 60]
SIZES: dict[str, Any] = {
    "vocab_size": 30522,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 40,
}
SMALL: dict[str, Any] = SIZES | {"max_position_embeddings": 128, "pad_token_id": 0}
GEMMA = {"num_key_value_heads": 2, "head_dim": 12, "use_bidirectional_attention": True}
CLASSES: dict[str, Any] = {
    "bert": lambda: BertModel(BertConfig(**SIZES, max_position_embeddings=64)),
    "mpnet": lambda: MPNetModel(MPNetConfig(**SIZES, max_position_embeddings=66)),
    "modernbert": lambda: transformers.ModernBertModel(transformers.ModernBertConfig(**SMALL)),
    "nomic_bert": lambda: transformers.NomicBertModel(transformers.NomicBertConfig(**SMALL)),
    "gte": lambda: transformers.GteModel(transformers.GteConfig(**SMALL)),
    "gemma3": lambda: transformers.Gemma3TextModel(transformers.Gemma3TextConfig(**SMALL, **GEMMA)),
}


def read(folder: Path) -> LibraryEncoder:
    """The model in a folder, as an encoder."""
    return encoder(user_models.find(str(folder)))


def saved(kind: str, folder: Path, pooling: str = "mean", **more: Any) -> Path:
    """A random model as the library saves one, with MiniLM's tokenizer, whose padding is never
    used in a comparison of texts one by one."""
    torch.manual_seed(1)
    plain = folder / "plain"
    save_with_minilms_tokenizer(CLASSES[kind](), plain)
    transformer = parts.Transformer(str(plain), max_seq_length=64)
    width = SIZES["hidden_size"]
    modules = [transformer, parts.Pooling(width, pooling_mode=pooling), *more.pop("modules", [])]
    model = sentence_transformers.SentenceTransformer(modules=modules, **more)
    model.save(str(folder / "model"))
    return folder / "model"


def test_vectors_are_the_librarys_with_its_prompts(tmp_path: Path) -> None:
    prompts = {"query": "ask: ", "document": "text: "}
    folder = saved("mpnet", tmp_path, prompts=prompts)
    ours = read(folder)
    assert not ours.why_plain and ours.window == 64
    library = sentence_transformers.SentenceTransformer(str(folder))
    for role, encode in (("query", library.encode_query), ("document", library.encode_document)):
        theirs = np.stack([encode(text, normalize_embeddings=True) for text in TEXTS])
        assert np.abs(ours.encode(TEXTS, role) - theirs).max() < 2e-6  # type: ignore[arg-type]


@pytest.mark.parametrize(("pooling", "dense"), [("cls", False), ("max", True)])
def test_a_model_that_pools_otherwise_is_read_plain_and_says_why(
    pooling: str, dense: bool, tmp_path: Path
) -> None:
    more = [parts.Dense(SIZES["hidden_size"], 24)] if dense else []
    folder = saved("bert", tmp_path, pooling, modules=more)
    ours = read(folder)
    assert "not the mean of its token states" in ours.why_plain
    theirs = sentence_transformers.SentenceTransformer(str(folder))
    expected = theirs.encode_document(TEXTS, normalize_embeddings=True)
    assert np.abs(ours.encode(TEXTS) - expected).max() < 2e-6
    assert ours.dimension == (24 if dense else 48)
    assert len({*ours.keys(TEXTS), *ours.keys(TEXTS, "query")}) == 2 * len(TEXTS)
    assert ours.describe()["weights_sha256"]
    compared, notes = systems(["none"], [str(folder)], ["plain", "late"])
    assert len(compared) == 1 and "takes no late chunking" in notes[0]
    with pytest.raises(UserError, match="leave --ordering out"):
        systems(["none"], [str(folder)], ["late"])


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("pickle", "holds no safetensors; other weights may run code"),
        ("nothing", "neither config.json nor modules.json"),
        ("config", "cannot read model"),
        ("width", "cannot read model"),
    ],
)
def test_a_folder_that_is_no_model_is_refused(fault: str, sentence: str, tmp_path: Path) -> None:
    folder = saved("bert", tmp_path, modules=[parts.Dense(48, 24)] if fault == "width" else [])
    if fault == "pickle":
        (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    elif fault == "nothing":
        (folder / "config.json").unlink()
        (folder / "modules.json").unlink()
    elif fault == "config":
        (folder / "config.json").write_text("{", encoding="utf-8")
    else:
        edited("2_Dense/config.json", lambda c: c | {"in_features": 40}, folder)
    with pytest.raises(ResourceError, match=sentence):
        read(folder)


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
    found = user_models.find("somebody/some-model")
    assert asked == [("somebody/some-model", True)]
    assert found.revision == commit
    assert retriever("somebody/some-model").slug == "somebody__some-model"


DOCUMENT = "Rye is sown in autumn. Oats are sown in spring. Millet and spelt need warmth."


def document_encoder(kind: str, folder: Path, **more: Any) -> tuple[LibraryTokenEncoder, Any]:
    """A random model that the library reads, through our adapter and as the library has it."""
    path = saved(kind, folder, **more)
    ours = read(path)
    assert isinstance(ours, LibraryTokenEncoder)
    return ours, sentence_transformers.SentenceTransformer(str(path))


@pytest.mark.parametrize("dense", [False, True], ids=["mean", "mean and dense"])
@pytest.mark.parametrize("kind", CLASSES)
def test_a_chunk_that_is_the_whole_text_has_the_librarys_vector(
    kind: str, dense: bool, tmp_path: Path
) -> None:
    more = [parts.Dense(SIZES["hidden_size"], 24)] if dense else []
    prompts = {"query": "ask: ", "document": "text: "}
    ours, library = document_encoder(kind, tmp_path, modules=more, prompts=prompts)
    ((ids, offsets),) = ours.content([DOCUMENT])
    assert DOCUMENT[offsets[0, 0] : offsets[-1, 1]] == DOCUMENT
    layout = whole(ours.frame(64).around(ids))
    (vectors,) = ours.pool([layout], [np.array([[0, layout.tokens], [3, 3]])])
    expected = library.encode_document(DOCUMENT, normalize_embeddings=True)
    assert vectors.shape == (2, 24 if dense else 48)
    assert np.abs(vectors[0] - expected).max() < 2e-6
    assert not vectors[1].any()


def test_a_late_chunk_is_the_mean_of_its_states_in_the_window_that_holds_it(tmp_path: Path) -> None:
    ours, library = document_encoder("modernbert", tmp_path)
    ((ids, _),) = ours.content([DOCUMENT])
    frame = Frame(12, ours.ends, ours.prefix_ids)
    layout: Layout = most_context(ids, frame, 4)
    span = np.array([[2, 5]])
    (vectors,) = ours.pool([layout], [span])
    window = torch.tensor([layout.windows[0]])
    with torch.no_grad():
        states = library[0].auto_model(input_ids=window).last_hidden_state[0]
    expected = torch.nn.functional.normalize(states[2:5].mean(dim=0), dim=0).numpy()
    assert np.abs(vectors[0] - expected).max() < 2e-6


def edited(name: str, change: Any, folder: Path) -> None:
    """Change one of a folder's JSON files."""
    path = folder / name
    path.write_text(json.dumps(change(json.loads(path.read_text("utf-8")))), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("modules.json", lambda m: [*m[:2], m[1] | {"idx": 2, "name": "2"}], "Pooling, Pooling"),
        ("1_Pooling/config.json", lambda c: c | {"include_prompt": False}, "not the mean"),
    ],
    ids=["two poolings", "prompt left out"],
)
def test_late_chunking_takes_one_mean_of_all_token_states(
    name: str, change: Any, why: str, tmp_path: Path
) -> None:
    folder = saved("modernbert", tmp_path)
    edited(name, change, folder)
    assert why in read(folder).why_plain
