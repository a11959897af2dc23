"""How a margin becomes an answer: the probit and the logistic link, with ties."""

from anchorpbo.errors import UnknownNameError
from anchorpbo.likelihoods.base import Likelihood, Terms
from anchorpbo.likelihoods.logistic import Logistic
from anchorpbo.likelihoods.probit import Probit

LIKELIHOODS: dict[str, type[Likelihood]] = {"probit": Probit, "logistic": Logistic}


def resolve_likelihood(likelihood: str | Likelihood) -> Likelihood:
    """A likelihood object from its name, or itself."""
    if isinstance(likelihood, Likelihood):
        return likelihood
    if likelihood not in LIKELIHOODS:
        raise UnknownNameError.of("likelihood", likelihood, LIKELIHOODS)
    return LIKELIHOODS[likelihood]()


__all__ = ["LIKELIHOODS", "Likelihood", "Logistic", "Probit", "Terms", "resolve_likelihood"]
