"""The benchmark ``anchorpbo bench people``: recorded answers of real people.

::

    people_contenders     the contenders by name: what predicts answers, and what replays orders
    answer_predictors     models that predict answers
    answer_prediction     predictions of the answers of travellers and listeners
    answer_consistency    how often listeners contradict themselves
    repeat_agreement      predicted against observed agreement of repeated answers
    score_contradictions  scores that contradict orders, among well-known kinds and elsewhere
    sushi_anchor_sets     kinds of sushi that people know well
    noise_comparison      noise maps on the same answers: held-out predictions and Bayes factors
    population_orders     anchored against constant noise for other people, real and simulated
    person_orders         the same for single persons
    calibration           scores of predictions and their calibration
    noise_report          means, paired differences and evidence of noise maps
    order_replay          contenders ask a person's order of ten kinds of sushi
    agreement_figure      figure of predicted against observed agreement
    people_plan           the tasks of a part of the benchmark
    people_report         means, paired differences and tables
    evidence_tables       tables of the page on the evidence for anchors
"""
