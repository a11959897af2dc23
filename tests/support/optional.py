"""Packages that an environment may lack: there is no torch without CUDA for every interpreter."""

from importlib.util import find_spec

HAS_TORCH = find_spec("torch") is not None
WITHOUT_TORCH = "needs the extra botorch: torch is not installed"
