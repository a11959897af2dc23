"""Studies: ask, tell, recommend. A study is a log of events, and everything else is a function of the log.

::

    optimizer            Optimizer, the public interface: validates designs and holds the lock
    settings, plan       arguments of a study, and its presets
    state                log, models and caches behind the lock
    duel, events, log    duels and events as plain data, and the log that holds them
    dataset              the log as arrays
    hyperparameters      log -> fitted hyper-parameters -> model
    duel_selection       log -> next duel, by initial_duels or duel_search, both with a duel_filter
    explanations, expected_gain, progress, recommendation, surprises, assessment      results for the user
    repeats              earlier pairs that are asked once more
    retest               agreement of answers to the same pair, by band of reliability
    reliability_bands    pairs grouped by how near they are to the anchors

    noise_basis          length-scales and centres that a noise map takes from the answers
    calibration, audit   predicted answers against observed ones, and whether answers can be trusted
    design_groups        designs that count as one in results
    anchor_proposals     proposals of designs to mark as anchors, with their expected gains by anchor_gain
    anchor_validation    evidence for the anchored noise map against a constant one
    anchor_checks        questions that check the anchors
    serialization, files, comparisons      JSON, atomic files, tables of comparisons
    replication          the next duel, computed by a replica in another process
    cache                LRUCache
"""

from anchorpbo.study.anchor_proposals import AnchorProposal
from anchorpbo.study.anchor_validation import AnchorValidation
from anchorpbo.study.assessment import Assessment
from anchorpbo.study.audit import Audit, Finding
from anchorpbo.study.dataset import AnchorMark
from anchorpbo.study.duel import Duel, Outcome
from anchorpbo.study.noise_rules import BoundedNoise, ConstantNoise, LearntNoise, NoiseRule, PaperNoise
from anchorpbo.study.optimizer import Optimizer
from anchorpbo.study.plan import Plan
from anchorpbo.study.progress import Progress
from anchorpbo.study.recommendation import Estimate, Recommendation
from anchorpbo.study.retest import Retest, RetestBand
from anchorpbo.study.surprises import Surprise

__all__ = [
    "AnchorMark", "AnchorProposal", "AnchorValidation", "Assessment", "Audit", "BoundedNoise", "ConstantNoise", "Duel",
    "Estimate", "Finding", "LearntNoise", "NoiseRule", "Optimizer", "Outcome", "PaperNoise", "Plan", "Progress",
    "Recommendation", "Retest", "RetestBand", "Surprise",
]  # fmt: skip
