"""Names of the plugin system that plugins import, usually for type annotations and tests."""
from hermes_host.context import PluginContext
from hermes_host.hooks import HOOKS, MIDDLEWARE
from hermes_host.identity import PluginManifest, Unsupported

VALID_HOOKS = {name for name in HOOKS if "-" not in name}
VALID_MIDDLEWARE = set(MIDDLEWARE)


class PluginToolOverrideError(PermissionError):
    """Raised when a plugin tries to replace a built-in tool without the operator's permission."""


class LoadedPlugin:
    def __init__(self, manifest, module=None, enabled=True, error=None):
        self.manifest = manifest
        self.module = module
        self.enabled = enabled
        self.error = error


def get_plugin_manager():
    return Unsupported("get_plugin_manager()")


def invoke_hook(hook_name, **kwargs):
    """A plugin cannot fire hooks; only Hermes does."""
    return []


def has_hook(hook_name):
    return False
