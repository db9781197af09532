"""A run over a class: workers, the one writer and its records, the summary."""
