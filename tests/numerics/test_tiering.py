"""Tiered functions: the same bits by both tiers, and when which of them has its turn."""

import importlib
import math
import os
import pkgutil
import subprocess
import sys
from collections import Counter
from threading import Event, Thread

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anchorpbo as ap
from anchorpbo.duels import Rows
from anchorpbo.inference.ep import match_one_by_one
from anchorpbo.inference.laplace import find_mode
from anchorpbo.inference.newton import LOGISTIC, PROBIT, run_newton
from anchorpbo.kernels import Tanimoto
from anchorpbo.kernels import stationary_matrices as matrices
from anchorpbo.likelihoods import Logistic, Probit
from anchorpbo.numerics import tiering
from anchorpbo.numerics.jit import elements, jit, jit_inline, maximum
from anchorpbo.numerics.tiering import TieredFunction, compile_eagerly, jit_tiered, jit_tiered_with
from anchorpbo.posterior import LATENTS, GaussianPosterior
from anchorpbo.posterior.duel_root import DuelRoot
from anchorpbo.posterior.point_latent import eliminate_designs
from support.drawn_studies import SHELF, played
from support.optional import HAS_TORCH

MAX_INTERPRETED_SECONDS = 120.0


def _without_torch(name):
    assert name == "anchorpbo.interop.botorch"
    assert not HAS_TORCH


def every_tiered_function():
    """All of the package, by name."""
    found = {}
    for module in pkgutil.walk_packages(ap.__path__, "anchorpbo.", _without_torch):
        if module.name.split(".")[1] in ("numerics", "duels", "kernels", "likelihoods", "reliability", "posterior",
                                         "inference", "search", "study", "model", "space", "acquisition"):  # fmt: skip
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, TieredFunction):
                    found[f"{value.__module__}.{name}"] = value
    return found


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind != "f":
        return np.array_equal(a, b)
    # NaNs carry no information in their own bits.
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))


@pytest.fixture
def both(monkeypatch):
    """Run every call by both tiers and compare; counts the calls, by name."""
    compared = Counter()

    def call(self, *args):
        copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        result = self.compile(args)
        try:
            with np.errstate(all="ignore"):
                interpreted = self.interpretable(*copies)
        except (ArithmeticError, ValueError):
            return result  # here machine code has the last word
        compared[f"{self.__module__}.{self.__name__}"] += 1
        filled = len(args) if self.twin is None else len(args) - 1  # a twin has working memory of its own
        results = zip((result, *args[:filled]), (interpreted, *copies[:filled]), strict=True)
        for k, (mine, others) in enumerate(results):
            assert same_bits(mine, others) if mine is not None else others is None, (self.__name__, k)
        return result

    monkeypatch.setattr(TieredFunction, "__call__", call)
    return compared


# -- the same bits ----------------------------------------------------------------------------------------------------


def _default():
    played(inference="ep", count=10)


def _paper():
    played(preset="paper", strategy="raeubo", inference="laplace", count=7)


def _knowledge_gradient():
    prior = GaussianPosterior.prior(ap.RBF(0.3), 2)
    bound = ap.acquisition.KnowledgeGradient().bind(prior, ap.NoiseMap.constant(1.0))
    bound.screen(np.random.default_rng(0).random((5, 2)), 4)


def _list():
    played(SHELF, [{"name": "n3"}, {"name": "n8"}], 8, liking=lambda item: item["a"] + item["b"])


def _bounded_without_coordinates():
    noise = ap.NoiseMap.bounded(np.eye(4)[:2], bandwidth=0.3, metric="tanimoto")
    noise(np.eye(4))


def _fingerprints():
    X = np.random.default_rng(0).integers(0, 2, (6, 70)).astype(float)
    duels = ap.Duels(X, [0, 1, 2, 3], [1, 2, 3, 4])
    ap.PreferenceGP(Tanimoto(), "probit", "laplace").fit(duels).posterior.variance(X)


def _many_duels_on_few_designs():
    rng = np.random.default_rng(1)
    points, winners = rng.random((6, 2)), rng.integers(0, 5, 60)
    duels = ap.Duels(points, winners, (winners + rng.integers(1, 6, 60)) % 6)
    for likelihood in (Probit(), Logistic()):
        ap.PreferenceGP(ap.Matern52(0.3), likelihood, "ep").fit(duels)
        space = LATENTS["point"](likelihood.rows(duels, np.full(6, 0.3)), ap.RBF(0.3)(points, points))
        match_one_by_one(space, likelihood, find_mode(space, likelihood).solution)


def _kernels():
    rng = np.random.default_rng(2)
    for kernel in (ap.RBF, ap.Matern32, ap.Matern52):
        duels = ap.Duels(rng.random((8, 3)), np.arange(4), np.arange(4, 8))
        model = ap.PreferenceGP(kernel([0.2, 0.5, 0.9], categorical=[1]), "logistic", "laplace").fit(duels)
        bound = ap.acquisition.EUBO().bind(model.posterior, model.noise)
        bound.value_and_gradient(rng.random((3, 2, 3)))


def _roots():
    rng = np.random.default_rng(3)
    rows = Rows(np.arange(4), np.arange(4, 8), rng.random(4), rng.random(4), np.zeros(4, bool), 8)
    root = DuelRoot(np.asfortranarray(np.tril(rng.random((4, 4)))), rows)
    root.multiply(root.multiply_transpose(rng.random((3, 8))))
    W = np.triu(10.0 ** rng.uniform(-9, 9, (6, 6)), 1)
    eliminate_designs(W, W * rng.standard_normal((6, 6)))


WORK = [
    _default, _paper, _knowledge_gradient, _list, _bounded_without_coordinates, _fingerprints,
    _many_duels_on_few_designs, _kernels, _roots,
]  # fmt: skip


def test_every_tiered_function_gives_the_same_bits_by_both_tiers(both) -> None:
    for work in WORK:
        work()
    assert set(both) == set(every_tiered_function())
    assert both["anchorpbo.kernels.stationary_matrices._fill"] > 100


REALS = st.one_of(st.floats(-50.0, 50.0), st.floats(-1e-6, 1e-6), st.floats(-1e6, 1e6))
SIZES = st.one_of(st.floats(0.0, 10.0), st.floats(1e-12, 1e-3), st.floats(0.0, 1e9))


def interpreted_and_compiled(function, make):
    """What both tiers leave in the arguments, of which there is a fresh set for each."""
    mine, others = make(), make()
    function.compile(mine)
    try:
        with np.errstate(all="ignore"):
            function.interpretable(*others)
    except (ArithmeticError, ValueError):
        function.interpret(others := make())
    return mine, others


@settings(deadline=None, max_examples=400)
@given(st.lists(st.tuples(REALS, SIZES, st.booleans()), min_size=1, max_size=5), SIZES, st.booleans())
def test_expected_outcomes_have_the_same_bits_however_extreme(margins, tau, logistic):
    from anchorpbo.likelihoods.mixture import expected_outcomes

    likelihood = Logistic() if logistic else Probit()
    mean, variance, tied = (np.array(column) for column in zip(*margins, strict=True))
    tied = tied & (tau > 0.0)

    def make():
        return [mean.copy(), variance.copy(), tied, tau, *likelihood.outcomes.parts, np.zeros((4, len(mean)))]

    mine, others = interpreted_and_compiled(expected_outcomes, make)
    assert same_bits(mine[-1], others[-1])


@settings(deadline=None, max_examples=200)
@given(st.lists(REALS, min_size=1, max_size=9), st.booleans())
def test_wins_have_the_same_bits_however_extreme(z, logistic):
    from anchorpbo.likelihoods.logistic import logistic_wins
    from anchorpbo.likelihoods.probit import probit_wins

    def make():
        return [np.array(z), np.zeros((4, len(z)))]

    mine, others = interpreted_and_compiled(logistic_wins if logistic else probit_wins, make)
    assert same_bits(mine[-1], others[-1])


@settings(deadline=None, max_examples=100)
@given(
    st.integers(0, 10_000), st.integers(1, 9), st.floats(-8.0, 8.0), st.sampled_from([LOGISTIC, PROBIT]),
    st.sampled_from([0.0, 1e-3, 0.2]),
)  # fmt: skip
def test_newton_takes_the_same_steps_to_the_bit(seed, m, size, link, lapse):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, m))
    C = 10.0**size * (A @ A.T)
    found = {}
    for tier in ("compile", "interpret"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TieredFunction, "__call__", lambda self, *args, tier=tier: getattr(self, tier)(args))
            found[tier] = run_newton(C, 0.0, link, None, 1e-12, lapse)
    if found["compile"] is None or found["interpret"] is None:
        assert found["compile"] is found["interpret"]
    else:
        assert all(same_bits(a, b) for a, b in zip(found["compile"], found["interpret"], strict=True))


@settings(deadline=None, max_examples=100)
@given(
    st.integers(0, 10_000), st.integers(0, 5), st.sampled_from([0, 1, 3, 4, 7, 40, 513]), st.integers(1, 5),
    st.sampled_from([matrices.RBF, matrices.MATERN_32, matrices.MATERN_52]), st.floats(-200.0, 200.0),
)  # fmt: skip
def test_kernel_matrices_have_the_same_bits_however_extreme(seed, n, p, d, family, size):
    rng = np.random.default_rng(seed)
    X, Y, categorical = rng.random((n, d)), rng.random((p, d)), tuple(range(d // 3))
    for Z in (X, Y):
        Z[:, categorical] = Z[:, categorical].round()
    A, lengths = rng.standard_normal((n, p)), 10.0 ** (size * rng.random(d))
    found = {}
    # Without the fallback of `interpret` to machine code, so that an error in the interpreted version shows.
    tiers = {"compile": TieredFunction.compile, "interpret": lambda self, args: self.interpretable(*args)}
    for tier, call in tiers.items():
        with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
            patch.setattr(TieredFunction, "__call__", lambda self, *args, call=call: call(self, args))
            K, slope = matrices.cross_matrix(X, Y, lengths, categorical, family, 1.3, slopes=True)
            gradient = matrices.cross_gradient(A, slope, X, Y, lengths, categorical)
            pairs = matrices.paired_values(X, X[::-1].copy(), lengths, categorical, family, 1.3)
            found[tier] = K, slope, gradient, *pairs
    assert all(same_bits(a, b) for a, b in zip(found["compile"], found["interpret"], strict=True))


@pytest.mark.parametrize(
    "options", [{}, {"strategy": "rahbo"}, {"likelihood": "logistic"}, {"likelihood": Probit(lapse=0.1)}], ids=str
)
def test_a_study_is_the_same_to_the_bit_whichever_tier_computes_it(options, monkeypatch) -> None:
    texts = []
    for tier in ("interpret", "compile"):
        monkeypatch.setattr(TieredFunction, "__call__", lambda self, *args, tier=tier: getattr(self, tier)(args))
        study = played(count=8, **{"inference": "ep"} | options)
        study.ask()
        texts.append(study.to_json() + repr(study.recommend()))
    assert texts[0] == texts[1]


# -- whose turn it is -------------------------------------------------------------------------------------------------


@jit_inline
def twice(x: float) -> float:
    return 2.0 * x


@jit
def squared(x: float) -> float:
    return twice(x) * twice(x)


def make_tiered(lines="out[i] = squared(x[i]) / (1.0 if x[i] > -1.0 else 0.0)", indices="range", decorate=jit_tiered):
    """A function that nobody has called and that no cache holds, since it is in no file."""
    scope = {"squared": squared, "math": math, "elements": elements, "maximum": maximum}
    exec(f"def fill(x, out):\n  out[0] += 1.0\n  for i in {indices}(len(x)):\n    {lines}", scope)
    return decorate(scope["fill"])


def is_compiled(function):
    return bool(function.dispatcher.signatures)


@pytest.fixture
def lazy():
    """As for a user: without the `compile_eagerly` of all tests."""
    before = tiering._EAGER.set(False)
    yield
    tiering._EAGER.reset(before)


def test_a_cold_function_is_interpreted_with_its_callees(lazy) -> None:
    function, out = make_tiered(), np.zeros(2)
    function(np.array([1.0, 3.0]), out)
    assert out.tolist() == [4.0, 36.0]
    assert not is_compiled(function)
    assert 0.0 < function.seconds < tiering.MAX_INTERPRETED_SECONDS


def test_a_hot_function_is_compiled(lazy, monkeypatch) -> None:
    function = make_tiered()
    function(np.ones(2), np.zeros(2))
    monkeypatch.setattr(tiering, "MAX_INTERPRETED_SECONDS", function.seconds + 1.0)
    function(np.ones(2), np.zeros(2))
    assert not is_compiled(function)
    monkeypatch.setattr(tiering, "MAX_INTERPRETED_SECONDS", function.seconds)
    function(np.ones(2), out := np.zeros(2))
    assert is_compiled(function)
    assert out.tolist() == [4.0, 4.0]
    assert function.seconds == math.inf


def test_a_call_is_compiled_at_once_above_the_limit_of_its_size_and_not_at_it(lazy, monkeypatch) -> None:
    monkeypatch.setattr(tiering, "MAX_INTERPRETED_NUMBERS", 20)
    function = make_tiered()
    function(np.ones(10), np.zeros(10))
    assert not is_compiled(function)
    function(np.ones(10), np.zeros(11))
    assert is_compiled(function)


def test_the_interpreter_evaluates_a_loop_over_elements_at_once(lazy) -> None:
    function = make_tiered("out[i] = maximum(2.0 * x[i], 3.0); out[2] += 1.0", "elements")
    function(np.array([1.0, 2.0]), out := np.zeros(3))
    assert out.tolist() == [3.0, 4.0, 1.0]
    assert not is_compiled(function)
    function.compile((np.array([1.0, 2.0]), out := np.zeros(3)))
    assert out.tolist() == [3.0, 4.0, 2.0]


def fill_sevens(x, out):
    out[...] = 7.0


def test_a_twin_is_called_until_the_function_is_hot(lazy, monkeypatch) -> None:
    function = make_tiered(decorate=jit_tiered_with(fill_sevens))
    function(np.ones(2), out := np.zeros(2))
    assert out.tolist() == [7.0, 7.0]
    assert not is_compiled(function)
    monkeypatch.setattr(tiering, "MAX_INTERPRETED_SECONDS", 0.0)
    function(np.ones(2), out := np.zeros(2))
    assert out.tolist() == [4.0, 4.0]
    assert is_compiled(function)


@pytest.mark.parametrize(
    "options", [{"indices": "elements", "lines": "out[i] = x[i]"}, {"decorate": jit_tiered_with(fill_sevens)}]
)
def test_vectorised_functions_are_interpreted_with_larger_arrays(options, lazy, monkeypatch) -> None:
    monkeypatch.setattr(tiering, "MAX_INTERPRETED_NUMBERS", 20)
    monkeypatch.setattr(tiering, "MAX_VECTORISED_NUMBERS", 40)
    function = make_tiered(**options)
    function(np.ones(20), np.zeros(20))
    assert not is_compiled(function)
    function(np.ones(20), np.zeros(21))
    assert is_compiled(function)


def test_an_eager_thread_compiles_at_once_and_no_other_does(lazy) -> None:
    functions = make_tiered(), make_tiered()
    with compile_eagerly():
        functions[0](np.ones(2), np.zeros(2))
        thread = Thread(target=functions[1], args=(np.ones(2), np.zeros(2)))
        thread.start()
        thread.join(MAX_INTERPRETED_SECONDS)
    assert [is_compiled(function) for function in functions] == [True, False]


def test_arguments_of_other_types_do_not_make_a_cold_function_compile(lazy) -> None:
    function = make_tiered()
    with compile_eagerly():
        function.dispatcher(np.ones(2), np.zeros(2))
    assert len(function.dispatcher.signatures) == 1
    function(np.ones(2), np.zeros(2))
    function(np.ones(4)[::2], out := np.zeros(2))
    assert out.tolist() == [4.0, 4.0]
    assert len(function.dispatcher.signatures) == 1
    spent = function.seconds
    function(np.ones(2), np.zeros(2))
    assert function.seconds == spent  # the types that have machine code are not interpreted


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("1.0 / (0.0 if x[i] > 0.0 else 1.0)", math.inf),
        ("math.log(0.0 * x[i])", -math.inf),
        ("math.exp(1e3 * x[i])", math.inf),
    ],
)
def test_what_the_interpreter_refuses_machine_code_does_once(expression, found, lazy) -> None:
    function = make_tiered(f"out[1] = {expression}")
    function(np.ones(2), out := np.zeros(2))
    assert out.tolist() == [1.0, found]
    assert is_compiled(function)


def test_numpy_does_not_warn_of_what_machine_code_would_not(lazy, recwarn) -> None:
    function = make_tiered("out[i] = x[i] / x[1]")
    function(np.array([1.0, 0.0]), out := np.zeros(2))
    assert out[0] == math.inf
    assert not is_compiled(function)
    assert not recwarn.list


def test_with_intels_vector_library_nothing_is_interpreted(lazy, monkeypatch) -> None:
    monkeypatch.setattr(numba.config, "USING_SVML", True, raising=False)
    function = make_tiered()
    function(np.ones(2), np.zeros(2))
    assert is_compiled(function)


def test_nobody_waits_for_what_another_thread_compiles(lazy) -> None:
    functions, compiling, free = (make_tiered(), make_tiered()), Event(), Event()
    load = functions[0].dispatcher._cache.load_overload

    def hold(signature, target):
        compiling.set()
        assert free.wait(MAX_INTERPRETED_SECONDS)
        return load(signature, target)

    functions[0].dispatcher._cache.load_overload = hold

    def compile_the_first():
        with compile_eagerly():
            functions[0](np.ones(2), np.zeros(2))

    thread = Thread(target=compile_the_first)
    thread.start()
    assert compiling.wait(MAX_INTERPRETED_SECONDS)
    other = Thread(target=functions[1], args=(np.ones(2), out := np.zeros(2)))
    other.start()
    other.join(MAX_INTERPRETED_SECONDS)
    assert out.tolist() == [4.0, 4.0]
    free.set()
    thread.join(MAX_INTERPRETED_SECONDS)
    assert [is_compiled(function) for function in functions] == [True, False]


# -- a new installation -----------------------------------------------------------------------------------------------

FIRST_ASK = """
import sys
import anchorpbo as ap
space, known = ap.Space(a=ap.Real(0, 1), b=ap.Real(0, 1), c=ap.Real(0, 1)), [{"a": 0.5, "b": 0.5, "c": 0.5}]
study = ap.Optimizer(space, known)
for i in range(10):
    study.tell_preference({"a": 0.1 * i, "b": 0.2, "c": 0.3}, {"a": 0.3, "b": 0.1 * i + 0.05, "c": 0.6})
study.ask()
"""


def run(code, cache):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_first_ask_without_machine_code_compiles_nothing(tmp_path) -> None:
    told = "print('numba.np.arraymath' in sys.modules, study.to_json())"
    loads_a_compiler, text = run(FIRST_ASK + told, tmp_path).split(" ", 1)
    assert loads_a_compiler == "False"
    assert not list(tmp_path.rglob("*.nbc"))
    eagerly = f"from anchorpbo.numerics.tiering import compile_eagerly\nwith compile_eagerly(): exec({FIRST_ASK!r})\n"
    with_machine_code = run(eagerly + told, tmp_path)
    assert list(tmp_path.rglob("*.nbc"))
    assert with_machine_code.split(" ", 1)[1] == text


def test_machine_code_that_another_process_left_is_used_at_once(tmp_path) -> None:
    code = (
        "import numpy as np; from anchorpbo.likelihoods.probit import probit_wins as f; "
        "from anchorpbo.numerics.tiering import compile_eagerly\n"
        "{}f(np.zeros(2), np.empty((4, 2))); print(f.seconds, sum(f.dispatcher.stats.cache_hits.values()))"
    )
    assert run(code.format(""), tmp_path).split()[1] == "0"
    assert run(code.format("with compile_eagerly(): "), tmp_path).split() == ["inf", "0"]
    assert run(code.format(""), tmp_path).split() == ["0.0", "1"]
