"""The results of a study as one HTML file."""
