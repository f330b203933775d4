"""How commands fail."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from chunkstudy.core import errors

ASKING = ("google", "openai")
"""What asks servers: a small extra of its own."""


@contextmanager
def one_sentence(status: int = 1) -> Iterator[None]:
    """Expected failures end in one sentence on stderr and exit status 1, not in a traceback.

    Args:
        status: another exit status.
    """
    try:
        yield
        return
    except (ValueError, RuntimeError) as error:
        said = str(error)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        extra = "llm" if package in ASKING else "study"
        remedy = f"{package} is not installed; pip install 'chunkstudy[{extra}]'"
        said = remedy if package else str(error)
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # who read the output has seen enough; typer ends quietly
        said = errors.of_the_system(error)
    typer.echo(f"chunkstudy: {said}", err=True)
    sys.exit(status)
