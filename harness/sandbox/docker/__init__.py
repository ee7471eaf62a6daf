"""The Docker sandbox: one container per attempt, one ``docker exec`` per command."""
