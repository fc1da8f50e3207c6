"""Settings for plugins. Plugins can read them, without secrets; only the user can write them."""
import os

from hermes_constants import get_config_path, get_env_path, get_hermes_home
from hermes_host.plugin import plugin

DEFAULT_CONFIG = {}


def load_config():
    """The settings without secrets; empty if Hermes does not answer."""
    try:
        return plugin.request("host.config", {}) or {}
    except RuntimeError as error:
        plugin.log("warn", f"load_config: {error}")
        return {}


load_config_readonly = read_raw_config = load_config


def cfg_get(config, *keys, default=None):
    """Reads a value in nested sections: `cfg_get(config, "plugins", "entries", default={})`."""
    value = config
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return default
        value = value[key]
    return value


def get_env_value(name, default=None):
    return os.environ.get(name, default)


def load_env():
    """The environment variables of the plugin, all of which are in its environment."""
    return dict(os.environ)


def ensure_hermes_home():
    return get_hermes_home()


def is_managed():
    return False


def save_config(*_, **__):
    plugin.unsupported("hermes_cli.config.save_config", "plugins cannot change settings; run: hermes config set …")


def save_env_value(*_, **__):
    plugin.unsupported("hermes_cli.config.save_env_value", "plugins cannot store keys; run: hermes config set …")


set_config_value = save_config
