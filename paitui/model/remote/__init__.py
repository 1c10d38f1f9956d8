"""Models behind the network: a child process that holds litellm, and a model that speaks to it.

`protocol` is what travels between the two processes, `child` (with `backend` and `raw`) runs in the child,
`connection` and `host` keep the child alive, `remote` is the model that the agent sees.
"""
