"""Count the simulated users whose answers `Optimizer.assess` calls contradictory; prints a Markdown table.

Users of `anchorpbo bench answers` without anchors, and one who answers at random, on five problems of the tuning set.

    python scripts/measure_contradictions.py [--seeds 4]
"""

import argparse
import os
from collections import Counter
from itertools import product

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from anchorpbo.app.cli.execution import make_console
from anchorpbo.research.answers.judges import draw_judge
from anchorpbo.research.answers.own_contenders import OptimizerContender
from anchorpbo.research.answers.problems import get_judged_problem
from anchorpbo.research.answers.study_task import draw_uniform

PROBLEMS = ("gp2", "gp4", "hartmann6", "espresso", "catalogue5")
USERS = ("sure", "constant-high", "slips", "random")
LOOKS = (20, 30)


def find_contradictory_looks(user: str, name: str, seed: int) -> list[int]:
    """Return the numbers of answers, of `LOOKS`, after which a study is called contradictory."""
    problem = get_judged_problem(name, seed)
    judge, _ = draw_judge("sure" if user == "random" else user, problem, "good", seed)
    contender, found = OptimizerContender(problem.space, None, seed), []
    for number in range(1, LOOKS[-1] + 1):
        pair, level = contender.ask(), draw_uniform(seed, number)
        contender.tell(pair, level < 0.5 if user == "random" else judge.prefers_first(pair, level))
        if number in LOOKS and contender.optimizer.assess().code == "contradictory":
            found.append(number)
    return found


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=4)
    seeds, counts = range(parser.parse_args().seeds), Counter[tuple[str, int]]()
    with make_console().status("Simulating users") as status:
        for user, name, seed in product(USERS, PROBLEMS, seeds):
            status.update(f"Simulating users: {user}, {name}, seed {seed}")
            counts.update((user, look) for look in find_contradictory_looks(user, name, seed))
    print(f"| user | {' | '.join(f'after {look} answers' for look in LOOKS)} | studies |\n| --- | ---: | ---: | ---: |")
    for user in USERS:
        print(f"| {user} | {' | '.join(str(counts[user, look]) for look in LOOKS)} | {len(PROBLEMS) * len(seeds)} |")


if __name__ == "__main__":
    main()
