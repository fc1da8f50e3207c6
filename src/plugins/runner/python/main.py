"""The process of a Python plugin: `python3 -I -S -X utf8 main.py [CACHE]`.

Python compiles this file at every start, so it only prepares imports. Compiled code is kept in the folder CACHE, because
the folders of Hermes and of the plugin may be read-only.
"""
import sys
from _frozen_importlib_external import SourceFileLoader, spec_from_file_location
from posix import stat

HERE = __file__.rpartition("/")[0] or "."
CACHE = sys.argv[1] if len(sys.argv) > 1 else None
sys.argv[:] = ["hermes"]


class CachedLoader(SourceFileLoader):
    def get_code(self, fullname):
        previous = sys.pycache_prefix
        sys.pycache_prefix = CACHE or previous
        try:
            return super().get_code(fullname)
        finally:
            sys.pycache_prefix = previous


def find_source(name, folders):
    """The import spec of module `name` in the first folder that contains it, or None."""
    last = name.rpartition(".")[2]
    for folder in folders:
        for path, package in ((f"{folder}/{last}/__init__.py", f"{folder}/{last}"), (f"{folder}/{last}.py", None)):
            try:
                stat(path)
            except (OSError, ValueError):
                continue
            locations = None if package is None else [package]
            return spec_from_file_location(
                name, path, loader=CachedLoader(name, path), submodule_search_locations=locations
            )
    return None


class OwnModules:
    """Finds modules of Hermes, which plugins import by the names of Python Hermes, and modules of the plugin."""

    tops = {"hermes_host", "hermes_constants", "hermes_cli", "tools", "agent", "providers", "gateway", "hermes_plugins"}

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in cls.tops:
            return None
        return find_source(name, [HERE] if path is None else path)


sys.meta_path.insert(0, OwnModules)
sys.modules["hermes_main"] = sys.modules["__main__"]

from hermes_host.serve import serve

if __name__ == "__main__":
    serve()
