"""Figures and tables of the experiments, in one style."""
