"""Cycles: answers that no single order of the designs explains.

Symbols: W_ij is the number of answers that prefer design i to j. A triad is three designs whose three pairs all have a
majority; it is cyclic if A > B > C > A. Among three coin flips, 1/4 are cyclic.

An optimiser seldom asks all three pairs of a triad, so the value of the finding is another one, which needs no triads:
the smallest number of answers that must be reversed, so that one order explains all (the minimum feedback arc set),

    min over orders of the designs    sum of W_ij over pairs where j stands before i

Cycles lie within strongly connected components, each of which has its own minimum. It is exact for components of up to
12 designs, by dynamic programming over sets of designs: with S the designs placed first,

    cost(S) = min over i in S    cost(S - i) + sum of W_ij over j in S - i

and an upper bound by local search for larger ones. Contradictory answers to one pair count, too. The same number is
computed for simulated users: a utility drawn from the posterior, and answers drawn from the likelihood to the same
pairs. The posterior has seen the answers, so that the check errs towards finding nothing. The finding is a warning if
the number of reversals, or that of cyclic triads, exceeds those of 95 % of the simulated users.

Few pairs that share designs cannot form many cycles. The same number is therefore computed for users who flip coins,
the worst fault: if half of them would get no warning, the finding is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from anchorpbo.formatting import format_count
from anchorpbo.numerics.shares import jeffreys_interval
from anchorpbo.study.audit.answers import AnswerTable
from anchorpbo.study.audit.finding import Finding, FindingLevel, Simulated
from anchorpbo.study.audit.words import explain_missing, format_percent, format_range
from anchorpbo.typing import Array, IntArray

MIN_CHOICES = 10
SIMULATIONS = 100
"""Number of simulated users who answer as the model expects."""
COIN_USERS = 20
"""Number of simulated users who flip coins."""
MAX_EXACT_DESIGNS, MAX_SEARCHED_DESIGNS = 12, 300
"""Largest component with an exact minimum, and with a local search."""
_PASSES = 4


@dataclass(frozen=True)
class CycleCounts:
    """Counts of one comparison graph."""

    reversals: int
    """Smallest number of answers to reverse, or an upper bound of it."""
    triads: int
    """Number of triads."""
    cyclic: int
    """Number of cyclic triads."""


def find_cycles(answers: AnswerTable) -> Finding:
    """Return the smallest share of answers that must be reversed so that one order of the designs explains all."""
    edges = answers.designs[answers.chosen]
    n = len(edges)
    if n < MIN_CHOICES:
        return Finding("cycles", None, (0.0, 1.0), explain_missing(MIN_CHOICES, "choices", n), "unknown")
    size = int(edges.max()) + 1
    observed = count_cycles(edges, size)
    simulated = [count_cycles(each, size) for each in simulate_answers(answers, edges)]
    reversals = np.sort([each.reversals / n for each in simulated])
    share, interval = observed.reversals / n, jeffreys_interval(observed.reversals, n)
    high = float(np.quantile(reversals, 0.95))
    sentence = (
        f"One order of the designs explains all but {format_count(observed.reversals, 'answer')} of {n} "
        f"({format_percent(share)}, {format_range(interval)}). Simulated users who answer as the model expects have "
        f"{format_percent(float(np.mean(reversals)))} such answers on average, and 95 % of them at most "
        f"{format_percent(high)}."
    )
    if observed.triads:
        expected = float(np.mean([each.cyclic for each in simulated]))
        sentence += (
            f" Of {format_count(observed.triads, 'triple')} of designs compared with each other, {observed.cyclic} "
            f"{'is' if observed.cyclic == 1 else 'are'} cyclic (A over B, B over C, C over A); the model expects "
            f"{expected:.1f}, coin flips would give {observed.triads / 4:.1f}."
        )
    circular = observed.cyclic > float(np.quantile([each.cyclic for each in simulated], 0.95))
    level: FindingLevel = "warning" if share > high or circular else "good"
    data = Simulated(share, tuple(reversals.tolist()), "share of answers to reverse")
    if level == "good":
        flips = [count_cycles(each, size).reversals / n for each in flip_coins(edges, answers.seed)]
        if float(np.median(flips)) <= high:
            level = "unknown"
            sentence = (
                "Not enough to say: even coin flips would form few cycles among the pairs compared so far. " + sentence
            )
    return Finding("cycles", share, interval, sentence, level, data)


def simulate_answers(answers: AnswerTable, edges: IntArray) -> list[IntArray]:
    """Return the choices, (n, 2) with the winner first, of users drawn from the posterior, about the same pairs."""
    model = answers.model
    assert model is not None
    rng, pairs = np.random.default_rng([answers.seed, 20]), answers.pairs[answers.chosen]
    _, rows, where = np.unique(edges, return_index=True, return_inverse=True)
    X = pairs.reshape(-1, pairs.shape[2])[rows]
    f = model.posterior.sample(X, SIMULATIONS, rng)[:, where.reshape(edges.shape)]
    a, b = model.coefficients(pairs[:, 0], pairs[:, 1])
    g, likelihood = a * f[:, :, 0] - b * f[:, :, 1], model.likelihood
    nobody = np.zeros(g.size, dtype=np.bool_)
    first, second = (np.exp(likelihood.log_prob(side * g.ravel(), nobody).value).reshape(g.shape) for side in (1, -1))
    stays = rng.random(g.shape) * (first + second) < first
    return [np.where(row[:, None], edges, edges[:, ::-1]) for row in stays]


def flip_coins(edges: IntArray, seed: int) -> list[IntArray]:
    """Return the choices, (n, 2) with the winner first, of users who flip a coin for each pair."""
    rng = np.random.default_rng([seed, 21])
    stays = rng.random((COIN_USERS, len(edges))) < 0.5
    return [np.where(row[:, None], edges, edges[:, ::-1]) for row in stays]


def count_cycles(edges: IntArray, size: int) -> CycleCounts:
    """Count the cycles of choices, (n, 2) with the winner first, among designs 0 to size - 1."""
    W = np.zeros((size, size))
    np.add.at(W, (edges[:, 0], edges[:, 1]), 1.0)
    A = (W > W.T).astype(np.float64)
    U = A + A.T
    cyclic, triads = round(float(((A @ A) * A.T).sum()) / 3.0), round(float(((U @ U) * U).sum()) / 6.0)
    count, label = connected_components(W, connection="strong")
    reversals, sizes = 0, np.bincount(label)
    for component in np.flatnonzero(sizes > 1).tolist() if count < size else ():
        inside = np.flatnonzero(label == component)
        reversals += count_reversals(W[np.ix_(inside, inside)])
    return CycleCounts(reversals, triads, cyclic)


def count_reversals(W: Array) -> int:
    """Return the smallest number of answers against an order of the designs, or an upper bound; W is (n, n)."""
    n = len(W)
    return round(_minimise_exactly(W) if n <= MAX_EXACT_DESIGNS else _search_order(W))


def _minimise_exactly(W: Array) -> float:
    """Return the minimum by dynamic programming over sets of designs, written as bits."""
    n = len(W)
    sets = np.arange(1 << n)
    # against[i, S]: number of answers that prefer i to a design in S, which count if S is placed before i.
    against = np.zeros((n, 1 << n))
    for j in range(n):
        against[:, 1 << j : 2 << j] = against[:, : 1 << j] + W[:, [j]]
    cost, members = np.full(1 << n, np.inf), ((sets[:, None] >> np.arange(n)) & 1).sum(axis=1)
    cost[0] = 0.0
    for size in range(1, n + 1):
        of_size = sets[members == size]
        for i in range(n):
            here = of_size[(of_size >> i) & 1 == 1]
            before = here ^ (1 << i)
            cost[here] = np.minimum(cost[here], cost[before] + against[i, before])
    return float(cost[-1])


def _search_order(W: Array) -> float:
    """Return the number of answers against an order found by moving one design at a time to its best place."""
    order = np.argsort(W.sum(axis=0) - W.sum(axis=1), kind="stable")
    for _ in range(_PASSES if len(W) <= MAX_SEARCHED_DESIGNS else 0):
        moved = False
        for i in order.copy().tolist():
            rest = order[order != i]
            # Cost of placing i at each position: preferences of i over those before it, and of those after it over i.
            before = np.concatenate([[0.0], np.cumsum(W[i, rest])])
            after = np.concatenate([np.cumsum(W[rest, i][::-1])[::-1], [0.0]])
            cost, now = before + after, int(np.flatnonzero(order == i)[0])
            best = int(np.argmin(cost))
            if cost[best] < cost[now]:
                order, moved = np.insert(rest, best, i), True
        if not moved:
            break
    return float(np.tril(W[np.ix_(order, order)], -1).sum())
