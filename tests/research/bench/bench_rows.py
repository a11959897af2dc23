"""Lines of results such as a run leaves."""


def answer(seed, seconds, **laps):
    return {"seed": seed, "status": "ok", "seconds": seconds, "laps": laps or {"ask": seconds}, "megabytes": 100.0}


def failed(seed):
    return {"seed": seed, "status": "failed", "error": "ModelFittingError", "message": "", "seconds": 1.0}


def stopped(limit=300.0, **more):
    start = {"seed": 0, "status": "limit", "limit": limit, "laps": {}, "running": "fit", "megabytes": 900.0}
    return {**start, **more}


def timing(step="round", m=150, d=4, threads=1, **runs):
    runs = {name.replace("_", "-"): answers for name, answers in runs.items()}
    return {"key": f"{step}{m}{d}{threads}", "section": "rounds", "step": step, "m": m, "d": d, "threads": threads,
            "contenders": list(runs), "limit": 300.0, "runs": runs}  # fmt: skip
