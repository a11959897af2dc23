"""Who takes part: invited, removed, invited again, with a link that counts or no longer does."""

import pytest

from anchorpbo.app.service import StudyService
from anchorpbo.app.service.memberships import Membership
from anchorpbo.app.storage import open_storage
from anchorpbo.errors import InputError, UnknownStudyError
from support.service_studies import GREEN, answer, study


@pytest.fixture(params=["memory", "sqlite"])
def begun(request, tmp_path):
    """A study with answers of Ana, as two processes see it."""
    storage = open_storage("memory" if request.param == "memory" else f"sqlite:///{tmp_path / 'x.db'}")
    studies, id = study(storage=storage)
    studies.participants.invite(id, "Ana")
    answer(studies, id, participant="Ana")
    yield studies, StudyService(storage), id
    storage.close()


def names(studies, id):
    return [one.name for one in studies.participants.show(id)]


def test_someone_removed_takes_part_no_longer_and_what_they_said_stays(begun):
    studies, other, id = begun
    assert names(other, id) == ["owner", "Ana"]
    before = studies.history(id, "Ana")
    studies.participants.remove(id, "Ana")
    studies.participants.remove(id, "Ana")  # sending it twice does no harm
    for each in (studies, other):
        assert names(each, id) == each.show(id).participants == ["owner"]
        assert [one.participant for one in each.results.compute_agreement(id).opinions] == ["owner"]
        assert each.memberships.get(id, "Ana") == Membership(active=False, link=1)
        assert [event for event in each.history(id) if event["participant"] == "Ana"] == before
        with pytest.raises(UnknownStudyError, match="must be invited to the study"):
            each.history(id, "Ana")
    with pytest.raises(UnknownStudyError, match="must be invited to the study"):
        studies.duels.ask(id, "Ana")
    assert sum(event["type"] == "removed" for event in studies.history(id)) == 1
    assert studies.show(id).answers == 1


def test_someone_invited_again_goes_on_by_another_link(begun):
    studies, other, id = begun
    duel = studies.duels.ask(id, "Ana")
    studies.participants.remove(id, "Ana")
    view = other.participants.invite(id, "Ana")
    assert (view.name, view.answers) == ("Ana", 1)
    assert studies.memberships.get(id, "Ana") == Membership(active=True, link=1)
    assert studies.duels.ask(id, "Ana") == duel
    other.participants.invite(id, "Ana")
    assert [event["type"] for event in studies.history(id, "owner")] == ["created", "removed", "invited"]


def test_another_link_counts_in_every_process(begun):
    studies, other, id = begun
    assert other.memberships.get(id, "Ana") == Membership()
    assert studies.participants.relink(id, "Ana").answers == 1
    assert other.memberships.get(id, "Ana") == Membership(link=1)
    assert studies.duels.ask(id, "Ana") == other.duels.ask(id, "Ana")


def test_only_participants_can_be_removed_or_given_a_link(begun):
    studies, _, id = begun
    for act in (studies.participants.remove, studies.participants.relink):
        with pytest.raises(UnknownStudyError, match="must be invited"):
            act(id, "Nobody")
        with pytest.raises(InputError, match="the owner"):
            act(id, "owner")


def test_an_import_knows_who_was_removed_and_undo_passes_over_it(begun):
    studies, _, id = begun
    studies.anchors.add(id, GREEN)
    studies.participants.remove(id, "Ana")
    copy = studies.import_study(studies.export(id)).id
    assert names(studies, copy) == ["owner"]
    assert studies.duels.undo(copy).event["type"] == "anchor_added"
    export = studies.export(id)
    next(event for event in export["events"] if event["type"] == "removed")["name"] = ["Ana"]
    with pytest.raises(InputError, match="a participant's name must be a text"):
        studies.import_study(export)
