"""What a causal model makes of a text that it reads: how open the next token is, how surprising the
one that came, what each token attends to, and what it would lose if others were hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.spans import Span
from chunkstudy.llm.causal_models import CausalModel

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
BIT = float(np.log(2))


@dataclass(frozen=True)
class Read:
    """One pass over n tokens, which the model's start token precedes.

    Attributes:
        entropy: (n,), of the distribution that each token is drawn from, in bits: how open the
            next token was before it came.
        surprisal: (n,), of each token that came, in bits.
        attention: (n, n), what the token of a row pays to that of a column, the mean over all
            layers and heads.
        largest: (n, n), the same in the last layer, the maximum over its heads.
        states: what the reader needs to read places again.
    """

    entropy: Floats
    surprisal: Floats
    attention: Floats32
    largest: Floats32
    states: Any


class CausalReader(CausalModel):
    """A causal model that reads a text and does not answer.

    Attention comes from the eager implementation, the only one that hands it out.
    """

    attention = "eager"

    def tokens(self, text: str) -> tuple[list[int], list[Span]]:
        """The ids of a text and the characters that each stands for."""
        encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        return encoded["input_ids"], [(start, end) for start, end in encoded["offset_mapping"]]

    def read(self, ids: Sequence[int]) -> Read:
        """Read tokens together."""
        import torch

        start = self.tokenizer.bos_token_id
        with torch.inference_mode():
            output = self.model(
                torch.tensor([[start, *ids]]), use_cache=True, output_attentions=True
            )
            logs = torch.log_softmax(output.logits[0, :-1], dim=-1)
            came = logs.gather(1, torch.tensor(ids)[:, None])[:, 0]
            entropy = -(logs.exp() * logs).sum(dim=-1)
            layers = output.attentions
            mean = sum(layer[0].mean(dim=0) for layer in layers) / len(layers)
            largest = layers[-1][0].amax(dim=0)
        return Read(
            entropy.numpy().astype(np.float64) / BIT,
            -came.numpy().astype(np.float64) / BIT,
            mean[1:, 1:].numpy(),
            largest[1:, 1:].numpy(),
            output.past_key_values,
        )

    def without_before(
        self, ids: Sequence[int], read: Read, places: Sequence[int], before: int, after: int
    ) -> Floats:
        """The surprisal of the ``after`` tokens that follow the first one behind each place, where
        the ``before`` tokens in front of it, or as many as there are, cannot be attended to.

        All places are read in one pass: the tokens behind each attend to themselves and to the
        states of those before them but for the hidden ones, at the positions where they stood.

        Returns:
            (places, after), in bits.
        """
        import torch

        known, count = len(ids) + 1, len(places) * after
        allowed = torch.zeros(count, known + count, dtype=torch.bool)
        among_themselves = torch.ones(after, after, dtype=torch.bool).tril()
        for row, place in zip(range(0, count, after), places, strict=True):
            rows = slice(row, row + after)
            allowed[rows, : place + 1 - min(before, place)] = True
            allowed[rows, known + row : known + row + after] = among_themselves
        mask = torch.zeros(allowed.shape).masked_fill(~allowed, torch.finfo(torch.float32).min)
        again = (torch.tensor(places)[:, None] + torch.arange(after)).flatten()
        tokens = torch.tensor(ids)
        with torch.inference_mode():
            logits = self.model(
                tokens[None, again],
                attention_mask=mask[None, None],
                position_ids=again[None] + 1,
                past_key_values=read.states,
                use_cache=True,
            ).logits[0]
            read.states.crop(-count)
            logs = torch.log_softmax(logits, dim=-1)
            following = logs.gather(1, tokens[again + 1][:, None])
        return -following.numpy().astype(np.float64).reshape(-1, after) / BIT

    def describe(self) -> dict[str, Any]:
        """What determines what is read."""
        return {
            "id": self.spec.id,
            "revision": self.spec.revision,
            "weights_sha256": self.spec.files["model.safetensors"],
            "tokenizer_sha256": self.spec.files["tokenizer.json"],
            "dtype": "float32",
        }
