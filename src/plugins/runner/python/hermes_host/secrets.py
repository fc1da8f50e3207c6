"""The secret sources of the plugin. Sources for Python Hermes fetch everything that their settings name."""
from .calls import adapt, signature_of
from .plugin import plugin


class SecretBridge:
    def __init__(self, source):
        self.name = source.name
        self._source = source

    def fetch(self, names):
        """The values that the source has for these variables."""
        from pathlib import Path

        signature = signature_of(self._source.fetch)
        if signature is not None and len(signature.positional) == 1:
            result = self._source.fetch(names)
        else:
            settings = {"enabled": True, **(plugin.params.get("options") or {})}
            result = adapt(self._source.fetch, 2)([settings, Path(plugin.params.get("home") or "/")], {"names": names})
        error = getattr(result, "error", None)
        if error:
            raise RuntimeError(str(error))
        values = result if isinstance(result, dict) else getattr(result, "secrets", None) or {}
        return {name: str(values[name]) for name in names if name in values}
