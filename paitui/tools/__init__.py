"""What the agent can do: read, write, search, run. Each tool in its place, each inside the fence."""
