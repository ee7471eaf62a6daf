"""Recovery-action panels: which action is best at a checkpoint, how stable that is, and whether it ever works.

Definitions and their sources: docs/readout.md ("Same Winners, Different Success Rates", 2026).
"""
