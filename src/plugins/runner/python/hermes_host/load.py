"""Imports the code of a plugin and runs its registration, once."""
import builtins
import os
import sys

from _frozen_importlib import module_from_spec
from _frozen_importlib_external import PathFinder, spec_from_file_location
from hermes_main import CachedLoader, find_source

from .calls import adapt, is_coroutine
from .context import PluginContext
from .identity import PluginManifest
from .light_logging import install as install_logging
from .plugin import LISTS, plugin


def load(params):
    plugin.open(params)
    os.environ["HERMES_HOME"] = params.get("home") or ""
    if params.get("proxySocket"):
        from .network import open_network

        open_network(params["proxySocket"])
    sys.meta_path.append(LateModules(params))
    builtins.yaml = LazyYaml()
    install_logging(plugin.log, 10 if params.get("isDebugging") else 20)
    plugin.context = PluginContext(manifest_of(params))
    if params.get("permissions"):
        from .watch import watch

        watch(params["permissions"], params)
    try:
        target = import_entry(params)
    except BaseException as error:
        trace(error)
        raise LoadError(plugin.faults.text("it cannot be imported", error)) from error
    register(target)
    return {name: plugin.registration[name] for name in LISTS}


class LoadError(Exception):
    """Raised when a plugin cannot be loaded. The message is complete."""


def manifest_of(params):
    return PluginManifest(
        name=plugin.name,
        version=params.get("version") or "",
        description=params.get("description") or "",
        key=params.get("key") or plugin.name,
        path=plugin.folder,
    )


def import_entry(params):
    """Returns the module or function that registers the plugin."""
    entry = params.get("entry") or ""
    if "/" in entry:
        return import_file(entry)
    name, _, attribute = entry.partition(":")
    top = name.partition(".")[0]
    if plugin.folder:
        folder, _, base = plugin.folder.rpartition("/")
        sys.path.insert(0, folder if base == top else plugin.folder)
    target = __import__(name, None, None, ["*"] if "." in name else [])
    for part in attribute.split(".") if attribute else ():
        target = getattr(target, part)
    return target


def import_file(file):
    """Imports `__init__.py` as a package, and another file as a module of a package, so that relative imports work."""
    package = "hermes_plugins." + ("".join(one if one.isalnum() else "_" for one in plugin.name) or "plugin")
    folder, _, base = file.rpartition("/")
    plugin.package = package
    parent = new_package("hermes_plugins", [])
    if base == "__init__.py":
        spec = spec_from_file_location(
            package, file, loader=CachedLoader(package, file), submodule_search_locations=[folder]
        )
        module = module_from_spec(spec)
        sys.modules[package] = module
        setattr(parent, package.rpartition(".")[2], module)
        spec.loader.exec_module(module)
    else:
        setattr(parent, package.rpartition(".")[2], new_package(package, [folder]))
        module = __import__(f"{package}.{base[:-3]}", None, None, ["*"])
    plugin.module = module
    return module


def new_package(name, path):
    module = type(sys)(name)
    module.__path__ = path
    module.__package__ = name
    sys.modules[name] = module
    return module


def register(target):
    """Calls `register(ctx)` once. A module that registers itself during its import does not need this function."""
    function = target if not isinstance(target, type(sys)) and callable(target) else getattr(target, "register", None)
    if callable(function):
        try:
            result = function(plugin.context)
            if is_coroutine(result):
                plugin.workers.wait_for(result)
        except BaseException as error:
            trace(error)
            raise LoadError(plugin.faults.text("register(ctx) failed", error, function)) from error
    elif function is not None:
        raise LoadError(f"Plugin {plugin.name}: `register` is not a function but {type(function).__name__}{where(target)}")
    else:
        register_memory_classes(target)
        handler = getattr(target, "handle", None)
        if callable(handler):
            # The module of a hook folder: Hermes calls it by this id with the events that HOOK.yaml names.
            entry = {"id": "handle", "hook": "handle", "original": "handle", "isPolicy": False, "mayAnswer": False}
            plugin.add("hooks", entry, "handle", (adapt(handler, 2), handler))
        elif not any(plugin.registration[name] for name in LISTS):
            raise LoadError(f"Plugin {plugin.name}: there is no function register(ctx){where(target)}")


def where(target):
    file = getattr(target, "__file__", None) or plugin.params.get("entry") or ""
    return f" ({file[len(plugin.folder) + 1:] if file.startswith(plugin.folder + '/') else file}, line 1)"


def register_memory_classes(module):
    """Registers a module that only defines a MemoryProvider, as Python Hermes does."""
    base = getattr(sys.modules.get("agent.memory_provider"), "MemoryProvider", None)
    for value in list(vars(module).values()) if base is not None else ():
        if isinstance(value, type) and issubclass(value, base) and value is not base and value.__module__ == module.__name__:
            plugin.context.register_memory_provider(value())


def trace(error):
    """Writes the whole traceback to the log."""
    import traceback

    traceback.print_exception(type(error), error, error.__traceback__)
    sys.stderr.flush()


class LateModules:
    """Finds modules that are not on Python's own path: installed packages, and files next to the plugin's entry.

    Reading the folders of installed packages takes time at every start, so it waits for the first import that needs one.
    """

    def __init__(self, params):
        entry = params.get("entry") or ""
        self._folders = [entry.rpartition("/")[0]] if "/" in entry else [plugin.folder]
        self._is_package = entry.endswith("/__init__.py")
        self._is_site_open = False

    def find_spec(self, name, path=None, target=None):
        if path is not None:
            return None
        searches = (self._installed, self._beside) if self._is_package else (self._beside, self._installed)
        for search in searches:
            spec = search(name)
            if spec is not None:
                return spec
        if name == "yaml":
            spec = find_source("hermes_host.small_yaml", [os.path.dirname(__file__)])
            return spec_from_file_location("yaml", spec.origin, loader=CachedLoader("yaml", spec.origin))
        return None

    def _installed(self, name):
        if not self._is_site_open:
            self._is_site_open = True
            import site

            site.main()
        return PathFinder.find_spec(name)

    def _beside(self, name):
        return find_source(name, self._folders)


class LazyYaml:
    """Makes `yaml` available without an import, because the guide of Python Hermes uses it that way."""

    def __getattr__(self, name):
        import yaml

        builtins.yaml = yaml
        return getattr(yaml, name)
