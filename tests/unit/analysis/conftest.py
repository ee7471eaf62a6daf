"""Settings of the analysis tests."""

from __future__ import annotations

from hypothesis import settings

# The first example of a test may import scipy, which takes longer than any deadline for an example.
settings.register_profile("analysis", deadline=None)
settings.load_profile("analysis")
