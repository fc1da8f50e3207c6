"""JSON-RPC 2.0, one message per line, on one descriptor. See src/contracts/plugin/wire.ts.

Uses `_json` and `_thread` instead of `json` and `threading`, which load a dozen modules that a small plugin does not need.
"""
import os
from _thread import allocate_lock

try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner
except ImportError:
    make_encoder = None


# The beginning of a line with events for observers, as Hermes writes it.
NOTICE = b'{"jsonrpc":"2.0","method":"hook.notify",'
# The maximum length of a line: Hermes ends a plugin that sends a longer one.
MAX_CHARS = 15 * 2**20


class HostError(RuntimeError):
    """Raised when Hermes refuses a request of the plugin or cannot answer it."""


def _plain(value):
    """Converts a value that JSON cannot express."""
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None:
        return {name: getattr(value, name, None) for name in fields}
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    return str(value)


def _finite(value, depth=0):
    """Returns the value with strings as keys, and null for numbers and branches that JSON cannot express."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if value is None or isinstance(value, (str, int)):
        return value
    if depth > 200:
        return None
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _finite(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one, depth + 1) for one in value]
    return _finite(_plain(value), depth + 1)


if make_encoder is None:
    import json

    def _encode(value):
        return json.dumps(value, default=_plain, allow_nan=False, separators=(",", ":"))

    def decode(text):
        return json.loads(text)

else:

    class _Scan:
        strict = False
        object_hook = object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = float

    _scan = make_scanner(_Scan)

    def _encode(value):
        # The markers that detect cycles belong to one run, because several threads encode at the same time.
        encoder = make_encoder({}, _plain, encode_basestring_ascii, None, ":", ",", False, False, False)
        return "".join(encoder(value, 0))

    def decode(text):
        try:
            return _scan(text.strip(), 0)[0]
        except StopIteration:
            raise ValueError("not JSON") from None


def decode_line(line):
    return decode(line.decode("utf-8", "replace"))


def encode(value):
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError):
        return _encode(_finite(value))


class Connection:
    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._writing = allocate_lock()
        self._counting = allocate_lock()
        self._waiting = {}
        self._last_id = 0
        self._pieces = []
        # Called by a thread before it waits for an answer.
        self.before_wait = None

    def send(self, message):
        text = encode(message)
        if len(text) > MAX_CHARS:
            raise ValueError(f"the message has {len(text) >> 20} MB; the limit is {MAX_CHARS >> 20} MB")
        data = memoryview((text + "\n").encode())
        with self._writing:
            while data:
                data = data[os.write(self._descriptor, data) :]

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method, params):
        """Waits for Hermes to answer. Raises HostError."""
        ready = allocate_lock()
        ready.acquire()
        entry = [ready, None]
        with self._counting:
            self._last_id += 1
            number = self._last_id
            self._waiting[number] = entry
        try:
            self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            self.before_wait()
            ready.acquire()
        except BaseException as error:
            if self._waiting.pop(number, None) is not None and not isinstance(error, ValueError):
                self.notify("$cancel", {"id": number})
            raise
        answer = entry[1]
        if "error" in answer:
            raise HostError(str((answer["error"] or {}).get("message", "refused")))
        return answer.get("result")

    def settle(self, message):
        entry = self._waiting.pop(message.get("id"), None)
        if entry is not None:
            entry[1] = message
            entry[0].release()

    def receive(self):
        """Waits for the next messages from Hermes. Events for observers are returned as bytes, because another thread
        decodes them. Returns None if Hermes closed the connection."""
        while True:
            try:
                chunk = os.read(self._descriptor, 1 << 16)
            except OSError:
                return None
            if not chunk:
                return None
            end = chunk.rfind(b"\n")
            if end < 0:
                self._pieces.append(chunk)
                continue
            lines = b"".join((*self._pieces, chunk[:end])).split(b"\n")
            self._pieces = [chunk[end + 1 :]]
            return [line if line.startswith(NOTICE) else decode_line(line) for line in lines if line]
