"""mini-swe-agent's agent inside our sandbox, with a verification after every action."""
