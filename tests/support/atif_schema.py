"""What RFC 0001 of Harbor asks of an ATIF-v1.7 trajectory, as far as this project writes one; other keys are errors."""

from __future__ import annotations

from typing import Any

TEXT, NUMBER, WHOLE, OBJECT = {"type": "string"}, {"type": "number"}, {"type": "integer"}, {"type": "object"}


def closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


_CALL = closed(
    ["tool_call_id", "function_name", "arguments"],
    tool_call_id=TEXT, function_name=TEXT, arguments=OBJECT, extra=OBJECT,
)  # fmt: skip
_RESULT = closed([], source_call_id=TEXT, content=TEXT, extra=OBJECT)
_METRICS = closed([], prompt_tokens=WHOLE, completion_tokens=WHOLE, cached_tokens=WHOLE, cost_usd=NUMBER, extra=OBJECT)
_STEP = closed(
    ["step_id", "source", "message"],
    step_id={"type": "integer", "minimum": 1}, source={"enum": ["system", "user", "agent"]}, message=TEXT,
    timestamp={"type": "string", "format": "date-time"}, model_name=TEXT, reasoning_content=TEXT,
    tool_calls={"type": "array", "items": _CALL},
    observation=closed(["results"], results={"type": "array", "items": _RESULT}),
    metrics=_METRICS, llm_call_count={"type": "integer", "minimum": 0}, extra=OBJECT,
)  # fmt: skip
SCHEMA = closed(
    ["schema_version", "agent", "steps"],
    schema_version={"const": "ATIF-v1.7"}, session_id=TEXT, trajectory_id=TEXT,
    agent=closed(["name", "version"], name=TEXT, version=TEXT, model_name=TEXT, extra=OBJECT),
    steps={"type": "array", "minItems": 1, "items": _STEP},
    final_metrics=closed(
        [], total_prompt_tokens=WHOLE, total_completion_tokens=WHOLE, total_cached_tokens=WHOLE,
        total_cost_usd=NUMBER, total_steps=WHOLE, extra=OBJECT,
    ),
    extra=OBJECT,
)  # fmt: skip

#: Keys that only steps of the agent may have.
AGENT_ONLY = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")


def check(trajectory: dict[str, Any]) -> None:
    """Asserts the schema, and the rules between its keys."""
    import jsonschema

    jsonschema.validate(trajectory, SCHEMA)
    assert [step["step_id"] for step in trajectory["steps"]] == list(range(1, len(trajectory["steps"]) + 1))
    assert trajectory["final_metrics"]["total_steps"] == len(trajectory["steps"])
    for step in trajectory["steps"]:
        assert step["source"] == "agent" or not set(AGENT_ONLY) & set(step)
        assert step.get("llm_call_count") != 0 or not {"metrics", "reasoning_content"} & set(step)
        known = {call["tool_call_id"] for call in step.get("tool_calls", [])}
        assert all(result["source_call_id"] in known for result in step.get("observation", {}).get("results", []))
