"""Sends the items of a generator, an async generator or another iterable one by one."""
from .calls import adapt, is_coroutine
from .plugin import plugin


def stream(function, arguments, name):
    result = adapt(function, len(arguments))(arguments, {"emit": lambda item: send(name, item)})
    if hasattr(result, "__aiter__") or is_coroutine(result):
        return drain(result, name)
    if hasattr(result, "__iter__") and not isinstance(result, (str, bytes, dict)):
        for item in result:
            send(name, item)
        return None
    return result


async def drain(result, name):
    if is_coroutine(result):
        result = await result
    if not hasattr(result, "__aiter__"):
        return result
    async for item in result:
        send(name, item)
    return None


def send(name, item):
    plugin.connection.notify("object.item", {"stream": name, "item": item})
