"""Monitors as rules that act: what an alarm at a threshold is worth, how it is calibrated, how it did."""
