"""A server that speaks like OpenAI: reached, and its refusals in words of this file, since its own
text may quote the key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from chunkstudy.base.keys import code, key
from chunkstudy.base.retries import TIMEOUT, Failure, may_pass, retry_after

if TYPE_CHECKING:
    from openai import OpenAI

KEY = "OPENAI_API_KEY"
ADDRESS = "https://api.openai.com/v1"


class Strict(BaseModel):
    """A reply's part, believed only when it is as documented."""

    model_config = ConfigDict(strict=True)


class Server:
    """A server that speaks like OpenAI.

    Args:
        address: as ``https://api.openai.com/v1``.
        keys: variables that may hold its key.
        timeout: seconds without a byte until an attempt counts as failed.
    """

    def __init__(
        self, address: str, keys: tuple[str, ...] = (KEY,), timeout: float = TIMEOUT
    ) -> None:
        self.address = address
        self.keys = keys
        self._timeout = timeout
        self._client: OpenAI | None = None

    def open(self) -> None:
        """Make ready to be asked; a server that wants no key is not given any."""
        import openai  # late: the import alone takes a second

        self._client = openai.OpenAI(
            api_key=key(*self.keys) or "none",
            base_url=self.address,
            max_retries=0,
            timeout=self._timeout,
        )

    def once(self, ask: Callable[[OpenAI], Any]) -> bytes | Failure:
        """The body of one raw response, or why there is none."""
        import openai

        assert self._client is not None
        try:
            content: bytes = ask(self._client).content
        except openai.APIStatusError as error:
            return self._refusal(error.status_code, error.code, error.response.headers)
        except openai.APITimeoutError:
            return Failure(f"sent nothing for {self._timeout:g} seconds")
        except openai.OpenAIError:
            return Failure("could not be reached or dropped the connection")
        return content

    def _refusal(self, status: int, word: object, headers: Mapping[str, str]) -> Failure:
        shown = f"answered {status}{code(word)}"
        if word == "insufficient_quota":
            return Failure(f"{shown}; add credit to the account", again=False, billed=False)
        again = may_pass(status)
        advice = ""
        if status in (401, 403):
            advice = f"; check {' or '.join(self.keys)} and what that key may use"
        elif status == 404:
            advice = "; check the address and the model's name"
        return Failure(shown + ("" if again else advice), again, False, retry_after(headers))
