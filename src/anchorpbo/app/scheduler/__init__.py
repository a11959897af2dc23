"""Next duels, computed ahead in worker processes.

::

    scheduler        Scheduler: a queue of jobs, urgent ones and prefetches, and a thread for each worker
    load             how much may be prefetched
    replicas         what runs in a worker: replicas of participants' optimizers
    worker_process   WorkerProcess: a process at the end of two pipes
    worker_main      its program
"""
