"""Scores of recovery tasks: quality, reliability, efficiency, and what a reader needs to trust them. Pure functions."""
