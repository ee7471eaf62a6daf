"""Makes and checks task packages before anything is run."""
