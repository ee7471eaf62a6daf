"""Where attempts run: worker processes of this machine."""
