"""Work that is split: a planner, tasks or team members with histories of their own, one answer.

`graph` and `verdict` read what models write; `board` holds how far everything is, and keeps it with the session;
`results` hands on what came of a unit; `asking` gives a unit its task; `running` lets what is ready run side by
side; `flow` is the way of a whole plan, `steps` what a task and a team's step do; `desk` is what the worker knows.
"""
