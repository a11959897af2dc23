"""Ask, tell, recommend: a study is a log of what its user said, and everything else is a function of it.

::

    optimizer      Optimizer, the public face: one lock, one log
    duel, events   what is asked and what is said, as plain data
    record         the log as arrays
    plan           presets: how the user is modelled and duels are chosen
    beliefs        log -> hyper-parameters -> model
    asking         log -> next duel, through starting (the first few) or choosing (by the acquisition)
    distinct       which duels are worth asking
    why, gain, progress, recommending       what is said to the user about it
    anchors        designs to ask "could you judge this one well?"
    saving, objects, importing      JSON, and comparisons from elsewhere
    foresight      a log for another process, and what follows from it
"""

from anchorpbo.study.duel import Duel, Outcome
from anchorpbo.study.optimizer import Optimizer
from anchorpbo.study.plan import BoundedNoise, ConstantNoise, NoiseRule, PaperNoise, Plan
from anchorpbo.study.progress import Progress
from anchorpbo.study.recommendation import Estimate, Recommendation

__all__ = [
    "BoundedNoise", "ConstantNoise", "Duel", "Estimate", "NoiseRule", "Optimizer", "Outcome", "PaperNoise", "Plan",
    "Progress", "Recommendation",
]  # fmt: skip
