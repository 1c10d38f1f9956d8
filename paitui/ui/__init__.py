"""The full screen: events become a `ViewState`, widgets draw it as lines, keys become ops."""
