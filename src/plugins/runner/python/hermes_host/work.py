"""Runs requests: sync functions on threads, coroutines on one persistent asyncio loop."""
import os

import _signal
from _contextvars import ContextVar
from _queue import Empty, SimpleQueue
from _thread import allocate_lock, get_ident, start_new_thread
from time import monotonic, sleep

from .calls import is_coroutine

MAX_WORKERS = 64
IDLE_S = 10
HANDLER_TIMEOUT_S = float(os.environ.get("HERMES_PLUGIN_HANDLER_TIMEOUT_S") or 300)

# Other requests have no timeout: they wrap a call that waits for the user, a chat platform, or a command at the terminal.
TIMED = frozenset(("tool.run", "tool.check", "hook.run", "command.run", "section.render"))

# The tool call in which the code runs: {"callId", "sessionId"}.
current_call = ContextVar("hermes_call", default=None)


class Cancelled(BaseException):
    """Raised in a handler to end it, because its caller no longer waits."""


class Job:
    __slots__ = ("id", "method", "params", "deadline", "thread", "task", "reason", "is_settled", "lock")

    def __init__(self, id, method, params):
        self.id = id
        self.method = method
        self.params = params
        self.deadline = monotonic() + HANDLER_TIMEOUT_S if method in TIMED else None
        self.thread = None
        self.task = None
        # The reason why the job was cancelled.
        self.reason = None
        self.is_settled = False
        self.lock = allocate_lock()


class Workers:
    """`run(job)` returns the result of a job, or a coroutine for it; `answer(job, result)` and `fail(job, error)` send it."""

    def __init__(self, run, answer, fail):
        self._run = run
        self._answer = answer
        self._fail = fail
        self._queue = SimpleQueue()
        self._lock = allocate_lock()
        self._idle = 0
        self._count = 0
        self._main_queue = SimpleQueue()
        self._is_main_free = False
        self._jobs = {}
        self._loop = None
        self._is_watched = False
        self._interrupted = None
        self._main = get_ident()
        _signal.signal(_signal.SIGUSR2, self._interrupt)
        self.is_parallel = False

    def add(self, job):
        """Runs the job on the main thread if that is free, otherwise on another one. Only the main thread can be interrupted
        while it waits in the system."""
        with self._lock:
            is_new_watch = self._register(job)
            needed = False
            if self._is_main_free or not self.is_parallel or not self._is_main_busy(job):
                self._is_main_free = False
                queue = self._main_queue
            else:
                queue = self._queue
                needed = self._idle <= queue.qsize() and self._count < MAX_WORKERS
                if needed:
                    self._count += 1
            queue.put(job)
        if is_new_watch:
            start_new_thread(self._watch, ())
        if needed:
            start_new_thread(self._work, ())

    def run_here(self, job):
        with self._lock:
            is_new_watch = self._register(job)
        if is_new_watch:
            start_new_thread(self._watch, ())
        self._run_job(job)

    def _register(self, job):
        """Returns True if the caller must start the watch."""
        self._jobs[job.id] = job
        is_new_watch = job.deadline is not None and not self._is_watched
        self._is_watched = self._is_watched or is_new_watch
        return is_new_watch

    def _is_main_busy(self, new):
        """Returns False if the main thread is free, or will be free after it has settled a finished job."""
        return any(
            job.thread == self._main or (job.thread is None and job.reason is None and job.task is None)
            for job in self._jobs.values()
            if job is not new
        )

    def is_calm(self):
        return not self._jobs

    def is_free(self):
        """Whether no job runs and the main thread waits for one."""
        return self._is_main_free and not self._jobs

    def stop(self):
        for _ in range(self._count):
            self._queue.put(None)
        self._main_queue.put(None)

    def work_once(self):
        """Runs the next job on the main thread. Returns False if there are no more jobs."""
        with self._lock:
            self._is_main_free = self._main_queue.empty()
        job = self._main_queue.get()
        if job is not None:
            self._run_job(job)
        return job is not None

    def _work(self):
        """Runs jobs on this thread until `stop` is called, or until no job has arrived for a while."""
        while True:
            try:
                with self._lock:
                    self._idle += 1
                try:
                    job = self._queue.get(True, IDLE_S)
                except Empty:
                    job = None
                with self._lock:
                    self._idle -= 1
                    if job is None:
                        self._count -= 1
                if job is None:
                    return
                self._run_job(job)
            except Cancelled:
                pass

    def _run_job(self, job):
        with job.lock:
            if job.is_settled:
                return
            job.thread = get_ident()
        send, value = self._answer, None
        try:
            try:
                value = self._run(job)
                if is_coroutine(value):
                    send = None
            except BaseException as error:
                send, value = self._fail, error
            with job.lock:
                job.thread = None
            if job.reason is not None:
                # A pending interruption must arrive here, not while the answer is written.
                sleep(0.001)
        except Cancelled:
            pass
        if send is None:
            self.spawn(value, job)
        else:
            self._settle(job, send, value)

    def _settle(self, job, send, value):
        with job.lock:
            if job.is_settled:
                return
            job.is_settled = True
        self._jobs.pop(job.id, None)
        if job.reason is None:
            send(job, value)
        else:
            self._fail(job, Cancelled(job.reason))

    def loop(self):
        """The event loop of all coroutines, on its own thread."""
        with self._lock:
            if self._loop is None:
                import asyncio

                self._loop = asyncio.new_event_loop()
                start_new_thread(self._run_loop, ())
            return self._loop

    def _run_loop(self):
        import asyncio

        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def spawn(self, awaitable, job=None):
        """Starts a coroutine. When it ends, its result answers the job."""

        async def run():
            try:
                result = await awaitable
            except BaseException as error:
                if job is None:
                    self._fail(None, error)
                else:
                    self._settle(job, self._fail, error)
            else:
                if job is not None:
                    self._settle(job, self._answer, result)

        def start():
            task = loop.create_task(run())
            if job is not None:
                job.task = task
                if job.reason is not None:
                    task.cancel()

        loop = self.loop()
        loop.call_soon_threadsafe(start)

    def wait_for(self, awaitable):
        """The result of a coroutine, for a caller on another thread."""
        ready = allocate_lock()
        ready.acquire()
        outcome = []

        async def run():
            try:
                outcome.append((await awaitable, None))
            except BaseException as error:
                outcome.append((None, error))
            ready.release()

        loop = self.loop()
        loop.call_soon_threadsafe(lambda: loop.create_task(run()))
        ready.acquire()
        result, error = outcome[0]
        if error is not None:
            raise error
        return result

    def cancel(self, id, reason):
        """Ends the handler of a request. The response is an error with `reason`."""
        job = self._jobs.get(id)
        if job is None:
            return
        with job.lock:
            if job.is_settled or job.reason is not None:
                return
            job.reason = reason
            if job.task is not None:
                self._loop.call_soon_threadsafe(job.task.cancel)
                return
            if job.thread == self._main:
                # The signal also interrupts a blocking system call.
                self._interrupted = job
                start_new_thread(self._nudge, (job,))
                return
            if job.thread is not None:
                import ctypes

                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(job.thread), ctypes.py_object(Cancelled))
                return
        # The job still waits for a thread.
        self._settle(job, self._fail, None)

    def _nudge(self, job):
        """A signal just before a system call does not interrupt that call, so the signal is repeated until it arrives."""
        while self._interrupted is job:
            _signal.pthread_kill(self._main, _signal.SIGUSR2)
            sleep(0.02)

    def _interrupt(self, *_):
        """Runs on the main thread."""
        job, self._interrupted = self._interrupted, None
        if job is not None and job.thread == self._main:
            raise Cancelled(job.reason)

    def _watch(self):
        """Cancels jobs that run too long. Ends when no jobs are left."""
        while True:
            sleep(min(HANDLER_TIMEOUT_S / 10, 5))
            now = monotonic()
            for job in list(self._jobs.values()):
                if job.deadline is not None and job.deadline <= now:
                    self.cancel(job.id, f"it ran longer than {HANDLER_TIMEOUT_S:g} s and was cancelled")
            with self._lock:
                if not self._jobs:
                    self._is_watched = False
                    return
