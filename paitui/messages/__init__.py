"""What travels between user, model and tools: messages, their wire form, and the rules a request obeys."""
