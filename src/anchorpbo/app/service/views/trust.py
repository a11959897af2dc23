"""Views of whether answers and anchors can be trusted: audit, agreement of repeated pairs, validation of anchors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anchorpbo.formatting import format_significant
from anchorpbo.study import Audit, Finding, Optimizer, Retest
from anchorpbo.study.anchor_validation import CONTRADICTED_FACTOR, SUPPORTED_FACTOR, AnchorValidation, Verdict
from anchorpbo.study.audit.finding import FindingLevel


@dataclass(frozen=True)
class FindingView:
    """Finding about the answers; see `anchorpbo.study.Finding`."""

    name: str
    title: str
    value: float | None
    """The number; null if there are not enough answers for one."""
    interval: list[float]
    """90 % interval of the value; its whole range if nothing is known."""
    sentence: str
    level: FindingLevel
    level_text: str
    """The level in words."""
    figure: bool
    """Whether `figures/audit` has a figure of this finding."""

    @classmethod
    def from_finding(cls, finding: Finding) -> FindingView:
        """Return the view of a finding."""
        interval = list(finding.interval)
        return cls(
            finding.name, finding.title, finding.value, interval, finding.sentence, finding.level, finding.level_text,
            finding.data is not None,
        )  # fmt: skip


@dataclass(frozen=True)
class AuditView:
    """Whether a participant's answers can be trusted; see `anchorpbo.study.Audit`."""

    sentence: str
    answers: int
    findings: list[FindingView]

    @classmethod
    def from_audit(cls, audit: Audit) -> AuditView:
        """Return the view of an audit."""
        return cls(audit.sentence, audit.answers, [FindingView.from_finding(each) for each in audit])


@dataclass(frozen=True)
class RetestBandView:
    """Agreement of answers to the same pair in one band of reliability; see `anchorpbo.study.RetestBand`."""

    name: str
    retests: int
    """Number of retests: each compares two consecutive answers to the same pair."""
    agreed: int
    share: float | None
    """Share of retests with the same answer; null without any."""
    interval: list[float]
    """90 % interval of the share; from 0 to 1 without any retest."""
    expected: float | None
    """Share that the model expects; null without any retest."""


@dataclass(frozen=True)
class RetestView:
    """Agreement of a participant's answers to the same pair; see `anchorpbo.study.Retest`."""

    sentence: str
    retests: int
    """Number of retests in all bands."""
    bands: list[RetestBandView]

    @classmethod
    def from_retest(cls, retest: Retest) -> RetestView:
        """Return the view of an agreement."""
        bands = [RetestBandView(**(vars(band) | {"interval": list(band.interval)})) for band in retest.bands]
        return cls(retest.sentence, retest.retests, bands)


VERDICT_ADVICE: Mapping[Verdict, str] = {
    "supported": "Answers near your anchors rightly count more.",
    "open": "Answer more questions; those that check your anchors tell most about them.",
    "contradicted": "Look through your anchors, and remove those that you could not judge without trying them again.",
}


@dataclass(frozen=True)
class AnchorValidationView:
    """Whether a participant's anchors are right, according to their answers; see `anchorpbo.study.AnchorValidation`."""

    anchors: int
    """Number of anchors."""
    bayes_factor: float
    """Evidence of the anchored noise map as a multiple of that of a constant one; 1 if it was not compared."""
    verdict: Verdict
    sentence: str
    explanation: str
    """The Bayes factor and its limits in words; empty if the maps were not compared."""
    advice: str
    """What to do next; empty if the maps were not compared."""
    strengths: list[float]
    """Strengths of the map that were compared; empty without anchors or with too few answers."""
    factors: list[float]
    """Bayes factor of each strength."""
    retest: RetestView

    @classmethod
    def from_optimizer(cls, optimizer: Optimizer) -> AnchorValidationView:
        """Return the view of the validation of a study's anchors."""
        return cls.from_validation(optimizer.validate_anchors(), len(optimizer.anchors))

    @classmethod
    def from_validation(cls, found: AnchorValidation, anchors: int) -> AnchorValidationView:
        """Return the view of a validation of this number of anchors."""
        compared = bool(found.strengths)
        return cls(
            anchors, found.bayes_factor, found.verdict, found.sentence,
            _explain_factor(found.bayes_factor) if compared else "",
            VERDICT_ADVICE[found.verdict] if compared else "",
            list(found.strengths), list(found.factors), RetestView.from_retest(found.retest),
        )  # fmt: skip

    @property
    def anchor_paragraphs(self) -> list[str]:
        """The texts on the anchors; empty without anchors, unless a map was compared."""
        shown = [self.sentence, self.explanation, self.advice] if self.anchors or self.strengths else []
        return [text for text in shown if text]

    @property
    def paragraphs(self) -> list[str]:
        """The texts on the anchors, and on repeated pairs if there are any."""
        return [*self.anchor_paragraphs, *([self.retest.sentence] if self.retest.retests else [])]


def _explain_factor(factor: float) -> str:
    return (
        f"The Bayes factor is {format_significant(factor, 2)}: from {SUPPORTED_FACTOR:g} up the answers support your "
        f"anchors, from 1/{1.0 / CONTRADICTED_FACTOR:g} down they contradict them."
    )
