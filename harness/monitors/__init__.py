"""Monitors: from what an attempt has shown so far to a score of how stuck it looks."""
