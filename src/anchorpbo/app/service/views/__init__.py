"""Views: return values of the use cases, plain data ready for JSON.

::

    studies         StudySummary, StudyView
    participants    ParticipantView
    anchors         AnchorView, AnchorsView, ProposalView
    duels           DuelView, AnswerView, UndoView, ImportView
    results         RecommendationView, AssessmentView, ContradictionView, FigureView
    trust           AuditView, FindingView, AnchorValidationView, RetestView, RetestBandView
"""
