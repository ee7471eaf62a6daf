"""Writes recorded trajectories in a format that other tools read."""
