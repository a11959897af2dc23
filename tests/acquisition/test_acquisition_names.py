import pytest

from anchorpbo.acquisition import (
    ANPEI,
    EI,
    EUBO,
    EUCO,
    RAEUBO,
    RAHBO,
    UCB,
    KnowledgeGradient,
    resolve_acquisition,
)
from anchorpbo.errors import InputError, UnknownNameError


@pytest.mark.parametrize(
    ("name", "expected"),
    [("ei", EI()), ("ucb", UCB()), ("eubo", EUBO()), ("anpei", ANPEI()), ("rahbo", RAHBO()), ("raeubo", RAEUBO())],
)
def test_the_papers_names_give_the_papers_acquisitions(name, expected):
    assert resolve_acquisition(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("euco", EUCO()),
        ("kg", KnowledgeGradient()),
    ],
)
def test_ours_have_names_of_their_own(name, expected):
    assert resolve_acquisition(name) == expected


def test_defaults_are_the_papers():
    assert ANPEI().risk_aversion == RAHBO().risk_aversion == RAEUBO().risk_aversion == 10.0
    assert UCB().exploration == RAHBO().exploration == 2.0
    assert ANPEI().penalty == "std"


def test_parameters_go_with_a_name():
    assert resolve_acquisition("anpei", risk_aversion=2, penalty="variance") == ANPEI(2.0, "variance")


def test_an_object_is_returned_as_it_is():
    acquisition = RAHBO(1.0, 4.0)
    assert resolve_acquisition(acquisition) is acquisition


def test_other_names_are_refused():
    with pytest.raises(UnknownNameError, match=r"acquisition must be one of anpei, ei, .*; received 'pi'; check"):
        resolve_acquisition("pi")


@pytest.mark.parametrize(("name", "offer"), [("eubo", "leave them out"), ("ucb", "set exploration")])
def test_parameters_that_do_not_exist_are_refused(name, offer):
    with pytest.raises(InputError, match=f"{name} has no parameter of this name; received gamma; {offer}"):
        resolve_acquisition(name, gamma=1.0)


def test_parameters_are_refused_beside_an_object():
    with pytest.raises(InputError, match="parameters can only be given with the name"):
        resolve_acquisition(EI(), log=True)


@pytest.mark.parametrize("thing", [EI, None, 3])
def test_other_things_are_refused(thing):
    with pytest.raises(InputError, match="strategy must be a name or an acquisition function"):
        resolve_acquisition(thing)
