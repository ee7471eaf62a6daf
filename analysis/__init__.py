"""Says what events are worth: pure functions on event tables, without a model, a sandbox or a network."""
