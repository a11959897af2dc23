"""Next duels, computed in advance in worker processes.

::

    scheduler        Scheduler: a queue of jobs, urgent ones and prefetches, and one thread per worker
    load             LoadMonitor: the load that limits prefetching
    replicas         replicas of participants' optimizers, which run in a worker
    worker_process   WorkerProcess: a process connected by two pipes
    worker_main      the program of a worker process
"""
