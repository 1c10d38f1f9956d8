"""The parts of the screen. They draw slices of the `ViewState` and say by messages what the user wants."""
