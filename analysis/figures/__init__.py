"""Figures of a report, drawn from its data document; one file per figure."""
