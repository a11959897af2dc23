"""Pairs that several participants are asked, and the agreement of their answers."""

import json
import zlib

import numpy as np
import pytest
from scipy.stats import binom, kendalltau

from anchorpbo.app.definition.definition import MAX_SHARED_PAIRS, SHARED_PAIRS
from anchorpbo.app.service import StudyService
from anchorpbo.app.service.agreement import (
    DRAWS,
    TAIL,
    ParticipantModel,
    _draw_correlations,
    _judge,
    compute_exact_interval,
    count_shared_answers,
)
from anchorpbo.app.service.shared_pairs import SHARED_DUEL, AnsweredPairs, is_shared
from anchorpbo.app.storage.memory import MemoryStorage
from anchorpbo.errors import InputError
from support.service_studies import BLACK, GREEN, QUICK, TREES, answer, state, study


def key(duel):
    return frozenset(json.dumps(design, sort_keys=True) for design in (duel.first, duel.second))


def party(*names, **more):
    studies, id = study(**more)
    for name in names:
        studies.participants.invite(id, name)
    return studies, id


def duels_of(studies, id, participant, count, outcome="first"):
    return [answer(studies, id, outcome, participant) for _ in range(count)]


# -- when and which ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, []), (0.1, [9, 19]), (0.2, [4, 9, 14, 19]), (0.5, list(range(1, 20, 2)))]
)
def test_the_share_says_which_questions_are_about_shared_pairs(share, expected):
    assert [k for k in range(20) if is_shared(k, share)] == expected
    assert sum(is_shared(k, share) for k in range(1_000)) == round(1_000 * share)


def test_every_fifth_question_is_about_a_pair_that_another_has_answered():
    studies, id = party("Ana")
    theirs = duels_of(studies, id, "owner", 5)
    hers = duels_of(studies, id, "Ana", 11)
    assert [duel.why == SHARED_DUEL for duel in hers] == [n in (4, 9) for n in range(11)]
    assert [key(hers[4]), key(hers[9])] == [key(theirs[0]), key(theirs[1])]


def test_a_participant_alone_and_a_study_without_shared_pairs_are_asked_as_before():
    alone, one = study()
    invited, two = party("Ana")
    never, three = party("Ana", shared_pairs=0)
    for studies, id in ((invited, two), (never, three)):
        duels_of(studies, id, "Ana", 2)
    assert [duel.first for duel in duels_of(never, three, "owner", 7)] == [
        duel.first for duel in duels_of(alone, one, "owner", 7)
    ]
    assert SHARED_DUEL in [duel.why for duel in duels_of(invited, two, "owner", 7)]
    assert SHARED_DUEL not in [duel.why for duel in duels_of(never, three, "Ana", 5)]


def test_a_pair_is_shared_with_someone_once_whatever_the_order_of_its_designs():
    studies, id = party("Ana", shared_pairs=0.5)
    (theirs,) = duels_of(studies, id, "owner", 1)
    studies.duels.import_comparisons(id, [{"winner": theirs.second, "loser": theirs.first}], "Ana")
    assert SHARED_DUEL not in [duel.why for duel in duels_of(studies, id, "Ana", 4)]


@pytest.mark.parametrize("kind", ["skipped", "undone", "removed"])
def test_a_pair_that_nobody_else_has_answered_is_not_shared(kind):
    studies, id = party("Ana", "Ben", shared_pairs=0.5)
    answer(studies, id, "skip" if kind == "skipped" else "first", "Ben")
    if kind == "undone":
        studies.duels.undo(id, "Ben")
    elif kind == "removed":
        studies.participants.remove(id, "Ben")
    assert SHARED_DUEL not in [duel.why for duel in duels_of(studies, id, "Ana", 2)]


def test_the_pair_that_most_others_have_answered_comes_first():
    studies, id = party("Ana", "Ben", shared_pairs=0.0)
    duels_of(studies, id, "owner", 1)
    studies.duels.import_comparisons(id, [{"winner": GREEN, "loser": BLACK}], "owner")
    studies.duels.import_comparisons(id, [{"winner": BLACK, "loser": GREEN}], "Ben")
    studies.edit(id, {"shared_pairs": 0.5})
    hers = duels_of(studies, id, "Ana", 2)[1]
    assert (hers.why, key(hers)) == (SHARED_DUEL, frozenset(json.dumps(d, sort_keys=True) for d in (GREEN, BLACK)))


def test_undo_a_replay_and_an_import_keep_shared_duels():
    studies, id = party("Ana", shared_pairs=0.5)
    duels_of(studies, id, "owner", 3)
    hers = duels_of(studies, id, "Ana", 4)
    assert [duel.why for duel in hers].count(SHARED_DUEL) == 2
    undone = studies.duels.undo(id, "Ana")
    assert undone.pending.id == hers[-1].id
    assert studies.duels.answer(id, hers[-1].id, "second", None, "Ana").answers == 4
    assert state(StudyService(studies.storage), id, "Ana") == state(studies, id, "Ana")
    again = studies.import_study(studies.export(id))
    assert again.shared_pairs == 0.5
    assert studies.results.recommend(again.id, "Ana") == studies.results.recommend(id, "Ana")
    assert studies.duels.ask(again.id, "Ana").id == studies.duels.ask(id, "Ana").id


def test_items_of_a_list_are_shared_too():
    studies, id = study(TREES, shared_pairs=0.5)
    studies.participants.invite(id, "Ana")
    theirs = duels_of(studies, id, "owner", 3)
    hers = duels_of(studies, id, "Ana", 2)[1]
    assert hers.why == SHARED_DUEL
    assert key(hers) in map(key, theirs)
    answers = AnsweredPairs().replay(studies.storage.entries(id), studies.definition(id).space).list_latest()
    assert len(answers["owner"].keys() & answers["Ana"].keys()) >= 1


def test_only_new_entries_are_read_for_a_shared_pair_and_an_undone_answer_is_forgotten(monkeypatch):
    studies, id = party("Ana", "Ben")
    duels_of(studies, id, "owner", 3)
    duels_of(studies, id, "Ben", 2)
    before = studies.sessions.answered_pairs(id)
    assert [answer.participant for answer in before.answers.values()] == ["owner"] * 3 + ["Ben"] * 2
    reads, entries = [], studies.storage.entries

    def note(id, participant=None, after=0):
        reads.append((participant, after))
        return entries(id, participant, after)

    monkeypatch.setattr(studies.storage, "entries", note)
    studies.duels.undo(id, "Ben")
    reads.clear()
    after = studies.sessions.answered_pairs(id)
    assert reads == [(None, before.seen)]
    assert [answer.participant for answer in after.answers.values()] == ["owner"] * 3 + ["Ben"]
    space = studies.definition(id).space
    assert after == AnsweredPairs().replay(entries(id), space) == after.replay(entries(id), space)


class CountingScheduler:
    """A scheduler that computes nothing ahead and counts what it is asked to fetch."""

    def __init__(self):
        self.fetched = []

    def fetch(self, key, definition, session):
        self.fetched.append(len(session.answers))

    def prefetch(self, key, definition, session):
        """Do nothing."""

    def find(self, log):
        return None


def test_a_worker_computes_the_model_behind_a_shared_question_too():
    scheduler = CountingScheduler()
    studies = StudyService(MemoryStorage(), scheduler=scheduler)
    id = studies.create({**QUICK, "shared_pairs": 0.5}).id
    studies.participants.invite(id, "Ana")
    duels_of(studies, id, "owner", 2)
    scheduler.fetched.clear()
    assert duels_of(studies, id, "Ana", 2)[1].why == SHARED_DUEL
    assert scheduler.fetched == [0, 1]


# -- the setting ------------------------------------------------------------------------------------------------------


def test_new_studies_share_pairs_and_studies_of_older_releases_do_not():
    studies, id = study()
    assert studies.show(id).shared_pairs == SHARED_PAIRS == 0.2
    export = studies.export(id)
    del export["study"]["shared_pairs"]
    assert studies.import_study(export).shared_pairs == 0.0


def test_the_share_is_edited_and_copied_and_has_limits():
    studies, id = study(shared_pairs=MAX_SHARED_PAIRS)
    assert studies.edit(id, {"shared_pairs": 0.1}).shared_pairs == 0.1
    assert studies.duplicate(id).shared_pairs == 0.1
    assert studies.import_study(studies.export(id)).shared_pairs == 0.1
    for wrong in (-0.01, MAX_SHARED_PAIRS + 0.01, True, "0.1", None, float("nan")):
        with pytest.raises(InputError, match="shared_pairs must be a number from 0 to"):
            studies.edit(id, {"shared_pairs": wrong})
    with pytest.raises(InputError, match="shared_pairs must be"):
        studies.create({**QUICK, "shared_pairs": 0.51})
    assert studies.show(id).shared_pairs == 0.1


# -- agreement by shared pairs ----------------------------------------------------------------------------------------


def test_answers_to_the_same_pairs_are_counted():
    studies, id = party("Ana", "Ben")
    designs = [{"minutes": float(m), "leaf": "green"} for m in (1, 3, 5, 7)]
    a, b, c, d = designs
    for name, rows in {
        "Ana": [(a, b, False), (b, a, False), (a, c, False), (a, d, True), (b, c, True), (c, d, False)],
        "Ben": [(b, a, False), (c, a, False), (d, a, True), (b, c, False), (b, d, False)],
    }.items():
        table = [{"winner": won, "loser": lost, "tie": tie} for won, lost, tie in rows]
        studies.duels.import_comparisons(id, table, name)
    (pair,) = studies.results.compute_agreement(id).pairs
    assert pair.participants == ["Ana", "Ben"]
    shared = pair.shared
    # a and b: Ana's later answer counts; a and c: opposite; a and d: both equal; b and c: one finds them equal.
    assert (shared.same, shared.opposite, shared.undecided) == (1, 1, 2)
    assert shared.share == pytest.approx(1 / 2)
    assert shared.interval == list(compute_exact_interval(1, 2))
    assert shared.verdict == "unknown"


def test_independent_participants_who_often_find_designs_equal_do_not_agree():
    rng, verdicts = np.random.default_rng(0), []
    for _ in range(200):
        sides = rng.choice([-1, 0, 1], size=(2, 60), p=[0.5, 0.25, 0.25]).tolist()
        answers = {
            name: {("a", str(n)): one for n, one in enumerate(each)} for name, each in zip("AB", sides, strict=True)
        }
        verdicts.append(count_shared_answers(answers, "A", "B").verdict)
    assert verdicts.count("agree") + verdicts.count("disagree") <= 0.12 * len(verdicts)  # the interval holds 90 %


def test_without_a_common_pair_nothing_is_known():
    shared = count_shared_answers({"Ana": {("a", "b"): 0}}, "Ana", "Ben")
    assert (shared.same, shared.opposite, shared.undecided, shared.share) == (0, 0, 0, None)
    assert (shared.interval, shared.verdict) == ([0.0, 1.0], "unknown")


@pytest.mark.parametrize("n", [1, 2, 5, 9, 40])
def test_the_interval_is_exact(n):
    for k in range(n + 1):
        low, high = compute_exact_interval(k, n)
        assert low == 0.0 if k == 0 else binom.sf(k - 1, n, low) == pytest.approx(TAIL)
        assert high == 1.0 if k == n else binom.cdf(k, n, high) == pytest.approx(TAIL)


@pytest.mark.parametrize(("same", "verdict"), [(4, "unknown"), (5, "agree")])
def test_five_equal_answers_show_agreement_and_four_do_not(same, verdict):
    answers = {name: {("a", str(n)): 0 for n in range(same)} for name in ("Ana", "Ben")}
    assert count_shared_answers(answers, "Ana", "Ben").verdict == verdict
    answers["Ben"] = dict.fromkeys(answers["Ben"], 1)
    assert count_shared_answers(answers, "Ana", "Ben").verdict == {"agree": "disagree"}.get(verdict, verdict)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.01, 0.9, "agree"), (0.0, 0.5, "unrelated"), (0.0, 0.51, "unknown"), (-0.25, 0.25, "unrelated"),
     (-0.9, -0.01, "disagree"), (-0.9, 0.0, "unknown")],
)  # fmt: skip
def test_the_verdict_is_known_only_if_the_interval_is(low, high, verdict):
    assert _judge(low, high, 0.0, 0.5) == verdict


# -- agreement by the models ------------------------------------------------------------------------------------------


def by_taste(studies, id, count, **tastes):
    rng = np.random.default_rng(0)
    for name, taste in tastes.items():
        if name not in studies.show(id).participants:
            studies.participants.invite(id, name)
        rows = []
        for minutes in rng.integers(1, 10, (count, 2)).astype(float):
            one, other = ({"minutes": float(m), "leaf": "green"} for m in minutes)
            if one != other:
                won, lost = (one, other) if taste(one) > taste(other) else (other, one)
                rows.append({"winner": won, "loser": lost})
        studies.duels.import_comparisons(id, rows, name)


def test_few_answers_leave_open_what_many_decide():
    studies, id = study()
    by_taste(studies, id, 1, Ana=lambda d: d["minutes"], Ben=lambda d: -d["minutes"])
    (pair,) = studies.results.compute_agreement(id).pairs
    assert pair.verdict == "unknown"
    before = pair.interval
    by_taste(studies, id, 40, Ana=lambda d: d["minutes"], Ben=lambda d: -d["minutes"], Cleo=lambda d: d["minutes"])
    found = {tuple(pair.participants): pair for pair in studies.results.compute_agreement(id).pairs}
    assert {names: pair.verdict for names, pair in found.items()} == {
        ("Ana", "Ben"): "disagree", ("Ana", "Cleo"): "agree", ("Ben", "Cleo"): "disagree",
    }  # fmt: skip
    low, high = found["Ana", "Ben"].interval
    assert high - low < before[1] - before[0]
    assert low <= found["Ana", "Ben"].correlation <= high


def test_the_draws_are_rank_correlations_of_joint_draws():
    studies, id = study()
    by_taste(studies, id, 6, Ana=lambda d: d["minutes"], Ben=lambda d: -d["minutes"])
    names = ["Ana", "Ben"]
    models = [ParticipantModel.from_session(studies.sessions.session(id, name)).model for name in names]
    designs = np.unique(np.concatenate([model.designs for model in models]), axis=0)
    found = _draw_correlations(names, models, designs)
    assert found.shape == (DRAWS, 2, 2)
    assert np.allclose(found[:, 0, 0], 1.0)
    draws = [
        model.posterior.sample(designs, DRAWS, np.random.default_rng(zlib.crc32(name.encode())))
        for name, model in zip(names, models, strict=True)
    ]
    for s in range(0, DRAWS, 50):
        assert found[s, 0, 1] == pytest.approx(kendalltau(draws[0][s], draws[1][s]).statistic)


def test_a_participants_draws_do_not_depend_on_who_else_takes_part():
    studies, id = study()
    tastes = {"Ana": lambda d: d["minutes"], "Ben": lambda d: -d["minutes"]}
    by_taste(studies, id, 6, **tastes)
    (before,) = studies.results.compute_agreement(id).pairs
    studies.participants.invite(id, "Cleo")
    assert studies.results.compute_agreement(id).pairs == [before]
