"""``anchorpbo simulate``."""

import re

import pytest
from typer.testing import CliRunner

from anchorpbo.app.cli.commands import app


def call(*arguments):
    return CliRunner().invoke(app, ["simulate", *map(str, arguments)])


@pytest.mark.parametrize("key", ["coffee", "poster", "molecules"])
def test_every_example_is_answered_and_judged(key):
    result = call(key, "--duels", 7, "--seed", 2)
    assert result.exit_code == 0, result.output
    assert "Recommended after 7 duels" in result.stdout
    assert re.search(r"The best of (1,000 random designs|all \d+ items) has \d", result.stdout)


def test_the_same_seed_gives_the_same_output():
    first, same, other = (call("--duels", 6, "--seed", seed).stdout for seed in (1, 1, 2))
    assert first == same
    assert first.splitlines()[2:] != other.splitlines()[2:]


def test_what_it_recommends_is_good():
    output = call("coffee", "--duels", 25, "--noise", 0).stdout
    assert float(re.search(r"better than ([\d.]+) % of them", output)[1]) > 90.0


def test_strategy_and_noise_change_the_answers():
    plain = call("--duels", 8).stdout
    assert "EUBO, seed 0" in call("--duels", 2, "--strategy", "eubo").stdout
    assert call("--duels", 8, "--noise", 20).stdout != plain


@pytest.mark.parametrize(
    ("arguments", "says"), [(["tea"], "must be one of coffee, molecules, poster"), (["--strategy", "best"], "raeubo")]
)
def test_a_mistake_is_told_in_a_sentence(arguments, says):
    result = call(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr


@pytest.mark.parametrize("arguments", [["--duels", 0], ["--noise", -1], ["--seed", -1]])
def test_numbers_out_of_range_are_refused(arguments):
    assert call(*arguments).exit_code == 2
