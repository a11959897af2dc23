"""Next duels, computed in advance in worker processes.

::

    scheduler        Scheduler: what use cases call, and one thread per worker
    jobs             JobQueue: jobs by priority, asks before prefetches, and their results
    executor         ReplicaExecutor: runs jobs in a worker process or in a thread
    load             LoadMonitor: the load that limits prefetching
    replicas         replicas of participants' optimizers, which run in a worker
    worker_process   WorkerProcess: a process connected by two pipes
    worker_main      the program of a worker process
"""
