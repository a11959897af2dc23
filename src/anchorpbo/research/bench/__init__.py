"""Benchmark of this library and others on the same duels, in one run on one machine.

::

    suite ──> Measurement ──> BenchmarkProcess ──> worker ──────> Contender
              one line of     time limit           one library,   fit, infer,
              results.jsonl                        threads set    ask
                   └──> tables, power laws, figures

`contender.py` defines the interface of a measured library and the registry of contenders. Each section of the benchmark
subclasses `Measurement`: `rounds.py`, `value_comparison.py`, `process_costs.py`, `growth.py`. Packages of the extra
``bench`` are imported inside functions, so this library can be measured without them.
"""
