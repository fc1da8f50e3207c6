"""The manifest as `ctx.manifest`, and placeholders for members that this host does not have."""
from .plugin import plugin


class PluginManifest:
    """The identity of the plugin, with the field names of Python Hermes. Other fields are read from its plugin.yaml on demand."""

    _DEFAULTS = {"author": "", "kind": "standalone", "source": "user", "requires_env": (), "provides_tools": (), "provides_hooks": ()}

    def __init__(self, **fields):
        self.name = self.version = self.description = self.key = ""
        self.path = None
        self.__dict__.update(fields)

    def __getattr__(self, name):
        if name not in self._DEFAULTS:
            raise AttributeError(name)
        written = self._read() if self.path else {}
        for field, default in self._DEFAULTS.items():
            value = written.get(field, default)
            self.__dict__[field] = list(value) if isinstance(default, tuple) else value
        return self.__dict__[name]

    def _read(self):
        import yaml

        for file in ("plugin.yaml", "plugin.yml"):
            try:
                with open(f"{self.path}/{file}", encoding="utf-8") as stream:
                    return yaml.safe_load(stream) or {}
            except (OSError, yaml.YAMLError):
                continue
        return {}

    def __repr__(self):
        return f"PluginManifest(name={self.name!r}, version={self.version!r})"


class Unsupported:
    """A placeholder for a missing member: it is callable and falsy, and each of its attributes is a placeholder too."""

    def __init__(self, member):
        self._member = member

    def __call__(self, *_, **__):
        plugin.unsupported(self._member)
        return None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unsupported(f"{self._member}.{name}")

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())
