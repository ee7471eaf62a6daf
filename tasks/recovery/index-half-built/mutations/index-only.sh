python3 services/reindex.py
