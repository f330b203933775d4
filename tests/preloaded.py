"""What the children of :mod:`tests.forking` find imported and read; nothing is computed."""

from __future__ import annotations

import ctypes
import importlib
import warnings

import openai

from chunkstudy.core import tokens
from tests import fault_scenes as fault_scenes

SET_CHILD_SUBREAPER = 36  # linux/prctl.h

# Whoever outlives a killed child falls to this process, which buries it and would say so.
ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
warnings.filterwarnings("ignore", "forkserver: waitpid returned unexpected pid")
for module in ("chunkstudy.cli.main", "torch._dynamo", "pyarrow.pandas_compat",
               "chunkstudy.display.drawing"):  # fmt: skip
    importlib.import_module(module)
_ = openai.OpenAI(api_key="none").chat.completions.with_raw_response
for name in ("cl100k", "wordpiece"):
    tokens.counter(name)
