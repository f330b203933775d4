"""Keys come from the environment and reach nothing else: no message, log, recording or error, a
server's refusal among them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunkstudy.core.errors import LanguageModelError
from chunkstudy.core.settings import Settings

NAMES = (
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "CHUNKSTUDY_SERVER_KEY",
)
"""Every variable that a key is read from."""
REMOVED = "[key removed]"
SHORTEST = 6
"""Characters below which a value is left standing: text would be full of it."""


def key(*names: str) -> str | None:
    """The first of these variables that holds a key, blanks around it removed.

    Raises:
        LanguageModelError: if it holds characters no key has; the message never shows them.
    """
    keys = Settings.from_env().keys
    for name in names:
        if secret := keys[name]:
            if not re.fullmatch(r"[\x21-\x7e]+", secret):
                raise LanguageModelError(
                    f"{name} holds characters no key has; set it again", refused=True
                )
            return secret
    return None


def without_keys(text: str) -> str:
    """The text with every key of the environment taken out: a server may send one back."""
    for secret in Settings.from_env().keys.values():
        if len(secret) >= SHORTEST:
            text = text.replace(secret, REMOVED)
    return text


def refused(who: str, status: int, word: object, keys: Sequence[str]) -> LanguageModelError:
    """A server's refusal and what to do about it, in words of this file.

    Args:
        who: refuses.
        word: the server's own for what is wrong, shown where it is a plain one; nothing else of a
            server's text is, since it may quote the key.
        keys: variables that may hold the server's key.
    """
    remedy = "look that up in the server's documentation or log"
    if word == "insufficient_quota":
        remedy = "add credit to the account"
    elif word == "API_KEY_INVALID" or status in (401, 403):
        remedy = f"check {' or '.join(keys)} and what that key may use"
    elif status == 404:
        remedy = "check the address and the model's name"
    elif status == 429 or status >= 500:
        remedy = "run again later"
    plain = isinstance(word, str) and re.fullmatch("[A-Za-z_]{1,40}", word)
    code = f" ({word})" if plain and without_keys(str(word)) == word else ""
    return LanguageModelError(
        f"{who} answered {status}{code}; {remedy} (what was received is kept)", refused=True
    )
