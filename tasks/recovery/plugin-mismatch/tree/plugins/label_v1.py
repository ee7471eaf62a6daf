"""Labels, version 1: LABEL(name, grams) in one line."""


def label(name, grams):
    return f"[{name.upper()}] {grams / 1000:.3f} kg"
