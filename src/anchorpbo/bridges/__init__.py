"""Ways to other libraries, a package each; nothing of theirs is loaded before a bridge is.

::

    botorch      a model, a noise map and acquisitions for BoTorch           pip install "anchorpbo[botorch]"
    optuna       a sampler for preferential studies of Optuna's dashboard    pip install "anchorpbo[optuna]"
"""
