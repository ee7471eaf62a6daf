"""Stage protocols: schema, reading, digest, freezing, runtimes."""
