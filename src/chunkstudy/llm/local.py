"""A causal language model in this process, through transformers."""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunkstudy.core.errors import LanguageModelError
from chunkstudy.llm.causal_models import CausalModel
from chunkstudy.llm.interface import Finish, Message, Reply, Request

if TYPE_CHECKING:
    import torch

TOGETHER = 32
"""Allowed answers whose likelihoods are computed in one pass."""


class LocalProvider(CausalModel):
    """A causal model that answers one request at a time.

    Temperature 0 takes the likeliest token each time. Above it tokens are drawn from a generator
    that starts at the request's seed, 0 where it has none.

    The states of all messages but the last are kept from one request to the next: requests that
    begin with the same instructions and examples read them once. The last message is always read
    in a pass of its own, so that a reply does not depend on what was asked before.
    """

    name = "local"
    endpoint = "local"

    def __init__(self, name: str, folder: Path | None = None) -> None:
        super().__init__(name, folder)
        self._lock = threading.Lock()
        self._kept: tuple[list[int], Any] | None = None

    def describe(self) -> dict[str, Any]:
        described = {"name": self.name, "revision": self.spec.revision, "dtype": "float32"}
        if self.spec.packed:
            described["packed_sha256"] = self.spec.packed.sha256
            described["tokenizer_sha256"] = self.spec.files["tokenizer.json"]
        return described

    def ask(self, request: Request) -> Reply:
        """
        Raises:
            LanguageModelError: if the request does not fit the model's positions.
        """
        import torch

        with self._lock, torch.inference_mode():
            ids = self.prompt(request.messages)
            if len(ids) + request.output_limit > self.positions:
                raise LanguageModelError(
                    f"a prompt of {len(ids)} tokens and {request.output_limit} of reply do not fit "
                    f"{self.positions} positions; shorten it"
                )
            finish: Finish = "stop"
            if request.answers:
                scores = self.log_likelihoods(request.messages, request.answers)
                text = request.answers[scores.index(max(scores))]
                count = len(self._answer(text)) - 1
            else:
                written, finish = self._written(request)
                text = self.tokenizer.decode(written, skip_special_tokens=True)
                count = len(written)
        return Reply(
            text,
            finish,
            len(ids),
            count,
            self.name,
            f"{self.spec.id}@{self.spec.revision}",
            not_sent=("json",) if request.json else (),
        )

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
        for token in self.tokenizer.added_tokens_decoder.values():
            word = str(token)
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
        return [*ids, self.tokenizer.eos_token_id]

    def _scored(self, states: Any, last: torch.Tensor, ids: list[list[int]]) -> list[float]:
        """Answers side by side, shorter ones filled up at their ends, where nothing counts."""
        import torch

        longest = max(map(len, ids))
        filled = torch.tensor([answer + answer[-1:] * (longest - len(answer)) for answer in ids])
        repeated = copy.deepcopy(states)
        repeated.batch_repeat_interleave(len(ids))
        logits = self.model(filled[:, :-1], past_key_values=repeated).logits
        first = torch.log_softmax(last, dim=-1)
        scores = []
        for row, answer in enumerate(ids):
            rest = torch.log_softmax(logits[row, : len(answer) - 1], dim=-1)
            later = rest.gather(1, filled[row, 1 : len(answer), None]).sum()
            scores.append(float(first[answer[0]] + later))
        return scores

    def _written(self, request: Request) -> tuple[list[int], Finish]:
        """The tokens of a reply, and why it ends."""
        import torch

        last = self.model.generation_config.eos_token_id
        ends = {self.tokenizer.eos_token_id, *(last if isinstance(last, list) else [last])}
        states, logits = self._read(request.messages)
        generator = torch.Generator().manual_seed(request.seed or 0)
        written: list[int] = []
        while len(written) < request.output_limit:
            if request.temperature == 0:
                token = int(logits.argmax())
            else:
                odds = torch.softmax(logits / request.temperature, dim=-1)
                token = int(torch.multinomial(odds, 1, generator=generator))
            if token in ends:
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
        done = self.model(rest, past_key_values=copy.deepcopy(self._kept[1]), logits_to_keep=1)
        return done.past_key_values, done.logits[0, -1]
