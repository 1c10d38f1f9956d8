"""MCP servers: what they are, how they run beside everything else, and their tools as tools of the session."""
