"""Judges recovery attempts: contract, restart, trajectory."""
