"""What asking would take, said before anything is asked: requests, tokens, dollars, hours."""

from __future__ import annotations

from collections.abc import Iterable

from chunkstudy.base import tokens
from chunkstudy.base.asking import Message, Request
from chunkstudy.base.estimates import Estimate
from chunkstudy.base.prices import PRICES, Price

AROUND_MESSAGE = 4
AROUND_REPLY = 3
"""Tokens that OpenAI's chat format adds to each message, and before the reply (OpenAI Cookbook, How
to count tokens with tiktoken)."""
EXACT = ("gpt-4-turbo", "gpt-4-0", "gpt-4-1", "gpt-3.5-turbo")
"""Models that read cl100k; every other one's tokens are estimated by it."""
FREE = ("local", "server", "authored")
"""Providers that sell nothing: a model that runs here, a server of the user's own."""


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
