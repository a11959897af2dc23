"""Packages that an environment may lack: torch without CUDA is not available for every interpreter."""

from importlib.util import find_spec

HAS_TORCH = find_spec("torch") is not None
WITHOUT_TORCH = "needs the extra botorch: torch is not installed"
