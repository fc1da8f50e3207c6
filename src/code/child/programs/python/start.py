"""Starts a script: python -S start.py script|names SCRIPT, or python -S start.py kernel.

-S skips the module `site`, which takes longer than the rest of the start. It runs when a module is imported that the
standard library does not have, so packages of a virtual environment are found as usual.
"""
import sys

# The standard library works without these modules.
_NOWHERE = {"_winapi", "msvcrt", "nt", "org", "winreg", "_wmi", "_scproxy", "vms_lib", "java"}


class _Site:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None or name in _NOWHERE or name.partition(".")[0] in _NOWHERE:
            return None
        load_site()
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None


def load_site():
    if _Site in sys.meta_path:
        sys.meta_path.remove(_Site)
        import site

        site.main()


def _leave(code=None):
    raise SystemExit(code)


def _help(*subject):
    load_site()
    import builtins

    return builtins.help(*subject)


def _prepare():
    import builtins
    import os

    sys.meta_path.append(_Site)
    builtins.exit = builtins.quit = _leave
    builtins.help = _help
    # Added last, so that no file of the workspace replaces a module of Python.
    sys.path.append(os.getcwd())
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def new_main(path):
    """The module `__main__` of a script, without the names of this program."""
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __annotations__={})
    sys.argv = [path]
    return main.__dict__


def execute(code, main):
    # 0x80 marks a code object with `await` outside of functions.
    if not code.co_flags & 0x80:
        return eval(code, main)
    import asyncio

    return asyncio.run(eval(code, main))


def show(error):
    """Prints the traceback without the frames of this program."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)


def run(how, path):
    with open(path, "rb") as file:
        source = file.read()
    main = new_main(path)
    try:
        if how == "names":
            exec("from hermes_tools import *", main)
        # 0x2000 allows `await` outside of functions.
        execute(compile(source, "script.py", "exec", 0x2000, True), main)
    except SystemExit:
        raise
    except BaseException as error:
        show(error)
        raise SystemExit(130 if isinstance(error, KeyboardInterrupt) else 1)


_prepare()
if sys.argv[1] == "kernel":
    from hermes_kernel import Kernel

    Kernel(new_main("kernel.py")).serve()
else:
    run(sys.argv[1], sys.argv[2])
