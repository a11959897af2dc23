"""The benchmark ``anchorpbo bench people``: recorded answers of real people.

::

    people_contenders   the contenders by name: what predicts answers, and what replays orders
    answer_predictors   models that predict answers
    answer_prediction   predictions of the answers of travellers and listeners
    answer_consistency  how often listeners contradict themselves
    order_replay        contenders ask a person's order of ten kinds of sushi
    people_plan         the tasks of a part of the benchmark
    people_report       means, paired differences and tables
"""
