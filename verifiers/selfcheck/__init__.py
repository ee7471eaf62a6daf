"""The self-check of what judges a workspace: layers, history and the verifier, on a tiny task of its own."""
