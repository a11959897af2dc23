"""The duel widget: its view, and the effect of its messages on the study.

::

    browser to Python                              effect
    {"type": "answer", "duel": id, "outcome": o}   tell, unless another duel is shown by now
    {"type": "undo"}                               undo
    {"type": "recommend", "show": true or false}   show, or hide, the best design so far
    {"type": "refresh"}                            read the study again

    Python to browser: the trait ``view``, the whole content, sent after each message.

The study is the only state. An answer names its duel, so a second click, or one in an outdated cell, has no effect.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from anchorpbo.app.rendering.cards import find_decimals, make_card
from anchorpbo.app.rendering.display import check_display
from anchorpbo.app.rendering.pictures import IMAGE_TYPES, find_picture
from anchorpbo.errors import AnchorPBOError, InputError
from anchorpbo.notebook.bundle import bundle
from anchorpbo.space import Design, DesignSpace
from anchorpbo.study import Duel, Optimizer, Outcome
from anchorpbo.study.explanations import name_sides

ASSETS = Path(__file__).parent
"""Folder of the widget's JavaScript and CSS."""
MAX_IMAGE_BYTES = 2_000_000
"""Largest size of an image, which is sent with each duel."""
_numbers = count(1)


@dataclass(frozen=True)
class CardRenderer:
    """Renders designs as the cards of the app, with their images inside."""

    display: Mapping[str, Any]
    """Checked display settings, see `anchorpbo.app.rendering.display`."""
    folder: str | PathLike[str] | None
    """Folder of the image files."""
    decimals: Mapping[str, int]
    """Number of decimals by parameter with a step."""

    @classmethod
    def of(
        cls, space: DesignSpace, display: Mapping[str, Any] | None, folder: str | PathLike[str] | None
    ) -> CardRenderer:
        """Check how to show the designs of a space, and return the renderer."""
        if display is not None and not isinstance(display, Mapping):
            raise InputError("display must map keys to columns or texts", repr(display), 'write {"title": "name"}')
        checked = check_display(display or {}, space)
        if ("image" in checked) != (folder is not None):
            rule = "images need the column that names their files, and the folder these are in"
            received = f"display.image={checked.get('image')!r}, images={folder!r}"
            raise InputError(rule, received, 'write display={"image": "file"}, images="folder"')
        return cls(checked, folder, find_decimals(space))

    def render(self, design: Design, prefix: str = "") -> dict[str, Any]:
        """Render a design as JSON; `prefix` is put before the ids in its drawing."""
        card = asdict(make_card(self.display, design, prefix, self.decimals))
        return card | {"image": None if card["image"] is None else self._embed_image(card["image"])}

    def _embed_image(self, name: str) -> str | None:
        """Encode an image as a data URL: a notebook cannot reach the files of its kernel."""
        path = None if self.folder is None else find_picture(self.folder, name)
        if path is None or path.stat().st_size > MAX_IMAGE_BYTES:
            return None
        return f"data:image/{IMAGE_TYPES[path.suffix.lower()]};base64,{b64encode(path.read_bytes()).decode()}"


class DuelWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """A study in a notebook cell: two designs, one answer, the next two.

    Click a design, or press ← or →, ↓ if they are about the same, S to skip, U to undo the last answer. The study
    keeps every answer: look at it from other cells at any time, and call `refresh` after changing it.

    Parameters
    ----------
    optimizer
        The study.
    display
        How designs are shown, see `anchorpbo.app.rendering.display`: ``labels``, ``units`` and ``hidden`` for any
        space, a ``template`` for a space; ``title``, ``link``, ``image``, ``svg`` and ``smiles`` name columns of a
        catalogue.
    images
        Folder of the files named by ``display["image"]``.
    question
        The question to ask.

    Examples
    --------
    >>> from anchorpbo import Real, Space
    >>> widget = DuelWidget(Optimizer(Space(sugar=Real(0, 10), milk=Real(0, 50))), display={"units": {"milk": "ml"}})
    >>> widget.answer("first")
    >>> widget.answers
    1
    """

    _esm = bundle(ASSETS / "duel.js")
    _css = ASSETS / "duel.css"

    view = traitlets.Dict().tag(sync=True)
    """The whole content of the cell."""
    answers = traitlets.Int(read_only=True).tag(sync=True)
    """Number of informative answers so far; ``widget.observe(f, "answers")`` calls f after each."""

    def __init__(
        self,
        optimizer: Optimizer,
        *,
        display: Mapping[str, Any] | None = None,
        images: str | PathLike[str] | None = None,
        question: str = "Which do you prefer?",
    ) -> None:
        if not isinstance(optimizer, Optimizer):
            raise InputError("a widget needs a study", type(optimizer).__name__, "write DuelWidget(optimizer)")
        if not isinstance(question, str):
            raise InputError("question must be a text", repr(question), "put it in quotes")
        super().__init__()
        self._optimizer, self._question = optimizer, question
        self._cards = CardRenderer.of(optimizer.space, display, images)
        self._prefix = f"d{next(_numbers)}"
        self._duel: Duel | None = None
        self._turn, self._shows_best = 0, False
        self.on_msg(self._receive)
        self.refresh()

    # -- actions -------------------------------------------------------------------------------------------------------

    @property
    def optimizer(self) -> Optimizer:
        """The study."""
        return self._optimizer

    @property
    def duel(self) -> Duel | None:
        """The duel that is shown; ``None`` if nothing is left to compare."""
        return self._duel

    def answer(self, outcome: Outcome) -> None:
        """Answer the duel that is shown."""
        if self._duel is None:
            raise InputError("an answer needs a duel", "nothing left to compare", "undo the last answer")
        self._optimizer.tell(self._duel, outcome)
        self.refresh()

    def undo(self) -> None:
        """Undo the last event of the study."""
        last = self._optimizer.history[-1:]
        self._optimizer.undo()
        answered = last[0]["type"] in ("answered", "preferred")
        self.refresh("The last answer was taken back." if answered else "The last change of anchors was taken back.")

    def refresh(self, said: str = "") -> None:
        """Show the study as it is now, with an optional message."""
        trouble = ""
        try:
            self._duel = self._optimizer.ask()
        except AnchorPBOError as error:
            self._duel, trouble = None, str(error)
        self._show(said, trouble)

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _receive(self, _: Any, content: Any, __: Any = None) -> None:
        """Handle a message; errors are shown in the cell, because nobody reads the log of a kernel."""
        try:
            self._handle(content if isinstance(content, Mapping) else {})
        except AnchorPBOError as error:
            self._show(trouble=str(error))
        except Exception as error:
            self._show(trouble=f"{type(error).__name__}: {error}")
            raise

    def _handle(self, content: Mapping[str, Any]) -> None:
        kind = content.get("type")
        if kind == "answer":
            if self._duel is None or content.get("duel") != self._duel.id:
                self.refresh()
            else:
                self.answer(content.get("outcome"))  # type: ignore[arg-type]
        elif kind == "undo":
            self.undo()
        elif kind == "recommend":
            self._shows_best = bool(content.get("show"))
            self._show()
        else:
            self.refresh()

    def _show(self, said: str = "", trouble: str = "") -> None:
        self._turn += 1
        study = self._optimizer
        self.set_trait("answers", len(study))
        self.view = {
            "turn": self._turn,
            "question": self._question,
            "duel": self._duel_view(),
            "answers": len(study),
            "progress": self._progress(),
            "ties": study.plan.likelihood.tie_threshold != 0.0,
            "can_undo": bool(study.history),
            "best": self._best() if self._shows_best else None,
            "shows_best": self._shows_best,
            "said": said,
            "trouble": trouble,
        }

    def _duel_view(self) -> dict[str, Any] | None:
        duel = self._duel
        if duel is None:
            return None
        sides = (("a", duel.first), ("b", duel.second))
        cards = [self._cards.render(design, f"{self._prefix}{side}") for side, design in sides]
        if self._cards.display.get("hide_values"):
            cards = [card | {"rows": []} for card in cards]
        return {"id": duel.id, "why": name_sides(duel.why, "A", "B"), "cards": cards}

    def _progress(self) -> dict[str, Any] | None:
        if self._duel is None:
            return None
        now = self._optimizer.progress()
        return {"sentence": now.sentence, "stop": now.stop, "remaining": now.remaining}

    def _best(self) -> dict[str, Any] | None:
        """Return the recommendation so far; ``None`` before the first answer."""
        if not len(self._optimizer):
            return None
        best = self._optimizer.recommend()
        return {
            "card": self._cards.render(best.design, f"{self._prefix}c"),
            "utility": best.utility,
            "interval": list(best.interval),
            "p_within": best.p_within,
            "p_within_compared": best.p_within_compared,
            "others": len(best.credible_set) - (best.design in best.credible_set),
        }
