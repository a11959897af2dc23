"""The definition of a study, and the state of one participant in it.

::

    definition    StudyDefinition, from a request, storage or an export
    validation    rules for JSON that comes from outside: types, texts, nesting, size
    session       ParticipantSession, a replay of one participant's entries
"""
