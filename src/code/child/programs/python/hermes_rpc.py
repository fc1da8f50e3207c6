"""The connections of a script with Hermes. See src/contracts/code/wire.ts.

Uses `_json`, `_socket` and `_thread` instead of `json`, `socket` and `threading`, which load dozens of modules. The
main thread has a connection of its own while it waits, because an interrupt can stop it anywhere; so has every thread
with a long request. Other threads share one, on which their requests and replies travel together.
"""
import os
import sys
from _socket import AF_INET, SO_SNDBUF, SOCK_STREAM, SOL_SOCKET, socket
from _thread import allocate_lock, get_ident

MAX_CONNECTIONS = 32
# Open calls and characters of one request on the shared connection. All of them fit the buffer of the socket, so
# sending never waits for the host.
MAX_SHARED_CALLS = 64
MAX_SHARED_CHARS = 1000
# Requests that leave together, and the seconds that the first of them waits for the others.
MAX_TOGETHER = 8
MAX_DELAY = 0.0005
_address = os.environ.get("HERMES_RPC_SOCKET", "")
_token = os.environ.get("HERMES_RPC_TOKEN", "")


class AgentDisconnected(RuntimeError):
    """Raised when Hermes has ended or has closed the connection."""


def _plain(value):
    """Converts a value that JSON cannot express."""
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
                return _result(reply)
            if reply.get("id") is None:
                raise AgentDisconnected(reply.get("fault", "Agent process disconnected"))

    def _line(self):
        # Only one call is open here, so a chunk never contains the start of another reply.
        chunk = self.receive(65536)
        if chunk[-1] == 10:
            return chunk.decode("utf-8")
        chunks = [chunk]
        while chunk[-1] != 10:
            chunk = self.receive(1048576)
            chunks.append(chunk)
        return b"".join(chunks).decode("utf-8")

    def receive(self, size):
        chunk = self._socket.recv(size)
        if not chunk:
            raise OSError("closed")
        return chunk

    def widen(self):
        """Some systems buffer only 8 KB."""
        try:
            self._socket.setsockopt(SOL_SOCKET, SO_SNDBUF, 262144)
        except OSError:
            pass

    def close(self):
        try:
            self._socket.close()
        except OSError:
            pass


class _Pool:
    """A pool of at most MAX_CONNECTIONS connections. Further threads wait for one."""

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
        """`None` means that the connection is closed, and the next thread opens another."""
        with self._guard:
            if self._waiting:
                turn = self._waiting.pop(0)
                turn[0].append(connection)
                turn[1].release()
            elif connection is None:
                self._count -= 1
            else:
                self._idle.append(connection)


class _Waiting:
    """A call on the shared connection. The lock is released when there is a reply, or when its thread has to read."""

    __slots__ = ("lock", "line")

    def __init__(self):
        self.lock = allocate_lock()
        self.lock.acquire()
        self.line = None


class _Shared:
    """A connection of several threads. One of those that wait reads the replies of all.

    Threads that get their replies together often make their next calls together. So a request waits a moment for
    those of the others, unless that was in vain recently.
    """

    def __init__(self):
        self._connection = Connection()
        self._connection.widen()
        self._guard = allocate_lock()
        self._sending = allocate_lock()
        self._waiting = {}
        self._last = 0
        self._unsent = []
        self._is_read = False
        # Threads that got a reply and have not made a call since.
        self._awake = 0
        self._hurried = 0
        self._parts = []
        self._error = None

    def is_over(self):
        return self._error is not None

    def is_free(self):
        return len(self._waiting) < MAX_SHARED_CALLS

    def ask(self, tool, arguments):
        own = _Waiting()
        try:
            if not self._post(own, tool, arguments):
                own.lock.acquire()
            while own.line is None:
                if self._error is not None:
                    raise self._error
                self._read(own)
        except BaseException as error:
            self._end(error)
            raise
        return _result(decode(own.line.decode("utf-8")))

    def _post(self, own, tool, arguments):
        """Returns whether this thread must read, or already has a reply."""
        with self._guard:
            if self._error is not None:
                raise self._error
            self._last = number = self._last + 1
            self._waiting[number] = own
            self._unsent.append('{"id":%d,"tool":%s,"args":%s}\n' % (number, encode(tool), arguments))
            if self._awake > 0:
                self._awake -= 1
            if self._hurried > 0:
                self._hurried -= 1
            waits = self._awake > 0 and self._hurried == 0 and len(self._unsent) < MAX_TOGETHER
        if waits:
            if own.lock.acquire(True, MAX_DELAY):
                # Without a reply this thread has to read, and its request may still wait for others.
                if own.line is None and self._error is None:
                    self._send_unsent()
                return True
            self._awake = 0
            self._hurried = 32
        self._send_unsent()
        with self._guard:
            if own.line is not None or self._is_read:
                return False
            self._is_read = True
            return True

    def _send_unsent(self):
        with self._sending:
            with self._guard:
                lines = "".join(self._unsent)
                self._unsent.clear()
            if lines:
                self._connection.send(lines)

    def _read(self, own):
        chunk = self._connection.receive(1048576 if self._parts else 65536)
        if b"\n" not in chunk:
            self._parts.append(chunk)
            return
        if self._parts:
            self._parts.append(chunk)
            chunk = b"".join(self._parts)
        lines = chunk.split(b"\n")
        last = lines.pop()
        self._parts = [last] if last else []
        woken = []
        with self._guard:
            for line in lines:
                waiting = self._waiting.pop(_number(line), None)
                if waiting is not None:
                    waiting.line = line
                    woken.append(waiting)
            self._awake += len(woken)
            if own.line is not None:
                self._is_read = False
                for waiting in self._waiting.values():
                    self._is_read = True
                    woken.append(waiting)
                    break
        for waiting in woken:
            if waiting is not own:
                waiting.lock.release()

    def _end(self, error):
        """Closes the connection for all threads: its position in the replies is unknown."""
        with self._guard:
            if self._error is not None:
                return
            self._error = error if isinstance(error, AgentDisconnected) else OSError("closed")
            waiting = list(self._waiting.values())
            self._waiting.clear()
        self._connection.close()
        for each in waiting:
            each.lock.release()


def _number(line):
    """The id of a reply."""
    if line.startswith(b'{"id":'):
        end = line.find(b",")
        if line[6:end].isdigit():
            return int(line[6:end])
    reply = decode(line.decode("utf-8"))
    if reply.get("id") is None:
        raise AgentDisconnected(reply.get("fault", "Agent process disconnected"))
    return reply["id"]


def _result(reply):
    return {"error": reply["fault"]} if "fault" in reply else reply["result"]


def _main_thread():
    # Before a script has threads, it has only this one.
    threading = sys.modules.get("threading")
    return get_ident() if threading is None else threading.main_thread().ident


_main = _main_thread()
_pool = _Pool()
_shared = None
_opening = allocate_lock()


def _after_fork():
    # Two processes must not read the replies of one connection.
    global _main, _opening, _pool, _shared
    _main = get_ident()
    _pool = _Pool()
    _shared = None
    _opening = allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def call_tool(name, arguments=None):
    """Call a tool by its own name, with a dict of arguments."""
    text = encode(dict(arguments or {}))
    try:
        if get_ident() != _main and len(text) <= MAX_SHARED_CHARS and len(name) <= MAX_SHARED_CHARS:
            shared = _shared_connection()
            if shared.is_free():
                return shared.ask(name, text)
        return _ask_alone(name, text)
    except OSError:
        raise AgentDisconnected("Agent process disconnected") from None


def _shared_connection():
    global _shared
    shared = _shared
    if shared is None or shared.is_over():
        with _opening:
            if _shared is shared:
                _shared = _Shared()
            shared = _shared
    return shared


def _ask_alone(name, text):
    pool = _pool
    connection = pool.take()
    try:
        result = connection.ask(name, text)
    except BaseException:
        connection.close()
        pool.give(None)
        raise
    pool.give(connection)
    return result


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
