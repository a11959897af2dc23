"""Numerical routines that do not depend on duels: normal tails, exact sampling, Sobol' points, linear algebra."""
