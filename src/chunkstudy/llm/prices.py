"""What a model behind an API costs, who says so and as of when, and what asking it would take.

Prices change and models retire: a retired one keeps its last price, so that what a published run
cost can still be said.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens read and written.

    Attributes:
        source: who says so.
        date: as of which month.
        verified: whether the vendor's own page, or a list that quotes it, was read.
    """

    input: float
    output: float
    source: str
    date: str
    verified: bool = True

    def dollars(self, input_tokens: float, output_tokens: float = 0) -> float:
        return (self.input * input_tokens + self.output * output_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some requests would take; two add up.

    Attributes:
        requests: to be sent, none of them repeated.
        recorded: what is at hand and not asked for.
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

    def __str__(self) -> str:
        about = "" if self.counted else "about "
        recorded = f" ({self.recorded:,} more recorded)" if self.recorded else ""
        written = f" in and {self.output_tokens:,} out" if self.output_tokens else ""
        return (
            f"{self.requests:,} requests{recorded}, {about}{self.input_tokens:,} tokens{written}, "
            f"{money(self.dollars)}"
        )


def money(dollars: float | None) -> str:
    """Dollars as they are shown; what costs something is never "$0.00"."""
    if dollars is None:
        return "at a price not known here"
    return f"${dollars:,.2f}" if not 0 < dollars < 0.005 else f"${dollars:.2g}"


def price(model: str) -> Price | None:
    """What a language model costs, by provider and name: nothing where it runs on the user's own
    machines, None where no price is known."""
    provider, _, name = model.partition("/")
    if provider in FREE:
        return Price(0, 0, "runs on the user's own machines", "")
    return PRICES.get(name)


FREE = ("local", "server", "authored")
"""Providers that sell nothing: a model that runs here, a server of the user's own."""
EMBEDDINGS = "OpenAI's pricing page, as two price lists quote it (tokenmix.ai, embeddingcost.com)"
OPENAI = "OpenAI's pricing page, as a price list quotes it (aimodelcalc.pages.dev)"
OPENAI_THEN = "the price list of BerriAI/litellm (model_prices_and_context_window.json)"
GOOGLE = "Google's pricing page, as a price list quotes it (morphllm.com)"
GOOGLE_THEN = (
    "price tables in public programs that name ai.google.dev/pricing, for prompts up to 128,000 "
    "tokens; the page itself was not at hand"
)

PRICES = {
    "text-embedding-ada-002": Price(0.10, 0, EMBEDDINGS, "2026-05"),
    "text-embedding-3-small": Price(0.02, 0, EMBEDDINGS, "2026-05"),
    "text-embedding-3-large": Price(0.13, 0, EMBEDDINGS, "2026-05"),
    "gpt-4o": Price(2.50, 10.00, OPENAI, "2026-05"),
    "gpt-4o-mini": Price(0.15, 0.60, OPENAI, "2026-05"),
    "gpt-3.5-turbo": Price(0.50, 1.50, OPENAI, "2026-05"),
    "gpt-3.5-turbo-0125": Price(0.50, 1.50, OPENAI_THEN, "2025-04", verified=False),
    "gpt-4-turbo": Price(10.00, 30.00, OPENAI_THEN, "2025-04"),
    "gemini-2.5-flash": Price(0.30, 2.50, GOOGLE, "2026-05"),
    "gemini-2.5-flash-lite": Price(0.10, 0.40, GOOGLE, "2026-05"),
    "gemini-2.0-flash": Price(0.10, 0.40, GOOGLE, "2026-05"),
    "gemini-1.5-pro": Price(1.25, 5.00, GOOGLE_THEN, "2024-10", verified=False),
    "gemini-1.5-flash": Price(0.075, 0.30, GOOGLE_THEN, "2024-10", verified=False),
    "gemini-1.0-pro": Price(0.50, 1.50, GOOGLE_THEN, "2024-10", verified=False),
}
