"""Compare draws of Hallucination Believer's chain with long chains, to choose its length; prints a Markdown table.

For typical duels, thousands of independent draws are compared with eight long chains of coordinate updates, as
published: every judgement z_k, the ten directions in which z varies the most, and log |z|. Each line is a case and a
number of sweeps (`default`: the chain stops when it has converged):

    time     integrated autocorrelation time of the published chain, for the slowest of these statistics
    sweeps   the mean number
    means    the worst difference of means, in its standard errors
    spread   the worst ratio of standard deviations
    KS       the worst Kolmogorov-Smirnov distance, times the root of the effective number of draws
    settled  the share of draws that converged

For exact draws, nine times in ten, the worst of 31 means (m = 20) is off by 1.7 to 3.2 and the worst of 161 by 2.4
to 3.6; the worst KS is 1.2 to 1.9 and 1.5 to 2.1.

    python scripts/measure_chains.py [--draws 2000] [--sizes 20 150]
"""

import argparse
import os
from collections.abc import Iterator

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numba
import numpy as np

import anchorpbo as ap
from anchorpbo.inference import Hallucination
from anchorpbo.inference.chain import effective_sample_size
from anchorpbo.likelihoods import Likelihood
from anchorpbo.numerics.variates import draw_above, draw_between
from anchorpbo.posterior import LATENTS, LatentGaussian
from anchorpbo.problems import HARTMANN4, SimulatedJudge
from anchorpbo.typing import Array

SWEEPS = (5, 30, None, 1000)
CHAINS, LONG, BURN, EVERY = 8, 20_000, 2_000, 4


def simulate_study(preset: str, duels: int, noise: float, ties: float = 0.0) -> tuple[LatentGaussian, Likelihood]:
    """Simulate a RAHBO study; the judge's noise is a twentieth of ``noise`` at the anchors, and random answers tie."""
    space, rng = HARTMANN4.space, np.random.default_rng(1)
    anchors = np.clip(HARTMANN4.optimum + 0.2 * rng.standard_normal((5, 4)), 0.0, 1.0)
    judge = SimulatedJudge(HARTMANN4, ap.Probit(), ap.NoiseMap.bounded(anchors, scale=noise, strength=np.log(20.0)))
    study = ap.Optimizer(space, [space.decode(space.nearest(x)) for x in anchors], "rahbo", preset=preset, seed=1)
    points, wins, tied = [], [], []
    for k in range(duels):
        duel = study.ask()
        pair = [space.encode(duel.first), space.encode(duel.second)]
        answer = "tie" if rng.random() < ties else judge.answer(*pair, rng)
        study.tell(duel, answer)
        points += pair if answer != "second" else pair[::-1]
        (tied if answer == "tie" else wins).append((2 * k, 2 * k + 1))
    data = ap.Duels(np.array(points), *np.array(wins).T, tied or None)
    model = study.model
    return LATENTS["auto"](
        model.likelihood.rows(data, model.noise(data.points)), model.kernel(data.points, data.points)
    ), model.likelihood


def simulate_duels(
    duels: int, noise: float, spread: float, pool: int | None = None
) -> tuple[LatentGaussian, Likelihood]:
    """Simulate duels around an optimum, on distinct designs or on a small pool, with constant noise."""
    rng, likelihood = np.random.default_rng(0), ap.Probit(0.0)
    points = 0.5 + spread * rng.standard_normal((pool or 2 * duels, 2))
    pairs = rng.permutation(2 * duels) if pool is None else rng.integers(pool, size=2 * duels)
    first, second = pairs.reshape(2, duels)
    utility = -((points - 0.5) ** 2).sum(axis=1) / 0.2
    wins = utility[first] - utility[second] + np.sqrt(2.0 * noise) * rng.standard_normal(duels) > 0.0
    data = ap.Duels(points, np.where(wins, first, second), np.where(wins, second, first))
    rows = likelihood.rows(data, np.full(len(data.points), noise))
    return LATENTS["auto"](rows, ap.RBF(0.3)(data.points, data.points)), likelihood


def list_cases(m: int) -> Iterator[tuple[str, LatentGaussian, Likelihood]]:
    """Yield the cases, from fast chains to slow ones."""
    yield "paper preset, noise 1", *simulate_study("paper", m, 1.0)
    yield "noise 0.5", *simulate_study("default", m, 0.5)
    yield "noise 0.5, a quarter ties", *simulate_study("default", m, 0.5, ties=0.25)
    yield "noise 0.0001", *simulate_study("default", m, 1e-4)
    yield "cluster, noise 1", *simulate_duels(m, 1.0, 0.05)
    yield "cluster, noise 0.001", *simulate_duels(m, 1e-3, 0.05)
    yield "pool of 10, noise 0.05", *simulate_duels(m, 0.05, 0.2, pool=10)
    yield "near-equal duels, noise 0.01", *simulate_duels(m, 1e-2, 0.002)
    yield "cluster, noise 0.000001", *simulate_duels(m, 1e-6, 0.05)


@numba.njit
def run_long_chain(rng: np.random.Generator, Q: Array, tied: Array, tau: float, out: Array) -> None:
    """Run the published chain from z = tau and store it after a burn-in."""
    m = len(Q)
    z = np.where(tied, 0.0, tau)
    for sweep in range(BURN + EVERY * len(out)):
        Qz = Q @ z
        for j in range(m):
            mean, std = z[j] - Qz[j] / Q[j, j], 1.0 / np.sqrt(Q[j, j])
            if tied[j]:
                new = mean + std * draw_between(rng, (-tau - mean) / std, (tau - mean) / std)
            else:
                new = mean + std * draw_above(rng, (tau - mean) / std)
            Qz += (new - z[j]) * Q[j]
            z[j] = new
        if sweep >= BURN and (sweep - BURN) % EVERY == 0:
            out[(sweep - BURN) // EVERY] = z


def compute_statistics(z: Array, wide: Array) -> Array:
    """Return the compared statistics of draws (n, m): judgements, wide directions and size, (n, m + 11)."""
    return np.column_stack([z, z @ wide, np.log(np.sum(z**2, axis=1))])


def find_worst(draws: Array, truth: Array, worth: Array) -> tuple[float, float, float]:
    """Return the worst means, spread and KS of draws (n, k) against chains (c, l, k) of effective size (k,)."""
    pooled = truth.reshape(-1, truth.shape[-1])
    mean, std = pooled.mean(axis=0), pooled.std(axis=0)
    error = np.sqrt(draws.var(axis=0) / len(draws) + std**2 / worth)
    means = float(np.max(np.abs(draws.mean(axis=0) - mean) / error))
    spread = float(np.exp(np.max(np.abs(np.log(draws.std(axis=0) / std)))))
    distances = []
    for mine, theirs, n in zip(draws.T, pooled.T, worth, strict=True):
        below, ranks = (
            np.searchsorted(np.sort(theirs), np.sort(mine)) / len(theirs),
            np.arange(len(mine) + 1) / len(mine),
        )
        gap = max(np.max(ranks[1:] - below), np.max(below - ranks[:-1]))
        distances.append(gap / np.sqrt(1.0 / len(mine) + 1.0 / n))
    return means, spread, max(distances)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2000, help="independent draws per line")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 150], help="duels")
    given = parser.parse_args()
    print("| duels | case | time | setting | sweeps | means | spread | KS | settled |\n|" + " --- |" * 9)
    for m in given.sizes:
        for name, latent, likelihood in list_cases(m):
            covariance = latent.rows.margin_covariance(latent.kernel_matrix) + np.eye(m)
            Q, wide = np.linalg.inv(covariance), np.linalg.eigh(covariance)[1][:, -10:]
            chains = np.empty((CHAINS, (LONG - BURN) // EVERY, m))
            for seed, chain in enumerate(chains):
                run_long_chain(np.random.default_rng([9, seed]), Q, latent.rows.tied, likelihood.tau, chain)
            truth = np.array([compute_statistics(chain, wide) for chain in chains])
            worth = np.sum([np.minimum(effective_sample_size(chain), len(chain)) for chain in truth], axis=0)
            slowest = CHAINS * (LONG - BURN) / worth.min()
            for sweeps in SWEEPS:
                inferred = [
                    Hallucination(sweeps=sweeps).infer(latent, likelihood, np.random.default_rng([seed, 5]))
                    for seed in range(given.draws)
                ]
                draws = compute_statistics(np.array([each.sites.linear for each in inferred]), wide)
                found = find_worst(draws, truth, worth)
                length = np.mean([each.info.iterations for each in inferred])
                settled = np.mean([each.info.converged for each in inferred])
                setting = "default" if sweeps is None else f"sweeps={sweeps}"
                numbers = f"{length:.0f} | {found[0]:.1f} | {found[1]:.2f} | {found[2]:.1f} | {settled:.2f}"
                print(f"| {m} | {name} | {slowest:.0f} | {setting} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
