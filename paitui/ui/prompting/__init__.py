"""What stands behind the prompt: drafts and their marks, history, completion, the editor outside."""
