"""Recovery tasks: broken systems with services, each held to a contract."""
