"""Designs as cards: rows of values, drawings and pictures."""
