"""Benchmark of this library and others on the same duels, in one run on one machine.

::

    suite ──> Measurement ──> BenchmarkProcess ──> worker ──────> Contender
              one line of     time limit           one library,   fit, infer,
              results.jsonl                        threads set    ask
                   └──> tables, power laws, figures

`contender.py` has the interface of a library to measure and their registry. A section of the benchmark is a subclass of
`Measurement`: `rounds.py`, `value_comparison.py`, `process_costs.py`, `growth.py`. Packages of the extra ``bench`` are
imported where they are used, so that our own side can be measured without them.
"""
