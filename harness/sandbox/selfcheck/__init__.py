"""The self-check: what an adversary tries in a sandbox, run for real in any kind of it, and judged from the host."""
