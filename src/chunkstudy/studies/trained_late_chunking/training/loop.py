"""The training loop: the same recipe on the same machine gives the same weights. A run takes some
minutes; one that was killed begins anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from chunkstudy.base.files import sha256
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.trained_late_chunking.training import checkpoints
from chunkstudy.studies.trained_late_chunking.training.batches import (
    Batch,
    Library,
    once,
    read_whole,
    stream,
)
from chunkstudy.studies.trained_late_chunking.training.checkpoints import WEIGHTS, Progress
from chunkstudy.studies.trained_late_chunking.training.model import Trainee
from chunkstudy.studies.trained_late_chunking.training.passages import Tokenizes
from chunkstudy.studies.trained_late_chunking.training.recipe import ALONE, CONTEXT, MIXED, Recipe
from chunkstudy.studies.trained_late_chunking.training.triples import Triple


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


Say = Callable[[str], None]
OTHERS = {
    "digest": "another recipe or other triples",
    "origin": "another model to start from or other passages",
}
"""What a run of another digest is of."""


def train(
    recipe: Recipe,
    base: Path,
    folder: Path,
    tokenizer: Tokenizes,
    library: Library,
    training: Sequence[Triple],
    validation: Sequence[Triple],
    say: Say = print,
) -> dict[str, Any]:
    """Train a model, unless the folder holds it; it then holds the weights with the lowest loss on
    the validation part, those before the first step included.

    Triples whose passage is too long to be read alone are left out, whichever way the recipe reads
    passages, and counted.

    Args:
        recipe: how.
        base: folder of the model it starts from.
        folder: where the model is left.
        tokenizer: an encoder of that model.
        library: passages of all documents named by a triple.
        training: triples to train on.
        validation: triples that decide when to stop.
        say: hears how far it is.

    Raises:
        StudyError: if the loss is not finite, or the folder holds another run: another recipe,
            other triples, another model to start from, or other passages.
    """
    torch.set_num_threads(1)  # sums of several threads need not be the same twice
    given = len(training) + len(validation)
    training, validation = read_whole(training, library), read_whole(validation, library)
    begun = Progress(recipe.digest(training, validation), origin_digest(base, library))
    if found := checkpoints.summary(folder):
        for name, other in OTHERS.items():
            if found[name] != getattr(begun, name):
                raise StudyError(
                    f"{folder} holds a run of {other}; delete it or choose another folder"
                )
        return found
    run = _Run(recipe, base, tokenizer, library, validation, begun)
    run.look()
    for batch in islice(stream(training, library, recipe.tokens, recipe.seed), recipe.steps):
        if run.progress.waited >= recipe.patience:
            break
        run.step(batch)
        step = run.progress.step
        if step % recipe.every == 0 or step == recipe.steps:
            run.look()
            say(run.line())
    about = {
        "recipe": asdict(recipe),
        **asdict(run.progress),
        "training_triples": len(training),
        "validation_triples": len(validation),
        "triples_left_out": given - len(training) - len(validation),
    }
    checkpoints.finish(folder, base, run.best, about)
    return checkpoints.summary(folder)


def origin_digest(base: Path, library: Library) -> str:
    """sha256 of the weights that a run starts from and of the passages that it may read."""
    found = hashlib.sha256(sha256(base / WEIGHTS).encode())
    for source in sorted(library):
        document = library[source]
        read = (document.alone, document.layout.windows)
        found.update(json.dumps([source, *(list(map(list, ids)) for ids in read)]).encode())
        found.update(document.tokens.astype("<i8").tobytes())
    return found.hexdigest()


class _Run:
    def __init__(
        self,
        recipe: Recipe,
        base: Path,
        tokenizer: Tokenizes,
        library: Library,
        validation: Sequence[Triple],
        begun: Progress,
    ) -> None:
        self.recipe = recipe
        self.tokenizer = tokenizer
        self.model = Trainee(base)
        self.watched = once(validation, library, recipe.tokens)
        self.progress = begun
        self.best: dict[str, torch.Tensor] = {}
        matrices = [w for w in self.model.weights.values() if w.dim() > 1]
        others = [w for w in self.model.weights.values() if w.dim() < 2]
        self.optimiser = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": recipe.decay},
                {"params": others, "weight_decay": 0.0},
            ],
            lr=recipe.rate,
            fused=True,
        )

    def step(self, batch: Batch) -> None:
        """One step of the optimiser."""
        recipe, progress = self.recipe, self.progress
        loss = self.loss(batch, recipe.in_context(progress.step))
        if not torch.isfinite(loss):
            self.stop("loss")
        loss.backward()
        length = torch.nn.utils.clip_grad_norm_(
            list(self.model.weights.values()), recipe.clip, foreach=False
        )
        if not torch.isfinite(length):
            self.stop("gradient")
        for group in self.optimiser.param_groups:
            group["lr"] = recipe.rate_at(progress.step)
        self.optimiser.step()
        self.optimiser.zero_grad()
        progress.step += 1
        progress.read += batch.read
        progress.asked += len(batch.questions)
        progress.losses.append(loss.item())

    def loss(self, batch: Batch, in_context: bool) -> torch.Tensor:
        """InfoNCE of a batch whose passages are read in one of the two ways."""
        model = self.model
        questions = model.plain(self.tokenizer.token_ids(batch.questions))
        passages = (
            model.pooled(batch.layouts, batch.tokens) if in_context else model.plain(batch.alone)
        )
        return info_nce(
            questions,
            passages,
            torch.from_numpy(batch.positive),
            torch.from_numpy(batch.relevant),
            self.recipe.temperature,
        )

    @torch.no_grad()
    def look(self) -> None:
        """The loss on the validation part, passages read as in training; the best weights are
        kept."""
        progress = self.progress
        ways = {ALONE: (False,), CONTEXT: (True,), MIXED: (True, False)}[self.recipe.arm]
        total = sum(
            self.loss(batch, way).item() * len(batch.questions)
            for way in ways
            for batch in self.watched
        )
        loss = total / len(ways) / sum(len(batch.questions) for batch in self.watched)
        if not torch.isfinite(torch.tensor(loss)):
            self.stop("loss on the validation part")
        progress.looks.append((progress.step, loss))
        progress.waited += 1
        if loss < progress.lowest:
            progress.best, progress.lowest, progress.waited = progress.step, loss, 0
            self.best = self.model.published()

    def stop(self, what: str) -> None:
        """Refuse to go on from a number that is none."""
        raise StudyError(
            f"the {what} is not finite after step {self.progress.step} of {self.recipe.name}; "
            "lower the learning rate"
        )

    def line(self) -> str:
        """How far it is, for the one who waits."""
        progress, recent = self.progress, self.progress.losses[-self.recipe.every :]
        return (
            f"{self.recipe.name}: step {progress.step} of {self.recipe.steps}, loss "
            f"{sum(recent) / len(recent):.3f}, validation {progress.looks[-1][1]:.3f}"
        )
