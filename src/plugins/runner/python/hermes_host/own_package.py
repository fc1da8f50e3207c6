"""A plugin may have a package or module `tools`, `providers`, … of its own and import it by that name, although the
original has one too: what the original's does not have comes from the plugin's."""
import os
import sys

from .plugin import plugin


def own_paths(name):
    folder = f"{_folder()}/{name.replace('.', '/')}"
    return [folder] if os.path.isdir(folder) else []


def own_attribute(package, name):
    here = os.path.dirname(sys.modules[package].__file__)
    is_submodule = any(os.path.exists(f"{here}/{name}{ending}") for ending in (".py", "/__init__.py"))
    own = None if name.startswith("__") or is_submodule else _own_module(package)
    if own is None or not hasattr(own, name):
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(own, name)


def _own_module(package):
    folder = f"{_folder()}/{package.replace('.', '/')}"
    parent = plugin.package
    if parent is None or not (os.path.exists(folder + ".py") or os.path.exists(folder + "/__init__.py")):
        return None
    return __import__(f"{parent}.{package}", None, None, ["*"])


def _folder():
    return (plugin.params.get("entry") or "").rpartition("/")[0] or plugin.folder
