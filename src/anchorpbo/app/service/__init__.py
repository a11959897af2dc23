"""Use cases of the app, without a web framework and without SQL.

::

    study_service   StudyService, the use cases of studies themselves; it composes those of the topics:
    duels           DuelService, `studies.duels`: ask, answer, undo, import past comparisons
    anchors         AnchorService, `studies.anchors`: show, add, rename, remove, propose
    results         ResultService, `studies.results`: recommendation, assessment, audit, map, figures, gains, agreement
    participants    ParticipantService, `studies.participants`: show, invite, remove, replace a link
    cards           CardService, `studies.cards`: cards of designs, and the pictures on them
    clips           ClipLibrary, `studies.clips`: audio and video clips as designs

    session_cache   SessionCache: sessions in memory, and the loop that reads the journal, decides and appends
    duel_chooser    DuelChooser: a participant's next duel: pending, shared, prefetched or computed
    memberships     Memberships: the participants of a study and their valid links, replayed from the journal
    links           signatures of participants' links
    validator       Validator: validation of untrusted input, in processes that can be killed
    imports         an export read as a study
    catalogues      a CSV file read as a catalogue
    exports         the history as CSV
    archives        a study with its clips as a ZIP file
    maps            grids of a participant's utility, for plots
    figures         plots of a participant's study
    agreement       the agreement between participants, with intervals
    shared_pairs    pairs that several participants are asked about
    views           return values of the use cases, by topic
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anchorpbo.app.service.study_service import StudyService

__all__ = ["StudyService"]


def __getattr__(name: str) -> Any:
    # Imported on first use, because worker processes do not need it.
    if name == "StudyService":
        from anchorpbo.app.service.study_service import StudyService

        return StudyService
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
