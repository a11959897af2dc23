"""How many bits two fingerprints share, see `anchorpbo.numerics.bits`."""

from anchorpbo.numerics.bits import Words, bits_set, packed, shared_bits

__all__ = ["Words", "bits_set", "packed", "shared_bits"]
