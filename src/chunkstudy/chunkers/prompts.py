"""What language models are asked, by the names of ``data/prompts.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[1] / "data" / "prompts.toml"
PROMPTS: dict[str, Any] = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
