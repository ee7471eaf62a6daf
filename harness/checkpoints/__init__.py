"""Checkpoints: states of attempts, frozen, and the episodes that recovery actions begin from them."""
