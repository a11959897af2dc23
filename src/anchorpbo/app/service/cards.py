"""The cards of designs, and the pictures embedded in studies that cards show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from anchorpbo.app.rendering.cards import Card, make_card
from anchorpbo.app.rendering.pictures import EmbeddedPicture, decode_picture
from anchorpbo.app.service.clips import ClipLibrary
from anchorpbo.app.service.layouts import Design
from anchorpbo.app.service.memberships import Memberships
from anchorpbo.app.service.session_cache import SessionCache


class CardService:
    """Cards and pictures of all studies of one storage. Safe to use from several threads."""

    def __init__(self, sessions: SessionCache, memberships: Memberships, clips: ClipLibrary) -> None:
        self._sessions, self._memberships, self._clips = sessions, memberships, clips

    def show(self, id: str, designs: Sequence[Mapping[str, Any]]) -> list[Card]:
        """Return the cards of untrusted designs."""
        self._memberships.check(id)  # the cache may hold a study that another process has deleted
        return self.make(id, [self._sessions.check_design(id, design) for design in designs])

    def make(self, id: str, designs: Sequence[Design]) -> list[Card]:
        """Return the cards of valid designs."""
        definition = self._sessions.definition(id)
        display, decimals = definition.display, definition.decimals
        cards = [make_card(display, one, f"d{n}-", decimals) for n, one in enumerate(designs)]
        if "clip" not in display:
            return cards
        kinds = self._clips.kinds(id)
        return [replace(card, clip_kind=kinds.get(card.clip or "")) for card in cards]

    def pictures(self, id: str) -> Mapping[str, str]:
        """Return the data URLs of a study's embedded pictures by name."""
        return self._sessions.pictures(id)

    def picture(self, id: str, name: str) -> EmbeddedPicture | None:
        """Return an embedded picture of a study, or ``None`` if there is none with this name."""
        address = self.pictures(id).get(name)
        return None if address is None else decode_picture(name, address)
