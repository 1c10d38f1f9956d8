"""The offload folder: numbered files inside the project, where `read_file` may read them back."""
