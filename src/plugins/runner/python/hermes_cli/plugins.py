"""Names of the plugin system that plugins import, mostly for type annotations and tests."""
from hermes_host.context import PluginContext
from hermes_host.hooks import HOOKS, MIDDLEWARE
from hermes_host.identity import PluginManifest, Unsupported

VALID_HOOKS = {name for name in HOOKS if "-" not in name}
VALID_MIDDLEWARE = set(MIDDLEWARE)


class PluginToolOverrideError(PermissionError):
    """A plugin wants to replace a built-in tool without permission of the operator."""


class LoadedPlugin:
    def __init__(self, manifest, module=None, enabled=True, error=None):
        self.manifest = manifest
        self.module = module
        self.enabled = enabled
        self.error = error


def get_plugin_manager():
    return Unsupported("get_plugin_manager()")


def invoke_hook(hook_name, **kwargs):
    """Only Hermes fires hooks."""
    return []


def has_hook(hook_name):
    return False
