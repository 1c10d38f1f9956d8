"""The full-screen face: keys in, events out."""
