"""Functions that corrupt request data."""

import copy

from hypothesis import strategies as st

ODD = st.sampled_from([
    None, True, False, 0, -1, 1, 2**63, 2**70, 10**400, 1.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"), "", "x",
    "\0", "\ud800", "owner", "=1+1", "a" * 300, [], {}, [[]], [None], {"a": 1}, {"class": "RBF"},
    {"custom": "os.system"}, "created", "skip", "1-000000000000", ["a", "b"], {"minutes": 3.0, "leaf": "green"},
])  # fmt: skip
"""Values of wrong types or ranges."""


def places(data, path=()):
    """Yield the paths to all parts of nested data, except the whole."""
    found = list(data.items()) if isinstance(data, dict) else list(enumerate(data)) if isinstance(data, list) else []
    for key, value in found:
        yield (*path, key)
        yield from places(value, (*path, key))


def spoilt(data, draw):
    """Replace, remove or duplicate a random part of the data, in place, and return the data."""
    *path, last = draw(st.sampled_from(sorted(places(data), key=repr)))
    holder = data
    for key in path:
        holder = holder[key]
    how = draw(st.sampled_from(["replace", "replace", "remove", "double"]))
    if how == "replace" or (how == "double" and isinstance(holder, dict)):
        holder[last] = copy.deepcopy(draw(ODD))
    elif how == "remove":
        del holder[last]
    else:
        holder.append(holder[last])
    return data
