"""A causal language model in this process, through transformers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunkstudy.base.models import ModelSpec
from chunkstudy.llm.causal_models import causal_model, load, weights_folder
from chunkstudy.llm.interface import LanguageModelError, Message, Reply, Request

if TYPE_CHECKING:
    import torch

TOGETHER = 32
"""Allowed answers whose likelihoods are computed in one pass."""


class LocalProvider:
    """A model that is loaded when it is first asked; it answers one request at a time.

    Temperature 0 takes the likeliest token each time. Above it tokens are drawn from a generator
    that starts at the request's seed, 0 where it has none.

    Args:
        name: the model's, as :func:`causal_model` takes it.
        folder: its files; found by :func:`weights_folder` by default.
    """

    name = "local"
    endpoint = "local"

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.model: ModelSpec = causal_model(name)
        self._folder = folder
        self._loaded: Causal | None = None
        self._lock = threading.Lock()

    def describe(self) -> dict[str, Any]:
        described = {"name": self.name, "revision": self.model.revision, "dtype": "float32"}
        if self.model.packed:
            described["packed_sha256"] = self.model.packed.sha256
            described["tokenizer_sha256"] = self.model.files["tokenizer.json"]
        return described

    def open(self) -> None:
        with self._lock:
            if self._loaded is None:
                self._loaded = Causal(self._folder or weights_folder(self.model))

    def ask(self, request: Request) -> Reply:
        with self._lock:
            assert self._loaded is not None
            text, finish, read, written = self._loaded.reply(request)
        return Reply(
            text,
            "length" if finish == "length" else "stop",
            read,
            written,
            self.name,
            f"{self.model.id}@{self.model.revision}",
            not_sent=("json",) if request.json else (),
        )


class Causal:
    """Weights and tokenizer of a causal model in a folder, float32 on the CPU.

    The states of all messages but the last are kept from one request to the next: requests that
    begin with the same instructions and examples read them once. The last message is always read
    in a pass of its own, so that a reply does not depend on what was asked before.
    """

    def __init__(self, folder: Path) -> None:
        self.tokenizer, self.model = load(folder)
        self.positions = int(self.model.config.max_position_embeddings)
        ends = self.model.generation_config.eos_token_id
        self.end = int(self.tokenizer.eos_token_id)
        self.ends = {self.end, *(ends if isinstance(ends, list) else [ends or self.end])}
        self._control = [str(token) for token in self.tokenizer.added_tokens_decoder.values()]
        self._kept: tuple[list[int], Any] | None = None

    def reply(self, request: Request) -> tuple[str, str, int, int]:
        """Text, why it ended (``stop`` or ``length``), tokens read and tokens written.

        Raises:
            LanguageModelError: if the request does not fit the model's positions.
        """
        import torch

        ids = self.prompt(request.messages)
        room = self.positions - len(ids) - request.output_limit
        if room < 0:
            raise LanguageModelError(
                f"a prompt of {len(ids)} tokens and {request.output_limit} of reply do not fit "
                f"{self.positions} positions; shorten it"
            )
        with torch.inference_mode():
            if request.answers:
                scores = self.log_likelihoods(request.messages, request.answers)
                best = max(range(len(scores)), key=scores.__getitem__)
                answer = request.answers[best]
                return answer, "stop", len(ids), len(self._answer(answer)) - 1
            written, finish = self._written(request)
        text = self.tokenizer.decode(written, skip_special_tokens=True)
        return text, finish, len(ids), len(written)

    def prompt(self, messages: Sequence[Message], asking: bool = True) -> list[int]:
        """Token ids of a conversation in the model's chat format, up to where it answers.

        Where a text holds one of the format's own words, a blank is put into it: a document cannot
        end its message or speak for somebody else.
        """
        turns = [
            {"role": message.role, "content": self._harmless(message.text)} for message in messages
        ]
        text = self.tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=asking
        )
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _harmless(self, text: str) -> str:
        for word in self._control:
            text = text.replace(word, f"{word[0]} {word[1:]}")
        return text

    def log_likelihoods(self, messages: Sequence[Message], answers: Sequence[str]) -> list[float]:
        """The natural logarithm of each answer's probability as the whole reply, its end included.

        The prompt is read once and its states serve all answers.
        """
        import torch

        with torch.inference_mode():
            states, last = self._read(messages)
            scores: list[float] = []
            for start in range(0, len(answers), TOGETHER):
                ids = [self._answer(answer) for answer in answers[start : start + TOGETHER]]
                scores += self._scored(states, last, ids)
        return scores

    def _answer(self, answer: str) -> list[int]:
        ids: list[int] = self.tokenizer(answer, add_special_tokens=False)["input_ids"]
        return [*ids, self.end]

    def _scored(self, states: Any, last: torch.Tensor, ids: list[list[int]]) -> list[float]:
        """Answers side by side, shorter ones filled up at their ends, where nothing counts."""
        import torch

        longest = max(map(len, ids))
        filled = torch.tensor([answer + [self.end] * (longest - len(answer)) for answer in ids])
        repeated = _copied(states)
        repeated.batch_repeat_interleave(len(ids))
        logits = self.model(filled[:, :-1], past_key_values=repeated).logits
        first = torch.log_softmax(last, dim=-1)
        scores = []
        for row, answer in enumerate(ids):
            rest = torch.log_softmax(logits[row, : len(answer) - 1], dim=-1)
            later = rest.gather(1, filled[row, 1 : len(answer), None]).sum()
            scores.append(float(first[answer[0]] + later))
        return scores

    def _written(self, request: Request) -> tuple[list[int], str]:
        import torch

        states, logits = self._read(request.messages)
        states = _copied(states)
        generator = torch.Generator().manual_seed(request.seed or 0)
        written: list[int] = []
        while len(written) < request.output_limit:
            if request.temperature == 0:
                token = int(logits.argmax())
            else:
                odds = torch.softmax(logits / request.temperature, dim=-1)
                token = int(torch.multinomial(odds, 1, generator=generator))
            if token in self.ends:
                return written, "stop"
            written.append(token)
            if len(written) < request.output_limit:
                logits = self.model(torch.tensor([[token]]), past_key_values=states).logits[0, -1]
        return written, "length"

    def _read(self, messages: Sequence[Message]) -> tuple[Any, torch.Tensor]:
        """The states of a whole prompt, and the logits of the token after it."""
        import torch

        whole = self.prompt(messages)
        before = self.prompt(messages[:-1], asking=False) if len(messages) > 1 else []
        if not before or whole[: len(before)] != before:
            done = self.model(torch.tensor([whole]), use_cache=True)
            return done.past_key_values, done.logits[0, -1]
        if self._kept is None or self._kept[0] != before:
            first = self.model(torch.tensor([before]), use_cache=True, logits_to_keep=1)
            self._kept = (before, first.past_key_values)
        rest = torch.tensor([whole[len(before) :]])
        done = self.model(rest, past_key_values=_copied(self._kept[1]), logits_to_keep=1)
        return done.past_key_values, done.logits[0, -1]


def _copied(states: Any) -> Any:
    """States that can be added to without changing these."""
    import copy

    return copy.deepcopy(states)
