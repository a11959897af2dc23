"""Our side as users have it: `Optimizer.ask` with five anchors, reasons and all."""

from __future__ import annotations

from typing import Any, Literal

from anchorpbo.research.bench.contender import ASK, Contender, Step, StepParts
from anchorpbo.research.bench.dataset import DuelDataset
from anchorpbo.space import Real, Space
from anchorpbo.study import Optimizer


class StudyContender(Contender):
    """The default preset (RAEUBO by expectation propagation); single designs by the paper's (RAHBO, HB)."""

    name = "anchorpbo-study"
    library = "anchorpbo"
    title = "anchorpbo, a study"

    def prepare(self, given: DuelDataset, step: Step) -> None:
        """Tell the duels; between fits, all but the last are told to a study that has been asked and fitted."""
        self.study = start_study(given, "paper" if step == "single" else "default")
        tell_duels(self.study, given, len(given) if step == "round" else len(given) - 1)
        if step != "round":
            self.study.ask()
            tell_duels(self.study, given, len(given), begin=len(given) - 1)
            self.study.to_json()  # where a fit falls due it is done now, and remembered

    def parts(self, step: Step) -> StepParts:
        """All in one."""
        return {ASK: self.study.ask}


def start_study(given: DuelDataset, preset: Literal["default", "paper"]) -> Optimizer:
    """A study without duels yet."""
    space = Space({f"x{c + 1}": Real(0.0, 1.0) for c in range(given.dimension)})
    anchors = [space.decode(space.nearest(x)) for x in given.anchors]
    return Optimizer(space, anchors, "rahbo" if preset == "paper" else None, preset, given.seed)


def tell_duels(study: Optimizer, given: DuelDataset, end: int, begin: int = 0) -> None:
    """Tell a study duels of a range."""

    def design(row: int) -> Any:
        return study.space.decode(given.points[row])

    for k in range(begin, end):
        study.tell_preference(design(given.winners[k]), design(given.losers[k]))
