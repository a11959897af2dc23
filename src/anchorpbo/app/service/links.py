"""Signed links: who holds one may act for the participant it names, in the study it names, and nobody else."""

from __future__ import annotations

import hashlib
import hmac


class Signer:
    """Signs and checks with a secret that never leaves the server."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def sign(self, *parts: str) -> str:
        """A signature of some texts in this order, 128 bits in hexadecimal."""
        # Lengths first, so that ("ab", "c") is not ("a", "bc").
        text = "".join(f"{len(part)}:{part}" for part in parts)
        return hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]

    def verify(self, signature: str, *parts: str) -> bool:
        """Whether a signature is of these texts."""
        return hmac.compare_digest(self.sign(*parts).encode(), signature.encode("utf-8", "surrogatepass"))
