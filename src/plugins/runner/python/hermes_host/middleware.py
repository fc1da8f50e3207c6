"""Runs a middleware. Execution middleware wraps the rest of a call; `next_call` runs that rest, once."""
from .calls import code_of
from .plugin import plugin

_COROUTINE = 0x80


def run_wrapped(entry, params, keywords):
    caller, callback = entry
    if not params["kind"].endswith("_execution"):
        return caller((), keywords)
    is_used = False

    def request(payload):
        nonlocal is_used
        if is_used:
            name = getattr(callback, "__name__", repr(callback))
            raise RuntimeError(f"Middleware {params['kind']!r} callback {name} called next_call() more than once; it is single-use")
        is_used = True
        message = {"token": params["token"]}
        if payload is not None:
            message["payload"] = payload
        result = plugin.request("next", message)
        return with_attributes(result) if params["kind"].startswith("llm_") else result

    async def next_call_async(payload=None):
        from asyncio import get_running_loop
        from contextvars import copy_context

        return await get_running_loop().run_in_executor(None, copy_context().run, request, payload)

    def next_call(payload=None):
        return request(payload)

    code = code_of(callback)
    is_async = code is not None and bool(code.co_flags & _COROUTINE)
    keywords["next_call"] = next_call_async if is_async else next_call
    blocked = blocking_error()
    if is_async:
        return answer_async(caller((), keywords), blocked)
    try:
        return caller((), keywords)
    except blocked as error:
        return block(error)


async def answer_async(awaitable, blocked):
    try:
        return await awaitable
    except blocked as error:
        return block(error)


def blocking_error():
    """The exception with which a middleware blocks a call on purpose, if the plugin has imported it."""
    import sys

    module = sys.modules.get("hermes_cli.middleware")
    return getattr(module, "LLMExecutionBlocked", ())


def block(error):
    return {"action": "block", "message": str(error), "metadata": getattr(error, "metadata", {})}


class Attributes(dict):
    """Data whose fields are attributes too: middleware for Python Hermes reads `response.choices[0].message.content`."""

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __setattr__(self, name, value):
        self[name] = value


def with_attributes(value):
    if isinstance(value, dict):
        return Attributes((key, with_attributes(one)) for key, one in value.items())
    return [with_attributes(one) for one in value] if isinstance(value, list) else value
