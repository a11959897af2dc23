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
    design_groups        designs that count as one in results
    anchor_proposals     proposals of designs to mark as anchors
    serialization, files, comparisons      JSON, atomic files, tables of comparisons
    replication          the next duel, computed by a replica in another process
    cache                LRUCache
"""

from anchorpbo.study.assessment import Assessment
from anchorpbo.study.duel import Duel, Outcome
from anchorpbo.study.optimizer import Optimizer
from anchorpbo.study.plan import BoundedNoise, ConstantNoise, NoiseRule, PaperNoise, Plan
from anchorpbo.study.progress import Progress
from anchorpbo.study.recommendation import Estimate, Recommendation
from anchorpbo.study.surprises import Surprise

__all__ = [
    "Assessment", "BoundedNoise", "ConstantNoise", "Duel", "Estimate", "NoiseRule", "Optimizer", "Outcome",
    "PaperNoise", "Plan", "Progress", "Recommendation", "Surprise",
]  # fmt: skip
