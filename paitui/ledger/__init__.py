"""The raw ledger: everything that entered the history, for audit, never read back to the model."""
