"""What work would take, said before it begins: requests, tokens, dollars."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some requests would take; two add up.

    Attributes:
        requests: to be sent, none of them repeated.
        recorded: what is at hand and not asked for: replies, or texts whose vectors are.
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
        written = f" in and {self.output_tokens:,} out" if self.output_tokens else ""
        return (
            f"{self.requests:,} requests ({self.recorded:,} more recorded), {about}"
            f"{self.input_tokens:,} tokens{written}, {money(self.dollars)}"
        )


def money(dollars: float | None) -> str:
    """Dollars as they are shown; what costs something is never "$0.00"."""
    if dollars is None:
        return "at a price not known here"
    return f"${dollars:,.2f}" if not 0 < dollars < 0.005 else f"${dollars:.2g}"
