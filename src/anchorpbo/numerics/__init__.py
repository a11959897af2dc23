"""Arithmetic that knows nothing of duels: tails of the normal, exact draws, Sobol points, small linear algebra."""
