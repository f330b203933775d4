"""The training loop: the same part on the same machine gives the same weights. A run takes some
minutes, and leaves a folder that loads as a model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pandas as pd
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from safetensors.torch import save as serialised
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_

from chunkstudy.core.errors import StudyError
from chunkstudy.core.files import sha256, write_bytes
from chunkstudy.encoders.bert import FUSED, SPLIT, Bert
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.pooling import normalise, pool_spans
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.studies.trained_late_chunking.batches import (
    Batch,
    Library,
    batches,
    read_whole,
    shuffled,
)
from chunkstudy.studies.trained_late_chunking.parts import CLIP, DECAY, Part, Triple

WEIGHTS = "model.safetensors"


def info_nce(
    questions: torch.Tensor,
    passages: torch.Tensor,
    positive: torch.Tensor,
    relevant: torch.Tensor,
    temperature: float,
) -> torch.Tensor:
    """Mean over questions of minus the log of the share that its passage has among all.

    From questions to passages only: several questions share a passage and most passages have no
    question, so the other direction has no single right answer. Other passages that answer the
    question too are neither right nor wrong here; they are left out of its sum.

    Args:
        questions: (questions, d), unit length.
        passages: (passages, d), unit length.
        positive: (questions,), the passage of each.
        relevant: (questions, passages), true where a passage answers the question.
        temperature: by which the cosines are divided.
    """
    cosines = questions @ passages.T / temperature
    aside = relevant.clone()
    aside[torch.arange(len(positive)), positive] = False
    return functional.cross_entropy(cosines.masked_fill(aside, -torch.inf), positive)


class TrainableModel:
    """The BERT in a folder, nothing frozen, without dropout, in float32 on one device; it reads as
    the study reads, plain or pooled in context.

    Args:
        folder: of the model.
        encoder: of the same, which tokenizes.

    Raises:
        ResourceError: if the folder holds no BERT.
    """

    def __init__(self, folder: Path, encoder: TransformerEncoder) -> None:
        self.bert, self.encoder = Bert(folder), encoder
        self.weights = self.bert.weights
        stored = load_file(folder / WEIGHTS)
        self._pooler = {name: stored[name] for name in stored if name.startswith("pooler.")}
        for weight in self.weights.values():
            weight.requires_grad_(True)

    def plain(self, texts: Sequence[str]) -> torch.Tensor:
        """Unit vectors (texts, d), in their order."""
        states = self._states(self.encoder.token_ids(texts))
        return normalise(torch.stack([of_text.mean(dim=0) for of_text in states]))

    def pooled(self, layouts: Sequence[Layout], spans: Sequence[NDArray]) -> torch.Tensor:
        """Unit vectors (spans, d) pooled from documents read in windows, document by document."""
        of_window = iter(self._states([ids for layout in layouts for ids in layout.windows]))
        vectors = []
        for layout, places in zip(layouts, spans, strict=True):
            states = torch.cat([next(of_window)[a:b] for a, b in layout.kept])
            starts, ends = torch.from_numpy(places).T
            vectors.append(pool_spans(states, starts, ends))
        return normalise(torch.cat(vectors))

    def loss(self, batch: Batch, in_context: bool, temperature: float) -> torch.Tensor:
        """InfoNCE of a batch whose passages are read in one of the two ways."""
        questions = self.plain(batch.questions)
        read = self.pooled(batch.layouts, batch.tokens) if in_context else self.plain(batch.alone)
        return info_nce(questions, read, batch.positive, batch.relevant, temperature)

    def published(self) -> dict[str, torch.Tensor]:
        """Copies of the weights under the names of BERT's checkpoints, with the pooler as it was,
        which no vector here goes through and other software expects."""
        copies = {name: weight.clone() for name, weight in self._pooler.items()}
        for name, weight in self.weights.items():
            names = [name.replace(FUSED, part) for part in SPLIT] if FUSED in name else [name]
            rows = weight.detach().chunk(len(names))
            copies |= {name: part.clone() for name, part in zip(names, rows, strict=True)}
        return copies

    def _states(self, texts: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """(tokens, d) of each text; texts of equal length are computed together."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        groups = self.bert.computed([texts[i] for i in order])
        states = dict(zip(order, (text for group in groups for text in group), strict=True))
        return [states[i] for i in range(len(texts))]


def train(
    part: Part,
    base: Path,
    folder: Path,
    encoder: TransformerEncoder,
    library: Library,
    training: Sequence[Triple],
    validation: Sequence[Triple],
) -> tuple[dict[str, object], pd.DataFrame]:
    """Train a model; the folder then holds the weights with the lowest loss on the validation part,
    those before the first step included.

    Triples whose passage is too long to be read alone are left out, whichever way the part reads
    passages, and counted.

    Args:
        part: how.
        base: folder of the model it starts from.
        folder: where the model is left.
        encoder: of that model.
        library: passages of all documents named by a triple.
        training: triples to train on.
        validation: triples that decide which weights are kept.

    Returns:
        What the table ``parts`` says of it: the weights' sha256, how many triples it had, the
        ``steps`` taken and the best of them. And by ``step`` its ``loss`` and, at each look, that
        on the validation part.

    Raises:
        StudyError: if a gradient is not finite.
    """
    torch.set_num_threads(1)  # sums of several threads need not be the same twice
    given = len(training) + len(validation)
    training, validation = (read_whole(each, library, encoder) for each in (training, validation))
    model = TrainableModel(base, encoder)
    watched = list(batches(sorted(validation), validation, library, part.tokens))
    parameters = list(model.weights.values())
    matrices = [weight for weight in parameters if weight.dim() > 1]
    others = {"params": [w for w in parameters if w.dim() < 2], "weight_decay": 0.0}
    groups = [{"params": matrices, "weight_decay": DECAY}, others]
    optimiser = torch.optim.AdamW(groups, lr=part.rate, fused=True)
    stream = batches(shuffled(training, library, part.seed), training, library, part.tokens)
    losses: list[float] = []
    looks = [(0, _validation(model, watched, part))]
    best, weights, seen = looks[0], model.published(), 0
    for step, batch in enumerate(islice(stream, part.steps)):
        loss = model.loss(batch, part.in_context(step), part.temperature)
        loss.backward()
        length = clip_grad_norm_(parameters, CLIP, foreach=False)
        if not torch.isfinite(length):
            raise StudyError(
                f"the gradient is not finite after step {step} of {part.model}; lower the learning "
                "rate"
            )
        for group in optimiser.param_groups:
            group["lr"] = part.rate_at(step)
        optimiser.step()
        optimiser.zero_grad()
        losses.append(loss.item())
        seen += len(batch.questions)
        taken = step + 1
        if taken % part.every == 0 or taken == part.steps:
            looks.append((taken, _validation(model, watched, part)))
            if looks[-1][1] < best[1]:
                best, weights = looks[-1], model.published()
    for name in ("config.json", "tokenizer.json"):
        write_bytes(folder / name, (base / name).read_bytes())
    write_bytes(folder / WEIGHTS, serialised(weights), durable=True)
    curve = {"loss": pd.Series(losses, range(1, len(losses) + 1)), "validation loss": dict(looks)}
    return {
        "weights_sha256": sha256(folder / WEIGHTS),
        "training triples": len(training),
        "validation triples": len(validation),
        "triples left out": given - len(training) - len(validation),
        "steps": len(losses),
        "best step": best[0],
        "triples seen": min(seen, len(training)),
    }, pd.DataFrame(curve).rename_axis("step").reset_index()


@torch.no_grad()
def _validation(model: TrainableModel, watched: Sequence[Batch], part: Part) -> float:
    """The loss on the validation part, passages read as in training."""
    ways = dict.fromkeys(map(part.in_context, range(2)))  # two steps show every way
    total = sum(
        model.loss(batch, way, part.temperature).item() * len(batch.questions)
        for way in ways
        for batch in watched
    )
    return total / len(ways) / sum(len(batch.questions) for batch in watched)
