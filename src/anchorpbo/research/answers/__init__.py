"""The benchmark ``anchorpbo bench answers``: how many answers a method needs, beside other libraries.

::

    problems            utilities on design spaces: the tuning set and the confirmation set
    judges              simulated users and the anchors they mark
    contenders          the interface of a method, and the registry; one module per library:
                        own_contenders, botorch_contender, optuna_contender, glisp_contender
    pairwise_gp         BoTorch's PairwiseGP on arrays
    one_hot             categories as columns of 0 and 1, for libraries that know only numbers
    seeding             seeds for libraries that draw from numpy's global generator
    study_task          one study: a contender, a judge, a problem and a seed
    plan                the studies of a part of the benchmark
    study_metrics       one row per study, mean curves, paired differences
    targets             what the default preset must show, and whether it does
    answer_tables       tables; answer_curves: figures; answers_report: the files of a report
"""
