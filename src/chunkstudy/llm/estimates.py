"""What asking would take, said before anything is asked: requests, tokens, dollars, hours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chunkstudy.base import tokens
from chunkstudy.base.asking import Message, Request
from chunkstudy.base.prices import PRICES, Price

AROUND_MESSAGE = 4
AROUND_REPLY = 3
"""Tokens that OpenAI's chat format adds to each message, and before the reply (OpenAI Cookbook, How
to count tokens with tiktoken)."""
EXACT = ("gpt-4-turbo", "gpt-4-0", "gpt-4-1", "gpt-3.5-turbo")
"""Models that read cl100k; every other one's tokens are estimated by it."""
FREE = ("local", "server", "authored")
"""Providers that sell nothing: a model that runs here, a server of the user's own."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some requests would take; two add up.

    Attributes:
        requests: to be sent, none of them repeated.
        recorded: those whose reply is at hand.
        input_tokens: of the requests to be sent.
        output_tokens: as many as they may bring at most, or are expected to bring.
        dollars: None where no price is known.
        counted: whether the tokens are the model's own, or estimated with cl100k's.
    """

    requests: int = 0
    recorded: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = 0.0
    counted: bool = True

    def __add__(self, other: Estimate) -> Estimate:
        known = self.dollars is not None and other.dollars is not None
        return Estimate(
            self.requests + other.requests,
            self.recorded + other.recorded,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            (self.dollars or 0) + (other.dollars or 0) if known else None,
            self.counted and other.counted,
        )

    def hours(self, requests_per_minute: float, tokens_per_minute: float = float("inf")) -> float:
        """How long the requests take where so many, and so many tokens, are allowed a minute."""
        total = self.input_tokens + self.output_tokens
        return max(self.requests / requests_per_minute, total / tokens_per_minute) / 60

    def __str__(self) -> str:
        money = "at a price not known here" if self.dollars is None else f"${self.dollars:,.2f}"
        about = "" if self.counted else "about "
        return (
            f"{self.requests:,} requests ({self.recorded:,} more recorded), {about}"
            f"{self.input_tokens:,} tokens in and {self.output_tokens:,} out, {money}"
        )


def of_calls(
    model: str, calls: int, input_tokens: int, output_tokens: int, counted: bool = False
) -> Estimate:
    """What calls with so many tokens in all would take, where the requests are not known yet: a
    method that decides as it goes on prices itself with this."""
    money = price(model)
    dollars = None if money is None else money.dollars(input_tokens, output_tokens)
    return Estimate(calls, 0, input_tokens, output_tokens, dollars, counted)


def of_requests(requests: Iterable[Request], expected_output: int | None = None) -> Estimate:
    """What sending the requests would take, each bringing its output limit or as many tokens as
    expected."""
    total = Estimate()
    for one in requests:
        output = one.output_limit if expected_output is None else expected_output
        read = input_tokens(one)
        total += of_calls(one.model, 1, read, output, counted(one.model))
    return total


def input_tokens(request: Request) -> int:
    """Tokens of a request, by cl100k, with what the chat format adds."""
    return AROUND_REPLY + sum(map(message_tokens, request.messages))


def message_tokens(message: Message) -> int:
    return AROUND_MESSAGE + len(tokens.encode_cl100k(message.text))


def counted(model: str) -> bool:
    """Whether cl100k is the tokenizer that the model itself reads by."""
    provider, _, name = model.partition("/")
    return provider == "openai" and name.startswith(EXACT)


def price(model: str) -> Price | None:
    """What the model costs: nothing where it runs on the user's own machines, None where no price
    is known."""
    provider, _, name = model.partition("/")
    if provider in FREE:
        return Price(0, 0, "runs on the user's own machines", "")
    return PRICES.get(name)
