"""Registers objects of a plugin: providers, engines, sources."""
from .plugin import plugin


def replace(entries, field, value):
    """Removes an earlier registration of the same name: the later one wins."""
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


def overridden(value, base):
    """Public methods that the plugin's class defines itself."""
    names = []
    for name in dir(type(value)):
        own = getattr(type(value), name, None)
        if not name.startswith("_") and callable(own) and own is not getattr(base, name, None):
            names.append(name)
    return names


def unsupported_object(member, value, module, base):
    kind = getattr(__import__(f"agent.{module}", None, None, [base]), base)
    if not isinstance(value, kind):
        plugin.warn(f"{member}: {type(value).__name__} does not inherit from {base} and is ignored")
        return None
    plugin.unsupported(member)
    return None
