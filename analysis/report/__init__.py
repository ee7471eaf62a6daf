"""One data document about named stages, and the page and text made from it."""
