"""Executes recorded attempts again and verifies after every action: first passes for trajectories of others."""
