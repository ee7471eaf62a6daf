"""Recovery actions at work: applied inside an attempt, between episodes, and to failed branches."""
