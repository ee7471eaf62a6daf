"""What is scored, read from files and from the store, and checked where it comes in."""
