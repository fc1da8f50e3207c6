"""Answers requests of Hermes until it closes the connection. See src/contracts/plugin/wire.ts."""
import os
import sys
from _thread import start_new_thread

from .calls import adapt, failure, is_coroutine, tool_result
from .hooks import MIDDLEWARE_SCHEMA_VERSION, SCHEMA_VERSION
from .load import LoadError, load, trace
from .plugin import plugin
from .reading import Reading
from .wire import Connection, decode_line
from .work import Cancelled, Job, Workers, current_call

DESCRIPTOR = 3
# Runs after Hermes has closed the connection.
MAX_END_S = 5


def serve():
    limit_memory()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(line_buffering=True, errors="backslashreplace")
    plugin.connection = Connection(take_descriptor())
    plugin.workers = Workers(run, answer, fail)
    Reading(plugin.connection, plugin.workers, take, end).run()
    for callback in reversed(plugin.unloads):
        try:
            callback()
        except Exception as error:
            trace(error)


def take_descriptor():
    """Moves the connection to another descriptor that child programs do not inherit, so that no printed text reaches it."""
    try:
        moved = os.dup2(DESCRIPTOR, 199, inheritable=False)
    except OSError:
        moved = os.dup(DESCRIPTOR)
    os.close(DESCRIPTOR)
    return moved


def limit_memory():
    limit = os.environ.get("HERMES_PLUGIN_MAX_MEMORY")
    if limit and limit.isdigit():
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))


def take(message):
    """Handles a message from Hermes. Returns a job if the message is a request."""
    if isinstance(message, bytes):
        return notice(message)
    method = message.get("method")
    if method is None:
        plugin.connection.settle(message)
    elif "id" in message:
        return Job(message["id"], method, message.get("params") or {})
    elif method == "$cancel":
        plugin.workers.cancel(message["params"].get("id"), "cancelled")
    return None


def notice(line):
    """Passes events on to the thread that runs the observers."""
    if plugin.observers is None:
        from _queue import SimpleQueue

        plugin.observers = SimpleQueue()
        plugin.is_observing.acquire()
        start_new_thread(observe, (plugin.observers,))
    plugin.observers.put(line)


def end():
    """Raised when Hermes has closed the connection."""
    if plugin.observers is not None:
        plugin.observers.put(None)
        plugin.is_observing.acquire(True, MAX_END_S)
    plugin.workers.stop()
    from time import sleep

    sleep(MAX_END_S)
    os._exit(0)


def observe(queue):
    """Runs the observers of events one after the other, in the order of the events."""
    with plugin.is_loaded:
        pass
    for line in iter(queue.get, None):
        try:
            for event in decode_line(line)["params"]["events"]:
                observe_event(event)
        except BaseException as error:
            fail(None, error)
    plugin.is_observing.release()


def observe_event(event):
    try:
        result = run_hook(event)
        if is_coroutine(result):
            plugin.workers.spawn(result)
    except BaseException as error:
        fail(None, error)


def run(job):
    method = METHODS.get(job.method)
    if method is None:
        raise LookupError(f"unknown method {job.method}")
    current_call.set(None)
    return method(job.params)


def answer(job, result):
    try:
        plugin.connection.send({"jsonrpc": "2.0", "id": job.id, "result": result})
    except ValueError as error:
        fail(job, error)


def fail(job, error):
    """Sends an error response that names plugin, file and line."""
    if job is None or not isinstance(error, Cancelled) and plugin.params.get("isDebugging"):
        trace(error)
    if isinstance(error, LoadError):
        text = str(error)
    elif isinstance(error, Cancelled) or type(error).__name__ == "CancelledError":
        text = f"Plugin {plugin.name}: {job.method if job else 'task'}: {error or 'cancelled'}"
    else:
        text = plugin.faults.text(job.method if job else "hook", error)
    if job is None:
        plugin.log("error", text)
    else:
        plugin.connection.send({"jsonrpc": "2.0", "id": job.id, "error": {"code": -32000, "message": text}})


def run_load(params):
    if plugin.params:
        raise LoadError(f"Plugin {plugin.name} is loaded already")
    registration = load(params)
    plugin.workers.is_parallel = True
    plugin.is_loaded.release()
    return registration


def run_tool(params):
    name, call = params["name"], params.get("call") or {}
    entry = plugin.find("tools", name)
    if entry is None:
        return failure(f"Plugin {plugin.name} has no tool {name}", kind="unknown_tool")
    current_call.set(call)
    session = plugin.last_session = call.get("sessionId")
    keywords = {
        "task_id": session,
        "session_id": session,
        "tool_call_id": call.get("callId"),
        "turn_id": call.get("turnId"),
        "parent_tool_call_id": call.get("parentCallId"),
        "cwd": call.get("cwd"),
    }
    caller, handler, _ = entry
    try:
        value = caller((params.get("args") or {},), keywords)
    except Exception as error:
        return tool_fault(name, error, handler)
    return finish_tool(name, handler, value) if is_coroutine(value) else read_result(name, handler, value)


async def finish_tool(name, handler, value):
    try:
        return read_result(name, handler, await value)
    except Exception as error:
        return tool_fault(name, error, handler)


def read_result(name, handler, value):
    result = tool_result(value)
    if result is not None:
        return result
    kind = TypeError(f"the handler returned {type(value).__name__}; return a JSON string")
    return failure(plugin.faults.text(f"the tool {name} failed", kind, handler))


def tool_fault(name, error, handler):
    trace(error)
    return failure(plugin.faults.text(f"the tool {name} failed", error, handler))


def check(params):
    from .context import check_tool

    entry = plugin.find("tools", params["name"])
    return entry is not None and (entry[2] is None or check_tool(entry[2]))


def run_hook(params):
    caller, _ = plugin.functions[("hooks", params["id"])]
    keywords = params.get("args") or {}
    current_call.set({"sessionId": keywords.get("session_id")})
    if params["id"] == "handle":
        return caller((keywords.get("event_type"), keywords.get("context")), keywords)
    keywords.setdefault("telemetry_schema_version", SCHEMA_VERSION)
    return caller((), keywords)


def run_middleware(params):
    from .middleware import run_wrapped

    keywords = dict(params.get("payload") or {})
    keywords.setdefault("telemetry_schema_version", SCHEMA_VERSION)
    keywords.setdefault("middleware_schema_version", MIDDLEWARE_SCHEMA_VERSION)
    current_call.set({"sessionId": keywords.get("session_id"), "callId": keywords.get("tool_call_id")})
    return run_wrapped(plugin.functions[("middleware", params["id"])], params, keywords)


def run_command(params):
    caller, _ = plugin.functions[("commands", params["name"])]
    session = params.get("sessionId")
    plugin.last_session = session or plugin.last_session
    current_call.set({"sessionId": session})
    return caller((params.get("args") or "",), {"session_id": session})


def run_command_line(params):
    from .command_line import run_command_line

    return run_command_line(params["name"], plugin.functions[("cliCommands", params["name"])], params)


def render(params):
    caller = plugin.functions[("promptSections", params["id"])]
    result = caller((params.get("info") or {},), {})
    return as_text(result) if is_coroutine(result) else "" if result is None else str(result)


async def as_text(value):
    result = await value
    return "" if result is None else str(result)


def call_object(params):
    value = find_object(params["id"])
    member = getattr(value, params["method"])
    arguments = params.get("args") or []
    if not callable(member):
        return member
    return adapt(member, len(arguments))(arguments, params.get("kwargs") or {})


def stream_object(params):
    from .streams import stream

    value = find_object(params["id"])
    arguments = params.get("args") or []
    return stream(getattr(value, params["method"]), arguments, params["stream"])


def find_object(id):
    return plugin.functions[(id.partition(":")[0], id)]


METHODS = {
    "load": run_load,
    "tool.run": run_tool,
    "tool.check": check,
    "hook.run": run_hook,
    "middleware.run": run_middleware,
    "command.run": run_command,
    "cli.run": run_command_line,
    "section.render": render,
    "object.call": call_object,
    "object.stream": stream_object,
}
