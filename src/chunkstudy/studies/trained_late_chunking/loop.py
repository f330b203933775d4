"""The training loop: the same part on the same machine gives the same weights. A run takes some
minutes; one that was killed begins anew.

It leaves a folder that loads as a model, with a file that says how it was trained.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from safetensors.torch import save as serialised
from torch.nn import functional

from chunkstudy.base.files import sha256, write_bytes, write_json
from chunkstudy.base.models import ModelSpec
from chunkstudy.encoders.bert import FUSED, SPLIT, Bert
from chunkstudy.encoders.contextualized import Layout
from chunkstudy.encoders.models import check_files
from chunkstudy.encoders.pooling import normalise, pool_spans, sequence
from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.trained_late_chunking.batches import (
    Batch,
    Library,
    once,
    read_whole,
    stream,
)
from chunkstudy.studies.trained_late_chunking.parts import ALONE, CONTEXT, MIXED, Part
from chunkstudy.studies.trained_late_chunking.questions import Triple

WEIGHTS, SUMMARY = "model.safetensors", "training.json"


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
        relevant: (questions, passages), true where a passage answers the question, which not all
            may do.
        temperature: by which the cosines are divided.
    """
    cosines = questions @ passages.T / temperature
    aside = relevant.clone()
    aside[torch.arange(len(positive)), positive] = False
    return functional.cross_entropy(cosines.masked_fill(aside, -torch.inf), positive)


class Trainee:
    """The BERT in a checked folder, nothing frozen, without dropout, in float32 on one device; it
    reads as the study reads, plain or pooled in context.

    Raises:
        ModelError: if the folder holds no BERT.
    """

    def __init__(self, folder: Path) -> None:
        self.bert = Bert(folder)
        self.weights = self.bert.weights
        stored = load_file(folder / WEIGHTS)
        self._pooler = {name: stored[name] for name in stored if name.startswith("pooler.")}
        for weight in self.weights.values():
            weight.requires_grad_(True)

    def plain(self, texts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Unit vectors (texts, d) of ids with their special tokens, in their order."""
        return normalise(torch.stack([states.mean(dim=0) for states in self._states(texts)]))

    def pooled(self, layouts: Sequence[Layout], spans: Sequence[NDArray]) -> torch.Tensor:
        """Unit vectors (spans, d) pooled from documents read in windows, document by document."""
        of_window = iter(self._states([ids for layout in layouts for ids in layout.windows]))
        vectors = []
        for layout, places in zip(layouts, spans, strict=True):
            states = sequence([next(of_window)[a:b] for a, b in layout.kept], layout.places)
            starts, ends = torch.from_numpy(places).T
            vectors.append(pool_spans(states, starts, ends))
        return normalise(torch.cat(vectors))

    def _states(self, texts: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """(tokens, d) of each text; texts of equal length are computed together."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        groups = self.bert.computed([texts[i] for i in order])
        states = dict(zip(order, (one for group in groups for one in group), strict=True))
        return [states[i] for i in range(len(texts))]

    def published(self) -> dict[str, torch.Tensor]:
        """Copies of the weights under the names of BERT's checkpoints, with the pooler as it was,
        which no vector here goes through and other software expects."""
        copies = {name: weight.clone() for name, weight in self._pooler.items()}
        for name, weight in self.weights.items():
            names = [name.replace(FUSED, part) for part in SPLIT] if FUSED in name else [name]
            rows = weight.detach().chunk(len(names))
            copies |= {name: part.clone() for name, part in zip(names, rows, strict=True)}
        return copies


def train(
    part: Part,
    base: Path,
    folder: Path,
    tokenizer: TransformerEncoder,
    library: Library,
    training: Sequence[Triple],
    validation: Sequence[Triple],
    say: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Train a model, unless the folder holds it; it then holds the weights with the lowest loss on
    the validation part, those before the first step included.

    Triples whose passage is too long to be read alone are left out, whichever way the part reads
    passages, and counted.

    Args:
        part: how.
        base: folder of the model it starts from.
        folder: where the model is left.
        tokenizer: an encoder of that model.
        library: passages of all documents named by a triple.
        training: triples to train on.
        validation: triples that decide when to stop.
        say: hears how far it is.

    Returns:
        The digest of the recipe and the triples; ``step``s taken and the ``best`` of them; windows'
        tokens ``read`` and questions ``asked``; ``losses`` of each step and, at each look at the
        validation part, its step and loss; how many triples; and the weights' sha256.

    Raises:
        StudyError: if the loss is not finite, or the folder holds another run: another recipe or
            other triples.
    """
    torch.set_num_threads(1)  # sums of several threads need not be the same twice
    given = len(training) + len(validation)
    training, validation = read_whole(training, library), read_whole(validation, library)
    digest = part.digest(training, validation)
    if about := summary(folder):
        if about["digest"] != digest:
            raise StudyError(
                f"{folder} holds a run of another recipe or other triples; delete it or choose "
                "another folder"
            )
        return about
    model = Trainee(base)
    watched = once(validation, library, part.tokens)
    optimiser = _optimiser(model, part)
    batches = islice(stream(training, library, part.tokens, part.seed), part.steps)
    losses: list[float] = []
    looks = [(0, _validation(model, tokenizer, watched, part))]
    best, weights, read, asked = looks[0], model.published(), 0, 0
    for step, batch in enumerate(batches):
        loss = _loss(model, tokenizer, batch, part.in_context(step), part.temperature)
        _finite(loss, "loss", part, step)
        loss.backward()
        length = torch.nn.utils.clip_grad_norm_(
            list(model.weights.values()), part.clip, foreach=False
        )
        _finite(length, "gradient", part, step)
        for group in optimiser.param_groups:
            group["lr"] = part.rate_at(step)
        optimiser.step()
        optimiser.zero_grad()
        losses.append(loss.item())
        read += batch.read
        asked += len(batch.questions)
        taken = step + 1
        if taken % part.every == 0 or taken == part.steps:
            looks.append((taken, _validation(model, tokenizer, watched, part)))
            say(f"{part.model}: step {taken} of {part.steps}, validation {looks[-1][1]:.3f}")
            if looks[-1][1] < best[1]:
                best, weights = looks[-1], model.published()
            elif len(looks) - 1 - looks.index(best) >= part.patience:
                break
    about = {
        "digest": digest,
        "step": len(losses),
        "best": best[0],
        "read": read,
        "asked": asked,
        "losses": losses,
        "looks": looks,
        "training_triples": len(training),
        "validation_triples": len(validation),
        "triples_left_out": given - len(training) - len(validation),
    }
    for name in ("config.json", "tokenizer.json"):
        write_bytes(folder / name, (base / name).read_bytes())
    write_bytes(folder / WEIGHTS, serialised(weights), durable=True)
    write_json(folder / SUMMARY, {**about, "weights_sha256": sha256(folder / WEIGHTS)})
    return summary(folder)


def _optimiser(model: Trainee, part: Part) -> torch.optim.Optimizer:
    weights = model.weights.values()
    groups = [
        {"params": [w for w in weights if w.dim() > 1], "weight_decay": part.decay},
        {"params": [w for w in weights if w.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=part.rate, fused=True)


def _loss(
    model: Trainee, tokenizer: TransformerEncoder, batch: Batch, in_context: bool, heat: float
) -> torch.Tensor:
    """InfoNCE of a batch whose passages are read in one of the two ways."""
    questions = model.plain(tokenizer.token_ids(batch.questions))
    passages = model.pooled(batch.layouts, batch.tokens) if in_context else model.plain(batch.alone)
    positive, relevant = torch.from_numpy(batch.positive), torch.from_numpy(batch.relevant)
    return info_nce(questions, passages, positive, relevant, heat)


@torch.no_grad()
def _validation(
    model: Trainee, tokenizer: TransformerEncoder, watched: Sequence[Batch], part: Part
) -> float:
    """The loss on the validation part, passages read as in training."""
    ways = {ALONE: (False,), CONTEXT: (True,), MIXED: (True, False)}[part.arm]
    total = sum(
        _loss(model, tokenizer, batch, way, part.temperature).item() * len(batch.questions)
        for way in ways
        for batch in watched
    )
    loss = total / len(ways) / sum(len(batch.questions) for batch in watched)
    _finite(torch.tensor(loss), "loss on the validation part", part)
    return loss


def _finite(value: torch.Tensor, what: str, part: Part, step: int | None = None) -> None:
    """Refuse to go on from a number that is none."""
    if not torch.isfinite(value):
        after = "" if step is None else f" after step {step}"
        raise StudyError(
            f"the {what} is not finite{after} of {part.model}; lower the learning rate"
        )


def summary(folder: Path) -> dict[str, Any]:
    """How the model in a folder was trained; nothing where none was finished."""
    path = folder / SUMMARY
    about: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return about


def trained(folder: Path, base: ModelSpec, name: str) -> ModelSpec:
    """The model of a finished run, as the registry would describe it.

    Its id is the base model's and how it was trained; it has no place on the hub, so its revision
    is the first 40 digits of its weights' sha256.

    Raises:
        StudyError: if no run was finished there.
        ModelError: if the weights are not those that the run left.
    """
    about = summary(folder)
    if not about:
        raise StudyError(f"no finished training lies in {folder}; train {name} first")
    digest = str(about["weights_sha256"])
    files = {**base.files, WEIGHTS: digest}
    spec = replace(
        base, id=f"{base.id} trained {name}", revision=digest[:40], files=files, package=None,
        parts=None,
    )  # fmt: skip
    check_files(folder, spec)
    return spec
