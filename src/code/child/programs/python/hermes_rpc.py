"""The connections of a script with Hermes. See src/contracts/code/wire.ts.

Uses `_json`, `_socket` and `_thread` instead of `json`, `socket` and `threading`, which load dozens of modules. Each
thread that waits for a reply has a connection of its own, so threads do not wait for each other.
"""
import os
from _socket import AF_INET, SOCK_STREAM, socket
from _thread import allocate_lock

MAX_CONNECTIONS = 32
_address = os.environ.get("HERMES_RPC_SOCKET", "")
_token = os.environ.get("HERMES_RPC_TOKEN", "")


class AgentDisconnected(RuntimeError):
    """Hermes has ended, or has closed the connection."""


def _plain(value):
    """The JSON form of a value that JSON does not have."""
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    if hasattr(value, "__fspath__"):
        return os.fspath(value)
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    if hasattr(value, "__iter__"):
        return list(value)
    raise TypeError("an argument of a tool is a %s, which JSON does not have" % type(value).__name__)


try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    class _Scan:
        strict = False
        memo = {}
        object_hook = object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = float

    _scan = make_scanner(_Scan)
    _encoder = make_encoder(None, _plain, encode_basestring_ascii, None, ":", ",", False, False, False)

    def encode(value):
        return "".join(_encoder(value, 0))

    def decode(text):
        return _scan(text, 0)[0]

    encode({"works": [1, None]})
except (ImportError, TypeError):
    import json

    def encode(value):
        return json.dumps(value, default=_plain, allow_nan=False, separators=(",", ":"))

    def decode(text):
        return json.loads(text, strict=False)


class Connection:
    __slots__ = ("_socket", "_last")

    def __init__(self):
        if _address.startswith("tcp://"):
            host, _, port = _address[6:].rpartition(":")
            self._socket = socket(AF_INET, SOCK_STREAM)
            self._socket.connect((host, int(port)))
        else:
            from _socket import AF_UNIX

            self._socket = socket(AF_UNIX, SOCK_STREAM)
            self._socket.connect(_address)
        self._last = 0
        self.send('{"token":%s}\n' % encode(_token))

    def send(self, line):
        self._socket.sendall(line.encode("ascii"))

    def ask(self, tool, arguments):
        self._last += 1
        self.send('{"id":%d,"tool":%s,"args":%s}\n' % (self._last, encode(tool), arguments))
        while True:
            reply = decode(self._line())
            if reply.get("id") == self._last:
                return {"error": reply["fault"]} if "fault" in reply else reply["result"]
            if reply.get("id") is None:
                raise AgentDisconnected(reply.get("fault", "Agent process disconnected"))

    def _line(self):
        # Only one call is open on a connection, so a chunk never contains the start of another reply.
        chunk = self._socket.recv(65536)
        if not chunk:
            raise OSError("closed")
        if chunk[-1] == 10:
            return chunk.decode("utf-8")
        chunks = [chunk]
        while chunk[-1] != 10:
            chunk = self._socket.recv(1048576)
            if not chunk:
                raise OSError("closed")
            chunks.append(chunk)
        return b"".join(chunks).decode("utf-8")

    def close(self):
        try:
            self._socket.close()
        except OSError:
            pass


class _Pool:
    """At most MAX_CONNECTIONS connections. Threads beyond that wait for one."""

    def __init__(self):
        self._guard = allocate_lock()
        self._idle = []
        self._count = 0
        self._waiting = []

    def take(self):
        with self._guard:
            if self._idle:
                return self._idle.pop()
            if self._count < MAX_CONNECTIONS:
                self._count += 1
                turn = None
            else:
                turn = ([], allocate_lock())
                turn[1].acquire()
                self._waiting.append(turn)
        if turn is not None:
            turn[1].acquire()
            if turn[0][0] is not None:
                return turn[0][0]
        try:
            return Connection()
        except BaseException:
            self.give(None)
            raise

    def give(self, connection):
        """`None`: the connection is closed, and the next thread opens another."""
        with self._guard:
            if self._waiting:
                turn = self._waiting.pop(0)
                turn[0].append(connection)
                turn[1].release()
            elif connection is None:
                self._count -= 1
            else:
                self._idle.append(connection)


_pool = _Pool()


def _after_fork():
    # Two processes must not read the replies of one connection.
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def call_tool(name, arguments=None):
    """Call a tool by its own name, with a dict of arguments."""
    text = encode(dict(arguments or {}))
    pool = _pool
    connection = None
    try:
        connection = pool.take()
        result = connection.ask(name, text)
    except OSError:
        _drop(pool, connection)
        raise AgentDisconnected("Agent process disconnected") from None
    except BaseException:
        _drop(pool, connection)
        raise
    pool.give(connection)
    return result


def _drop(pool, connection):
    if connection is not None:
        connection.close()
        pool.give(None)


def call(name, arguments, optional=(), more=None):
    """Used by the stubs. `optional`: argument, value, default, and whether None is a value of its own."""
    for key, value, default, has_none in optional:
        if value is None and not has_none:
            continue
        if value is not default and (type(value) is not type(default) or value != default):
            arguments[key] = value
    if more:
        arguments.update(more)
    return call_tool(name, arguments)
