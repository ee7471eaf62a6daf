"""Decisions at frozen checkpoints: restart against continue from the same state, and what knowing it is worth."""
