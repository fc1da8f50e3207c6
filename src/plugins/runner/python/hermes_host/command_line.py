"""`hermes NAME` commands of a plugin, which it describes with argparse as in Python Hermes."""
import sys
from _thread import allocate_lock, start_new_thread
from time import sleep

from .calls import is_coroutine
from .plugin import plugin


MAX_PIECE_CHARS = 100_000


def parser_of(name, command):
    import argparse

    setup, handler, description = command
    parser = argparse.ArgumentParser(prog=f"hermes {name}", description=description or None)
    if handler is not None:
        parser.set_defaults(func=handler)
    setup(parser)
    return parser


def usage_of(name, command):
    try:
        usage = " ".join(parser_of(name, command).format_usage().split())
    except Exception as error:
        plugin.warn(plugin.faults.text(f"setup_fn of the command {name} failed", error, command[0]))
        return ""
    return usage[len("usage: ") :] if usage.startswith("usage: ") else usage


class Output:
    """Collects the output of a command and sends it every few milliseconds: a message for every line would flood Hermes."""

    def __init__(self):
        self._lock = allocate_lock()
        self._pieces = []
        self._chars = 0

    def write(self, is_error, text):
        with self._lock:
            is_first = not self._pieces
            if is_first or self._pieces[-1][0] != is_error:
                self._pieces.append([is_error, ""])
            self._pieces[-1][1] += text
            self._chars += len(text)
            if self._chars >= MAX_PIECE_CHARS:
                self._send()
            elif is_first:
                start_new_thread(self._send_later, ())

    def _send_later(self):
        sleep(0.02)
        self.send()

    def send(self):
        with self._lock:
            self._send()

    def _send(self):
        pieces, self._pieces, self._chars = self._pieces, [], 0
        for is_error, text in pieces:
            for start in range(0, len(text), MAX_PIECE_CHARS):
                piece = text[start : start + MAX_PIECE_CHARS]
                plugin.connection.notify("print", {"text": piece, "isError": is_error})


class Printed:
    """A text stream that writes to the user's terminal."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, output, is_error):
        self._output = output
        self._is_error = is_error

    def write(self, text):
        if text:
            self._output.write(self._is_error, text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def isatty(self):
        return False

    def writable(self):
        return True


def run_command_line(name, command, params):
    import os

    os.environ["COLUMNS"] = str(params.get("columns") or 80)
    streams = sys.stdout, sys.stderr
    output = Output()
    sys.stdout, sys.stderr = Printed(output, False), Printed(output, True)
    try:
        arguments = parser_of(name, command).parse_args(params.get("args") or [])
        function = getattr(arguments, "func", None) or command[1]
        if function is None:
            parser_of(name, command).print_help()
            return 1
        result = function(arguments)
        if is_coroutine(result):
            result = plugin.workers.wait_for(result)
        return result if isinstance(result, int) and not isinstance(result, bool) else 0
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        sys.stderr.write(f"{error.code}\n")
        return 1
    finally:
        sys.stdout, sys.stderr = streams
        output.send()
