"""Planning stages: episodes of one response from frozen first answers, and the tensor of what they came to."""
