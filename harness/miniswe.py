"""Imports mini-swe-agent and litellm without their side effects. Call ``prepare()`` before importing either."""

from __future__ import annotations

import os

from harness.paths import state_dir


def prepare() -> None:
    """Keeps their banners quiet and their files in the state directory; no price map is fetched."""
    os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")
    # mini-swe-agent loads a .env from its configuration directory; HOME's must not change an experiment.
    os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = str(state_dir() / "mini-swe-agent")
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
