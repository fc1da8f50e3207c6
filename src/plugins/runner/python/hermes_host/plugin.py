"""The registrations of one plugin: data for Hermes, and the functions behind it."""
from _thread import allocate_lock
from time import monotonic

from .calls import Faults

LISTS = (
    "tools",
    "toolsets",
    "hooks",
    "middleware",
    "commands",
    "cliCommands",
    "providers",
    "environments",
    "platforms",
    "policies",
    "skills",
    "promptSections",
    "contextEngines",
    "memoryProviders",
    "secretSources",
    "backends",
    "auxiliaryTasks",
    "ui",
    "unsupported",
    "warnings",
)


MAX_LOG_CHARS = 4_000
MAX_LOGS_PER_S = 1_000


class Handle:
    """The handle that registrations return, as in Python Hermes; `dispose` removes the registration."""

    def __init__(self, release):
        self._release = release

    def dispose(self):
        release, self._release = self._release, None
        if release is not None:
            release()

    __call__ = dispose
    unregister = dispose

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.dispose()


class Plugin:
    """The plugin of this process. `serve` sets `connection` and `workers`."""

    def __init__(self):
        self.connection = None
        self.workers = None
        self.params = {}
        self.name = ""
        self.folder = ""
        self.faults = Faults("", "/")
        self.context = None
        self.module = None
        self.package = None
        self.registration = {name: [] for name in LISTS}
        self.functions = {}
        self.unloads = []
        self.last_session = None
        self._log_second = self._log_count = 0
        self.is_loaded = allocate_lock()
        self.is_loaded.acquire()
        self.is_observing = allocate_lock()
        self.observers = None

    def open(self, params):
        self.params = params
        self.name = params.get("name") or params.get("key") or "plugin"
        self.folder = (params.get("folder") or "").rstrip("/")
        self.faults = Faults(self.name, self.folder or "/no-folder")

    def add(self, list_name, entry, key, function):
        """Registers `entry` and stores `function` under (list, key)."""
        if not self.is_loaded.locked():
            self.log("warn", f"{list_name}: {key} was registered after register(ctx) and is not used")
        entries = self.registration[list_name]
        entries.append(entry)
        self.functions[(list_name, key)] = function

        def release():
            for index, one in enumerate(entries):
                if one is entry:
                    del entries[index]
                    break
            if self.functions.get((list_name, key)) is function:
                del self.functions[(list_name, key)]

        return Handle(release)

    def find(self, list_name, key):
        return self.functions.get((list_name, key))

    def warn(self, message):
        self.registration["warnings"].append(message)
        self.log("warn", message)

    def unsupported(self, member, detail="not supported by this host"):
        entries = self.registration["unsupported"]
        if not any(one["member"] == member for one in entries):
            entries.append({"member": member, "detail": detail})
        self.log("warn", f"{member}: {detail}")

    def log(self, level, message):
        """Sends a line to the log of Hermes. Lines over the limit per second are dropped, because Hermes ends a plugin that sends too many."""
        if self.connection is None:
            return
        second = int(monotonic())
        if second != self._log_second:
            dropped = self._log_count - MAX_LOGS_PER_S
            self._log_second, self._log_count = second, 0
            if dropped > 0:
                self.connection.notify("log", {"level": "warn", "message": f"{dropped} log messages were dropped"})
        self._log_count += 1
        if self._log_count <= MAX_LOGS_PER_S:
            self.connection.notify("log", {"level": level, "message": message[:MAX_LOG_CHARS]})

    def request(self, method, params):
        return self.connection.request(method, params)


plugin = Plugin()
