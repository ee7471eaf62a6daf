"""Reads trajectories that other harnesses recorded, into one neutral record."""
