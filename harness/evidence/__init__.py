"""Evidence bundles: what a result rests on, signed, so that any change of a byte is found and located."""
