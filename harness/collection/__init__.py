"""The controller: plans a stage's attempts, hands them to workers, writes what comes back."""
