"""Sandboxes in which agents and verifiers run commands."""
