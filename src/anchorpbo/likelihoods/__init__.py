"""Likelihoods of answers given margins: the probit and the logistic link, with ties and lapses.

::

    base         Likelihood: a new likelihood implements two methods, `scale_rows` and `log_win`
    probit       Probit             closed forms
    logistic     Logistic           closed forms
    lapse        LapseMixture: an answer is random with some probability
    outcomes     Outcomes: tie probabilities and expected probabilities of a link
    quadrature   Outcomes of any link, by quadrature
    mixture      Outcomes of scale mixtures of probits, compiled
"""

from typing import Literal

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.likelihoods.base import Likelihood, RowScaling
from anchorpbo.likelihoods.logistic import Logistic
from anchorpbo.likelihoods.outcomes import LogMarginal, Outcomes, Terms
from anchorpbo.likelihoods.probit import Probit

LIKELIHOODS: dict[str, type[Likelihood]] = {"probit": Probit, "logistic": Logistic}


LikelihoodName = Literal["probit", "logistic"]


def resolve_likelihood(likelihood: LikelihoodName | Likelihood) -> Likelihood:
    """Return the likelihood with this name, or the object itself."""
    if isinstance(likelihood, Likelihood):
        return likelihood
    if not isinstance(likelihood, str):
        raise InputError(
            "likelihood must be a name or a Likelihood", repr(likelihood), "write Probit() rather than Probit"
        )
    if likelihood not in LIKELIHOODS:
        raise UnknownNameError.of("likelihood", likelihood, LIKELIHOODS)
    return LIKELIHOODS[likelihood]()


__all__ = [
    "LIKELIHOODS", "Likelihood", "LikelihoodName", "LogMarginal", "Logistic", "Outcomes", "Probit", "RowScaling",
    "Terms", "resolve_likelihood",
]  # fmt: skip
