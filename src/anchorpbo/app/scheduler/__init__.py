"""Next duels, computed ahead in worker processes."""
