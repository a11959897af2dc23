"""The paper's experiments: tasks, the runner that does them, and what their records amount to."""
