"""Models behind mini-swe-agent's ``Model`` protocol; this package itself imports nothing heavy."""
