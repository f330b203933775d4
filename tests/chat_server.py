"""The faults of a language model's API that tests try.

As a program it serves until it is killed: ``python -m tests.chat_server SECONDS``.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from chunkstudy.rehearsal import loopback
from chunkstudy.rehearsal.chat_api import (
    Asked,
    Handler,
    State,
    gemini_reply,
    hashed,
    openai_reply,
    serving,
)
from chunkstudy.rehearsal.loopback import Fault, changed

__all__ = ["Asked", "Handler", "State", "gemini_reply", "hashed", "openai_reply", "serving"]
LONGEST_STALL = 10.0
"""Seconds after which a stalled request ends, whatever the client does."""


def stall(handler: loopback.Handler, honest: dict[str, Any]) -> None:
    """Say nothing until the test is over."""
    assert isinstance(handler, Handler)
    handler.state.released.wait(LONGEST_STALL)
    handler.drop()


def _choice(**values: Any) -> Fault:
    return changed(lambda honest: honest["choices"][0].update(values))


refusal = changed(
    lambda honest: honest["choices"][0]["message"].update(content=None, refusal="I would not.")
)
filtered = _choice(finish_reason="content_filter")
cut_off = _choice(finish_reason="length")
no_choices = changed(lambda honest: honest.update(choices=[]))
no_usage = changed(lambda honest: honest.pop("usage"))
tokens_as_text = changed(lambda honest: honest["usage"].update(prompt_tokens="100"))
another_finish = _choice(finish_reason="tired")
another_model = changed(lambda honest: honest.update(model="another"))

no_candidates = changed(lambda honest: honest.update(candidates=[]))
no_usage_metadata = changed(lambda honest: honest.pop("usageMetadata"))
blocked_candidate = changed(
    lambda honest: honest.update(candidates=[{"finishReason": "SAFETY", "index": 0}])
)
cut_off_candidate = changed(
    lambda honest: honest["candidates"][0].update(finishReason="MAX_TOKENS")
)
another_candidate_finish = changed(
    lambda honest: honest["candidates"][0].update(finishReason="MALFORMED_FUNCTION_CALL")
)


def _blocked_prompt(honest: dict[str, Any]) -> None:
    honest.pop("candidates")
    honest["promptFeedback"] = {"blockReason": "SAFETY"}


blocked_prompt = changed(_blocked_prompt)


if __name__ == "__main__":
    with serving(seconds=float(sys.argv[1])) as (where, _):
        print(where, flush=True)
        threading.Event().wait()
