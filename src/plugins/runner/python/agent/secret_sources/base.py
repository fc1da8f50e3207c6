"""The interface of secret sources."""
from abc import ABC, abstractmethod


class FetchResult:
    def __init__(self, secrets=None, warnings=None, error=None, error_kind=None):
        self.secrets = secrets or {}
        self.warnings = warnings or []
        self.error = error
        self.error_kind = error_kind

    @property
    def ok(self):
        return self.error is None


class SecretSource(ABC):
    api_version = 1
    name = ""
    label = ""
    shape = "mapped"
    scheme = None

    @abstractmethod
    def fetch(self, cfg, home_path): ...

    def is_enabled(self, cfg):
        return bool(isinstance(cfg, dict) and cfg.get("enabled"))

    def override_existing(self, cfg):
        return bool(isinstance(cfg, dict) and cfg.get("override_existing", False))

    def protected_env_vars(self, cfg):
        return frozenset()
