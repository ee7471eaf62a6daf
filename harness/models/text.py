"""A litellm endpoint that answers in plain text: it is offered no tools, and nothing of its answer is an action."""

from __future__ import annotations

from typing import Any

import litellm

from harness.models.endpoint import EndpointModel


class TextModel(EndpointModel):
    """One model behind litellm, for questions whose answer is the text itself; otherwise as ``EndpointModel``."""

    def _query(self, messages: list[dict[str, Any]], **kwargs: Any) -> Any:
        return litellm.completion(
            model=self.config.model_name, messages=messages, **(self.config.model_kwargs | kwargs)
        )

    def _parse_actions(self, response: Any) -> list[dict[str, Any]]:
        return []
