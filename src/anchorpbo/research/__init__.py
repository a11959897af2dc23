"""Research on the method: the paper's experiments, their figures, and benchmarks beside other libraries.

::

    experiments    the paper's experiments: tasks, records, claims and verdicts
    figures        their figures and tables
    bench          speed and memory beside BoTorch and Optuna
"""
