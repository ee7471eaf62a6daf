"""Workspaces: a shared read-only base, and per attempt one overlay layer of changes."""
