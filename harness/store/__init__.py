"""Facts of collection: a database (SQLite or PostgreSQL), content-addressed blobs, the ledger, the event table."""
