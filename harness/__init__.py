"""Collects attempts: protocols, plans, agents, sandboxes, workspaces, the store and the command line."""

__version__ = "0.1.0"
