"""Preferential Bayesian optimisation that knows where its user can judge."""
