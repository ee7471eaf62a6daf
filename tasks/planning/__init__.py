"""Planning tasks: choose projects within a budget under requirements and exclusions; drawn from seeds."""
