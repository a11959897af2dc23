"""Experiments on anchors, noise maps and the audit of answers: ``anchorpbo bench anchors``.

::

    anchored_experts    simulated experts, and the anchors told to a study
    anchors_plan        the tasks of the benchmark, by study
    map_accuracy        error of each kind of map against truths of each kind
    map_studies         studies with true, false and no anchors, under each kind of map
    validation_power    simulated experts, and the verdicts on their anchors
    risk_adjusted       Ackley in six dimensions: the risk-adjusted value of RAHBO under the maps
    audit_power         simulated judges with one fault each, and the share of audits that find it
    ask_cost            processor time of an ask after many answers
    anchors_summary     shares, means and paired differences with intervals, from the records
    anchors_tables      tables of these, with targets
    anchors_figures     figures of Bayes factors and of curves
    anchors_report      files of the report, for docs/evidence.md
"""
