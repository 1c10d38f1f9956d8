"""What lies above a screen for a while."""
