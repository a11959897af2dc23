"""Short rules that no solver can decide: equations over booleans (market split)."""

import random


def hard_rules(booleans: int = 30, equations: int = 4, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return names of booleans, and equations between them whose solvability is hard to decide."""
    draw = random.Random(seed)
    names = [f"b{n}" for n in range(booleans)]
    rules = []
    for _ in range(equations):
        weights = [draw.randrange(100) for _ in names]
        total = " + ".join(f"{weight}*{name}" for weight, name in zip(weights, names, strict=True))
        rules.append(f"{total} == {sum(weights) // 2}")
    return names, rules


def hard_study(**hardness: int) -> dict[str, object]:
    """Return a request for a study with such rules."""
    names, rules = hard_rules(**hardness)
    parameters = [{"name": name, "kind": "boolean"} for name in names]
    return {"name": "Hard", "space": {"kind": "space", "parameters": parameters, "constraints": rules}}
