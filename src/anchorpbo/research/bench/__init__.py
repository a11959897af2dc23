"""How fast, side by side: this library and others on the same duels, in one run on one machine.

::

    plan ──> Measurement ──> Worker ──> child process ──> Contender
             one line of     time       one library,      fit, infer,
             results.jsonl   limit      threads set       ask
                  └──> tables, laws, figures

`contender.py` says what a library has to do to take part, `names.py` lists those that do, and a section of the
benchmark is a subclass of `Measurement`: `rounds.py`, `referee.py`, `memory.py`, `startup.py`, `growth.py`. Packages of
the extra ``bench`` are imported where they are used, so that our own side can be measured without them.
"""
