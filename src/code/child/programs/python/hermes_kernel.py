"""A kernel: executes one script after another with the same variables. See KernelScript in src/contracts/code/wire.ts."""
import _ast
import os
import sys
from _queue import SimpleQueue
from _signal import SIGINT, pthread_kill, signal
from _thread import get_ident, start_new_thread

import hermes_rpc

ONLY_AST = 0x400
ALLOW_AWAIT = 0x2000
IS_COROUTINE = 0x80
MAX_SOURCES = 100


class Kernel:
    def __init__(self, main):
        self._main = main
        self._scripts = SimpleQueue()
        self._running = None
        self._loop = None
        self._sources = {}
        self._connection = None

    def serve(self):
        # Scripts see an empty standard input.
        control = os.fdopen(os.dup(0), "rb")
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        signal(SIGINT, self._on_interrupt)
        start_new_thread(self._listen, (control, get_ident()))
        while True:
            self._run(self._scripts.get())

    def _listen(self, control, thread):
        try:
            for line in control:
                message = hermes_rpc.decode(line.decode("utf-8"))
                if "interrupt" not in message:
                    self._scripts.put(message)
                elif message["interrupt"] == self._running:
                    pthread_kill(thread, SIGINT)
        finally:
            # Hermes has closed the input, or a script has closed all its files.
            os._exit(1)

    def _on_interrupt(self, _number, _frame):
        if self._running is not None:
            raise KeyboardInterrupt

    def _run(self, message):
        number = message["script"]
        process = os.getpid()
        failed = True
        try:
            try:
                self._running = number
                self._execute(message)
                failed = False
            finally:
                self._running = None
        except SystemExit as leaving:
            failed = leaving.code not in (None, 0)
            if failed and not isinstance(leaving.code, int):
                print(leaving.code, file=sys.stderr)
        except BaseException as error:
            self._show(error)
        if os.getpid() != process:
            # This process is a fork that reached the end of the script.
            sys.stdout.flush()
            os._exit(1 if failed else 0)
        self._finish(number, message["mark"], failed)

    def _execute(self, message):
        name = "script-%d.py" % message["script"]
        self._sources[name] = message["code"]
        if len(self._sources) > MAX_SOURCES:
            del self._sources[next(iter(self._sources))]
        if "module" in message:
            self._replace_tools(message["module"])
        if message.get("names"):
            exec("from hermes_tools import *", self._main)
        tree = compile(message["code"], name, "exec", ONLY_AST | ALLOW_AWAIT, True)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
        self._evaluate(compile(tree, name, "exec", ALLOW_AWAIT, True))
        if last is not None:
            # Shows the value of a last expression, as interactive Python does.
            value = self._evaluate(compile(_ast.Expression(last.value), name, "eval", ALLOW_AWAIT, True))
            if value is not None:
                print(repr(value))

    def _evaluate(self, code):
        value = eval(code, self._main)
        if not code.co_flags & IS_COROUTINE:
            return value
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        task = self._loop.create_task(value)
        try:
            return self._loop.run_until_complete(task)
        finally:
            task.cancel()

    def _replace_tools(self, source):
        module = sys.modules.get("hermes_tools")
        if module is None:
            module = sys.modules["hermes_tools"] = type(sys)("hermes_tools")
        own = module.__dict__
        for name in [name for name in own if not name.startswith("__")]:
            del own[name]
        exec(compile(source, "hermes_tools.py", "exec", 0, True), own)

    def _show(self, error):
        import linecache
        import traceback

        for name, source in self._sources.items():
            linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_globals is globals():
            trace = trace.tb_next
        try:
            traceback.print_exception(type(error), error.with_traceback(trace), trace)
        except BaseException as other:
            print(type(error).__name__, "(its traceback cannot be shown: %s)" % type(other).__name__, file=sys.stderr)

    def _finish(self, number, mark, failed):
        for stream, descriptor in ((sys.stdout, 1), (sys.stderr, 2)):
            try:
                stream.flush()
            except BaseException:
                pass
            try:
                os.write(descriptor, (mark + "\n").encode("ascii"))
            except OSError:
                pass
        if self._connection is None:
            self._connection = hermes_rpc.Connection()
        names = [name for name, value in self._main.items() if name[0] != "_" and not _is_tool(value)]
        self._connection.send(hermes_rpc.encode({"done": number, "failed": failed, "names": names[:1000]}) + "\n")


def _is_tool(value):
    return getattr(value, "__module__", None) in ("hermes_tools", "hermes_helpers", "hermes_rpc") or type(value) is type(sys)
