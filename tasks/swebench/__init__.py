"""Tasks from datasets in SWE-bench's format: instances, their bases from a git mirror, their hidden tests."""
