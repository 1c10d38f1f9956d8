"""Models behind one port: the built-in offline engine, and whatever else speaks the port."""
