"""The tools for asyncio: `from hermes_tools import aio`, then `await aio.read_file("notes.txt")`.

Each call waits in a thread, so the event loop continues.
"""


class Aio:
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
