"""The functions of `hermes_tools` other than the tools, loaded at their first use."""
from _thread import allocate_lock

from hermes_rpc import AgentDisconnected, call_tool

__all__ = ["AgentDisconnected", "Aio", "call_tool", "json_parse", "parallel", "retry", "shell_quote"]


def json_parse(text):
    """Parse JSON that may contain unescaped control characters."""
    import json

    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("utf-8", "replace")
    return json.loads(text, strict=False) if isinstance(text, str) else text


def shell_quote(text):
    """Quote a text as one word of a shell command."""
    import shlex

    return shlex.quote(str(text))


def retry(fn, max_attempts=3, delay=2, exponential=True):
    """Call fn until it neither raises nor returns {"error": …}. Waits `delay` seconds, twice as long each time."""
    import time

    attempt = 1
    while True:
        try:
            result = fn()
            if attempt >= max_attempts or not (isinstance(result, dict) and result.get("error")):
                return result
        except AgentDisconnected:
            raise
        except Exception:
            if attempt >= max_attempts:
                raise
        time.sleep(delay * (2 ** (attempt - 1) if exponential else 1))
        attempt += 1


def parallel(calls, limit=16):
    """Run callables without arguments in threads, `limit` at once. Returns their results in order."""
    import threading

    work = list(calls)
    results = [None] * len(work)
    errors = {}
    positions = iter(range(len(work)))
    guard = allocate_lock()

    def run():
        while True:
            with guard:
                position = None if errors else next(positions, None)
            if position is None:
                return
            try:
                results[position] = work[position]()
            except BaseException as error:
                errors[position] = error

    threads = [threading.Thread(target=run, daemon=True) for _ in range(max(1, min(limit, len(work))))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[min(errors)]
    return results


class Aio:
    """The tools for asyncio: `await aio.read_file("notes.txt")`. Each call waits in a thread, so the loop continues."""

    def __init__(self, tools):
        self._tools = tools
        self._threads = None

    def __getattr__(self, name):
        tool = getattr(self._tools, name)

        async def call(*arguments, **named):
            import asyncio
            from functools import partial

            if self._threads is None:
                from concurrent.futures import ThreadPoolExecutor

                self._threads = ThreadPoolExecutor(32)
            return await asyncio.get_running_loop().run_in_executor(self._threads, partial(tool, *arguments, **named))

        call.__name__ = name
        call.__doc__ = tool.__doc__
        return call
