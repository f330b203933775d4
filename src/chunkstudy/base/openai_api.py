"""A server that speaks like OpenAI: reached, and its refusals in words of this file, since its own
text may quote the key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from chunkstudy.base.keys import code, key
from chunkstudy.base.retries import TIMEOUT, Failure, may_pass, retry_after

if TYPE_CHECKING:
    from openai import OpenAI

KEY = "OPENAI_API_KEY"
ADDRESS = "https://api.openai.com/v1"
CONNECTING = 10.0
"""Seconds to reach a server, which then may take longer to answer."""
UNREACHED = ("ConnectError", "ConnectTimeout", "UnsupportedProtocol")
"""What httpx raises where no connection came about, and what openai may bring in its place."""


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
        self._reached = False

    @property
    def shown(self) -> str:
        """Its address without what may be secret in one: user, password and query."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def open(self) -> None:
        """Make ready to be asked; a server that wants no key is not given any."""
        import openai  # late: the import alone takes a second

        self._client = openai.OpenAI(
            api_key=key(*self.keys) or "none",
            base_url=self.address,
            max_retries=0,
            timeout=openai.Timeout(self._timeout, connect=min(self._timeout, CONNECTING)),
        )

    def once(self, ask: Callable[[OpenAI], Any]) -> bytes | Failure:
        """The body of one raw response, or why there is none.

        Where nobody was ever reached, asking again is of no use: nothing is lost by giving up.
        """
        import openai

        assert self._client is not None
        try:
            found: bytes | Failure = ask(self._client).content
        except openai.APIStatusError as error:
            found = self._refusal(error.status_code, error.code, error.response.headers)
        except openai.OpenAIError as error:
            if type(error.__cause__).__name__ in UNREACHED:
                remedy = f"check that a server listens at {self.shown}"
                return Failure("cannot be reached", remedy, again=self._reached, billed=False)
            silent = isinstance(error, openai.APITimeoutError)
            problem = f"sent nothing for {self._timeout:g} seconds"
            found = Failure(problem if silent else "dropped the connection")
        self._reached = True
        return found

    def _refusal(self, status: int, word: object, headers: Mapping[str, str]) -> Failure:
        problem, again = f"answered {status}{code(word)}", may_pass(status)
        remedy = "" if again else "look that up in the server's documentation or log"
        if word == "insufficient_quota":
            remedy, again = "add credit to the account", False
        elif status in (401, 403):
            remedy = f"check {' or '.join(self.keys)} and what that key may use"
        elif status == 404:
            remedy = "check the address and the model's name"
        return Failure(problem, remedy, again, False, retry_after(headers))
