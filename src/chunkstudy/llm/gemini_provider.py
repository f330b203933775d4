"""Gemini through google-generativeai, the only file that imports it: it is no longer maintained."""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from chunkstudy.base.asking import Finish, LanguageModelError, Reply, Request
from chunkstudy.base.keys import code, key
from chunkstudy.base.retries import TIMEOUT, Failure, may_pass, retry_after

HOME = "https://generativelanguage.googleapis.com"
KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
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
    """A Gemini model.

    Args:
        model: its name, such as gemini-1.5-flash.
        address: of the server; Google's own by default.
        timeout: seconds until an attempt counts as failed.
    """

    name = "gemini"

    def __init__(self, model: str, address: str = HOME, timeout: float = TIMEOUT) -> None:
        self.endpoint = urlsplit(address).hostname or address
        self._model = model
        self._address = address
        self._timeout = timeout

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "endpoint": self.endpoint}

    def open(self) -> None:
        found = key(*KEYS)
        if found is None:
            raise LanguageModelError(
                f"{self._model} at {self.endpoint} needs a key; set {KEYS[0]}, or replay what is "
                "recorded"
            )
        _sdk().configure(
            api_key=found, transport="rest", client_options={"api_endpoint": self._address}
        )

    def once(self, request: Request) -> Reply | Failure:
        import requests
        from google.api_core import exceptions
        from google.auth.exceptions import TransportError
        from google.protobuf.json_format import ParseError

        genai = _sdk()
        sent, not_sent = settings(request)
        system = [m.text for m in request.messages if m.role == "system"]
        model = genai.GenerativeModel(self._model, system_instruction=system or None)
        try:
            reply = model.generate_content(
                [
                    {"role": "model" if m.role == "assistant" else "user", "parts": [m.text]}
                    for m in request.messages
                    if m.role != "system"
                ],
                generation_config=genai.GenerationConfig(**sent),
                safety_settings={f"HARM_CATEGORY_{one}": "BLOCK_NONE" for one in UNBLOCKED},
                request_options={"timeout": self._timeout, "retry": None},
            )
        except exceptions.GoogleAPICallError as error:
            return _refusal(error)
        except (requests.Timeout, exceptions.RetryError):
            return Failure(f"sent nothing for {self._timeout:g} seconds")
        except (requests.RequestException, TransportError):
            return Failure("could not be reached or dropped the connection")
        except (ParseError, ValueError, TypeError):
            return Failure("sent a reply that cannot be read (not whole JSON)")
        return self._read(reply, not_sent)

    def _read(self, reply: Any, not_sent: tuple[str, ...]) -> Reply | Failure:
        usage = reply.usage_metadata
        if not usage.prompt_token_count:
            return Failure("sent a reply that cannot be read (usageMetadata)")
        text, finish = "", None
        if reply.candidates:
            first = reply.candidates[0]
            finish = FINISHES.get(first.finish_reason.name)
            text = "".join(part.text for part in first.content.parts)
        elif reply.prompt_feedback.block_reason:
            finish = "blocked"
        else:
            return Failure("sent no candidate and no reason")
        if finish is None:
            return Failure("sent a reply that cannot be read (candidates.0.finishReason)")
        return Reply(
            "" if finish == "blocked" else text,
            finish,
            usage.prompt_token_count,
            usage.total_token_count - usage.prompt_token_count,  # what a model thinks is paid, too
            self.name,
            self._model,
            not_sent=not_sent,
        )


def settings(request: Request) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the SDK takes of a request's settings, and the names of those it has no place for."""
    known = {field.name for field in dataclasses.fields(_sdk().GenerationConfig)}
    wanted: dict[str, Any] = {
        "temperature": request.temperature,
        "max_output_tokens": request.output_limit,
    }
    if request.seed is not None:
        wanted["seed"] = request.seed
    if request.json:
        wanted["response_mime_type"] = "application/json"
    not_sent = [name for name in wanted if name not in known]
    if request.answers:
        not_sent.append("answers")
    return {name: wanted[name] for name in wanted if name in known}, tuple(not_sent)


def _sdk() -> Any:
    """The package, imported late since that takes seconds, without its word on its own end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import google.generativeai as genai

    return genai


def _refusal(error: Any) -> Failure:
    status = int(error.code or 0)
    details = [one for one in error.details if isinstance(one, dict)]
    reason = next((one["reason"] for one in details if "reason" in one), None)
    remedy = ""
    if reason == "API_KEY_INVALID" or status in (401, 403):
        remedy = f"check {' or '.join(KEYS)} and what that key may use"
    elif status == 404:
        remedy = "check the model's name"
    headers = error.response.headers if error.response is not None else {}
    return Failure(
        f"answered {status}{code(reason)}",
        remedy,
        again=status == 0 or may_pass(status),
        billed=False,
        wait=max(retry_after(headers), *map(_delay, details), 0.0),
    )


def _delay(detail: Mapping[str, Any]) -> float:
    """Seconds to wait that Google names in a reply's details (google.rpc.RetryInfo: "17s")."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)s", str(detail.get("retryDelay", "")))
    return float(found[1]) if found else 0.0
