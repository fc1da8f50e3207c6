"""Registers objects of a plugin: providers, engines, sources."""
from .plugin import plugin


def replace(entries, field, value):
    """Removes an earlier registration with the same name: the later one wins."""
    entries[:] = [one for one in entries if one[field] != value]


def register_object(list_name, label, value, base):
    if base is not None and not isinstance(value, base):
        plugin.warn(f"The {label} of {plugin.name} does not inherit from {base.__name__} and is ignored")
        return None
    name = str(value.name)
    key = f"{list_name}:{name}"
    entry = {"id": key, "name": name}
    if list_name != "secretSources":
        entry["methods"] = overridden(value, base)
    replace(plugin.registration[list_name], "name", name)
    return plugin.add(list_name, entry, key, value)


class Functions:
    """The functions of one part of the full-screen interface, as methods."""

    def __init__(self, functions):
        self.__dict__.update(functions)


def register_ui(kind, name, functions, data):
    for label, function in functions.items():
        if not callable(function) and not (function is None and label == "choose"):
            raise TypeError(f"{kind} {name!r}: {label} must be a function, not {type(function).__name__}")
    key = f"ui:{kind}:{name}"
    defaults = {"title": str(name), "text": "", "chord": "", "everySeconds": 10, "priority": 100, "fields": []}
    replace(plugin.registration["ui"], "id", key)
    return plugin.add("ui", {**defaults, **data, "id": key, "kind": kind, "name": str(name)}, key, Functions(functions))


def overridden(value, base):
    """Public methods that the plugin's class defines itself."""
    names = []
    for name in dir(type(value)):
        own = getattr(type(value), name, None)
        if not name.startswith("_") and callable(own) and own is not getattr(base, name, None):
            names.append(name)
    return names
