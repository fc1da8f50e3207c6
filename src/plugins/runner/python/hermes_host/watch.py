"""Reports accesses that the sandbox will refuse, so that the user learns about them. Only the sandbox enforces them."""
import os
import sys

from .plugin import plugin

MAX_REPORTS = 50
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def watch(permissions, params):
    """Starts to observe accesses. `permissions` are those that the sandbox allows."""
    cache = getattr(sys.modules["hermes_main"], "CACHE", None)
    writable = tuple(path + "/" for path in (params.get("dataDir"), cache, "/dev", "/proc") if path)
    system = ("/usr", "/lib", "/etc", "/sys", "/bin", sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(__file__)))
    readable = (*writable, plugin.folder + "/", *(path if path == "/lib" else path + "/" for path in system))
    hosts = permissions.get("net") or []
    seen = set()

    def report(permission, target):
        if (permission, target) not in seen and len(seen) < MAX_REPORTS:
            seen.add((permission, target))
            plugin.connection.notify("denied", {"permission": permission, "target": target})

    def touch(path, is_write):
        if not isinstance(path, (str, bytes)):
            return
        path = os.fsdecode(path)
        if not path.startswith("/"):
            path = f"{os.getcwd()}/{path}"
        if path.startswith(writable if is_write else readable) or "/__pycache__" in path:
            return
        path = os.path.normpath(path)
        probe = path if not is_write or os.path.lexists(path) else os.path.dirname(path)
        if not os.access(probe, os.W_OK if is_write else os.R_OK):
            report("write" if is_write else "read", path)

    def on_open(path, mode, flags):
        touch(path, bool(flags & _WRITES) if isinstance(flags, int) else False)

    def on_read(path=None, *_):
        touch(path if path is not None else ".", False)

    def on_write(path, *_):
        touch(path, True)

    def on_rename(source, target, *_):
        touch(source, True)
        touch(target, True)

    def on_start(program, arguments=None, *_):
        first = arguments[0] if isinstance(arguments, (list, tuple)) and arguments else arguments
        report("exec", os.fsdecode(program or first or ""))

    def on_host(host, *_):
        host = os.fsdecode(host) if isinstance(host, (str, bytes)) else ""
        if host and host not in ("localhost", "127.0.0.1", "::1") and host not in hosts and "*" not in hosts:
            report("net", host)

    def on_connect(_, address):
        if isinstance(address, tuple) and address:
            on_host(address[0])

    handlers = {
        "open": on_open,
        "os.listdir": on_read,
        "os.scandir": on_read,
        "os.mkdir": on_write,
        "os.remove": on_write,
        "os.rmdir": on_write,
        "os.truncate": on_write,
        "os.rename": on_rename,
        "os.link": on_rename,
        "os.symlink": lambda source, target, *_: touch(target, True),
        "socket.getaddrinfo": on_host,
        "socket.connect": on_connect,
    }
    if not permissions.get("exec"):
        for event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"):
            handlers[event] = on_start
        for event in ("os.fork", "os.forkpty"):
            handlers[event] = lambda *_: report("exec", "a copy of itself")

    def hook(event, arguments):
        handler = handlers.get(event)
        if handler is not None:
            try:
                handler(*arguments)
            except Exception:
                pass  # A report is never the reason why something fails.

    sys.addaudithook(hook)
