"""Gemini through google-generativeai, the only file that imports it: it is no longer maintained."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from chunkstudy.core.errors import LanguageModelError
from chunkstudy.core.settings import Settings
from chunkstudy.llm.interface import Finish, Reply, Request
from chunkstudy.llm.keys import key, refused

HOME = "https://generativelanguage.googleapis.com"
KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
TIMEOUT = 120.0
"""Seconds until an attempt counts as failed."""
RETRYING = 60.0
"""Seconds within which a request is sent again, after waits that Google's package chooses."""
FINISHES: Mapping[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "blocked",
    "RECITATION": "blocked",
    "BLOCKLIST": "blocked",
    "PROHIBITED_CONTENT": "blocked",
    "SPII": "blocked",
}
UNBLOCKED = ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")
"""Kinds of content that nothing is held back for, as in LumberChunker's code
(LumberChunker-Segmentation.py)."""


class GeminiProvider:
    """A Gemini model by its name, such as gemini-1.5-flash, at Google or where
    CHUNKSTUDY_GEMINI_URL says."""

    name = "gemini"

    def __init__(self, model: str) -> None:
        self._address = Settings.from_env().gemini_address or HOME
        self.endpoint = urlsplit(self._address).hostname or self._address
        self._model = model
        self._who = f"{model} at {self.endpoint}"

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "endpoint": self.endpoint}

    @cached_property
    def _sdk(self) -> Any:
        """The package, imported late since that takes seconds, without its word on its own end."""
        if (secret := key(*KEYS)) is None:
            raise LanguageModelError(
                f"{self._who} needs a key; set {KEYS[0]}, or replay what is recorded",
                refused=True,
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            import google.generativeai as genai

        genai.configure(
            api_key=secret, transport="rest", client_options={"api_endpoint": self._address}
        )
        return genai

    def ask(self, request: Request) -> Reply:
        """The reply.

        Errors are raised outside of the handlers, so that none carries the package's own, which
        may quote the key.
        """
        import requests
        from google.api_core import exceptions, retry
        from google.auth.exceptions import TransportError
        from google.protobuf.json_format import ParseError

        passing = retry.if_exception_type(
            exceptions.TooManyRequests, exceptions.ServerError, requests.RequestException
        )
        again = retry.Retry(predicate=passing, initial=1.0, multiplier=2.0, timeout=RETRYING)
        try:
            return self._read(request, {"timeout": TIMEOUT, "retry": again})
        except (exceptions.GoogleAPICallError, exceptions.RetryError) as error:
            problem = self._refusal(getattr(error, "cause", None) or error)
        except (requests.RequestException, TransportError):
            problem = self._error("could not be reached or dropped the connection; run again later")
        except (ParseError, ValueError, TypeError):
            problem = self._error("sent a reply that cannot be read; run again later")
        raise problem

    def _read(self, request: Request, options: Mapping[str, Any]) -> Reply:
        """
        Raises:
            ValueError: if the reply is not as documented.
        """
        genai = self._sdk
        kind = "application/json" if request.json else None
        system = [m.text for m in request.messages if m.role == "system"]
        model = genai.GenerativeModel(self._model, system_instruction=system or None)
        reply = model.generate_content(
            [
                {"role": "model" if m.role == "assistant" else "user", "parts": [m.text]}
                for m in request.messages
                if m.role != "system"
            ],
            generation_config=genai.GenerationConfig(
                temperature=request.temperature,
                max_output_tokens=request.output_limit,
                response_mime_type=kind,
            ),
            safety_settings={f"HARM_CATEGORY_{category}": "BLOCK_NONE" for category in UNBLOCKED},
            request_options=options,
        )
        text, finish = "", None
        if reply.candidates:
            first = reply.candidates[0]
            finish = FINISHES.get(first.finish_reason.name)
            text = "".join(part.text for part in first.content.parts)
        elif reply.prompt_feedback.block_reason:
            finish = "blocked"
        usage = reply.usage_metadata
        if finish is None or not usage.prompt_token_count:
            raise ValueError("no candidate and no reason, another finish, or no count of tokens")
        unsent = {"seed": request.seed is not None, "answers": bool(request.answers)}
        return Reply(
            "" if finish == "blocked" else text,
            finish,
            usage.prompt_token_count,
            usage.total_token_count - usage.prompt_token_count,  # what a model thinks is paid, too
            self.name,
            self._model,
            not_sent=tuple(name for name, given in unsent.items() if given),
        )

    def _refusal(self, error: Any) -> LanguageModelError:
        status = int(getattr(error, "code", None) or 0)
        if not status:
            return self._error("did not answer; run again later")
        reasons = (detail.get("reason") for detail in error.details if isinstance(detail, dict))
        return refused(self._who, status, next(filter(None, reasons), None), KEYS)

    def _error(self, problem: str) -> LanguageModelError:
        return LanguageModelError(f"{self._who} {problem}")
