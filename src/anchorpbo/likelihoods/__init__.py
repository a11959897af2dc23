"""How a margin becomes an answer: the probit and the logistic link, with ties."""

from typing import Literal

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.likelihoods.base import Likelihood, Terms
from anchorpbo.likelihoods.logistic import Logistic
from anchorpbo.likelihoods.probit import Probit

LIKELIHOODS: dict[str, type[Likelihood]] = {"probit": Probit, "logistic": Logistic}


LikelihoodName = Literal["probit", "logistic"]


def resolve_likelihood(likelihood: LikelihoodName | Likelihood) -> Likelihood:
    """A likelihood object from its name, or itself."""
    if isinstance(likelihood, Likelihood):
        return likelihood
    if not isinstance(likelihood, str):
        raise InputError(
            "likelihood must be a name or a Likelihood", repr(likelihood), "write Probit() rather than Probit"
        )
    if likelihood not in LIKELIHOODS:
        raise UnknownNameError.of("likelihood", likelihood, LIKELIHOODS)
    return LIKELIHOODS[likelihood]()


__all__ = ["LIKELIHOODS", "Likelihood", "LikelihoodName", "Logistic", "Probit", "Terms", "resolve_likelihood"]
