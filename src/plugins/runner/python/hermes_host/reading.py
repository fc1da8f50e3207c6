"""Decides which thread reads the connection.

While requests come one after the other, the main thread reads them and runs each at once: handing them to another thread
takes longer than a small handler. The second thread takes over when a request lasts, so that a busy plugin still sees
answers, cancellations and further requests. The main thread reads again when no request is running.
"""
from _thread import allocate_lock, start_new_thread

from .load import trace
from .work import Cancelled

# After this time, a running request no longer blocks reading of the connection.
PERIOD_S = 0.002


class Reading:
    """`take(message)` handles a message and returns a job for a request. `end()` runs on the second thread."""

    def __init__(self, connection, workers, take, end):
        self._connection = connection
        self._workers = workers
        self._take = take
        self._end = end
        self._lock = allocate_lock()
        self._waking = allocate_lock()
        self._waking.acquire()
        self._is_main = True
        # The request that the main thread runs while it also owns the connection.
        self._job = None
        self._is_asleep = True
        connection.before_wait = self._before_wait

    def run(self):
        """Runs on the main thread until there are no more jobs."""
        start_new_thread(self._stand_by, ())
        is_open = True
        while is_open:
            try:
                if self._is_main:
                    self._read_on_main()
                else:
                    is_open = self._work_once()
            except Cancelled:
                pass

    def _work_once(self):
        try:
            return self._workers.work_once()
        finally:
            self._finish()

    def _read_on_main(self):
        messages = self._connection.receive()
        if messages is None:
            return self._hand_over()
        is_alone = len(messages) == 1 and self._workers.is_calm()
        has_jobs = False
        # Messages are handled one at a time, because a message may cancel the request before it.
        for message in messages:
            job = self._take(message)
            if job is None:
                continue
            if is_alone:
                return self._run(job)
            self._workers.add(job)
            has_jobs = True
        if has_jobs:
            self._hand_over()

    def _run(self, job):
        with self._lock:
            self._job = job
            if self._is_asleep:
                self._wake()
        try:
            self._workers.run_here(job)
        finally:
            self._finish()

    def _finish(self):
        with self._lock:
            self._job = None

    def _hand_over(self):
        with self._lock:
            self._is_main = False
            self._wake()

    def _before_wait(self):
        """Lets the second thread read, because the main thread is busy and cannot read the answer."""
        with self._lock:
            if self._is_main and self._job is not None:
                self._is_main = False
                self._wake()

    def _wake(self):
        self._is_asleep = False
        if self._waking.locked():
            self._waking.release()

    def _stand_by(self):
        try:
            while True:
                self._waking.acquire()
                while self._watch():
                    self._read()
        except BaseException as error:
            if not isinstance(error, EOFError):
                trace(error)
        self._end()

    def _watch(self):
        """Returns True if this thread must read, False if the main thread reads and was idle for a moment."""
        last = self
        while self._is_main:
            with self._lock:
                job = self._job
                if job is last:
                    self._is_asleep = job is None
                    self._is_main = self._is_asleep
                    break
            last = job
            self._waking.acquire(True, PERIOD_S)
        return not self._is_main

    def _read(self):
        """Returns when the main thread reads again."""
        while True:
            messages = self._connection.receive()
            if messages is None:
                raise EOFError
            # Messages are handled one at a time, because a message may cancel the request before it.
            for message in messages:
                job = self._take(message)
                if job is None:
                    continue
                is_given_back = len(messages) == 1 and self._workers.is_free()
                if is_given_back:
                    with self._lock:
                        self._job = job
                        self._is_main = True
                self._workers.add(job)
                if is_given_back:
                    return
