"""Inferences of Gaussian sites from duels: Laplace, EP, Hallucination Believer, Polya-Gamma; and the Laplace evidence.

A new inference implements `Inference.infer` and is passed as an object; an entry in `INFERENCES` gives it a name.
"""

from typing import Literal

from anchorpbo.errors import InputError, UnknownNameError
from anchorpbo.inference.base import Inference, InferenceResult, Info
from anchorpbo.inference.ep import EP
from anchorpbo.inference.evidence import EvidenceGradient, ep_evidence, evidence_gradient, laplace_evidence
from anchorpbo.inference.hallucination import Hallucination
from anchorpbo.inference.laplace import Laplace, find_mode
from anchorpbo.inference.polya_gamma import PolyaGamma

INFERENCES: dict[str, type[Inference]] = {
    "laplace": Laplace,
    "ep": EP,
    "hallucination": Hallucination,
    "polya-gamma": PolyaGamma,
}


InferenceName = Literal["laplace", "ep", "hallucination", "polya-gamma"]


def resolve_inference(inference: InferenceName | Inference) -> Inference:
    """Return the inference with this name, or the object itself."""
    if isinstance(inference, Inference):
        return inference
    if not isinstance(inference, str):
        raise InputError("inference must be a name or an Inference", repr(inference), "write EP() rather than EP")
    if inference not in INFERENCES:
        raise UnknownNameError.of("inference", inference, INFERENCES)
    return INFERENCES[inference]()


__all__ = [
    "EP", "INFERENCES", "EvidenceGradient", "Hallucination", "Inference", "InferenceName", "InferenceResult", "Info",
    "Laplace", "PolyaGamma", "ep_evidence", "evidence_gradient", "find_mode", "laplace_evidence", "resolve_inference",
]  # fmt: skip
