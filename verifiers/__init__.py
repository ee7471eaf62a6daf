"""Verifiers judge a workspace from outside, in a sandbox of their own that the agent never sees."""
