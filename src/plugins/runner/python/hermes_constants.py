"""The parts of Python Hermes' module of this name that plugins use."""
import os
from pathlib import Path


def get_hermes_home():
    """The Hermes home. The plugin sees only the files that its permissions name."""
    value = os.environ.get("HERMES_HOME", "").strip()
    return Path(value) if value else Path.home() / ".hermes"


get_process_hermes_home = get_hermes_home


def get_default_hermes_root(*, home=None):
    path = Path(home) if home is not None else get_hermes_home()
    return path.parent.parent if path.parent.name == "profiles" else path


def get_hermes_dir(new_subpath, old_name, *, home=None):
    """A folder in the Hermes home. A folder with the older name wins if it is not empty."""
    base = Path(home) if home is not None else get_hermes_home()
    old = base / old_name
    try:
        has_content = any(old.iterdir()) if old.is_dir() else old.exists()
    except OSError:
        has_content = False
    return old if has_content else base / new_subpath


def display_hermes_home():
    path = str(get_hermes_home())
    user = str(Path.home())
    return "~" + path[len(user) :] if path.startswith(user + "/") else path


def get_config_path():
    return get_hermes_home() / "config.yaml"


def get_skills_dir():
    return get_hermes_home() / "skills"


def get_env_path():
    return get_hermes_home() / ".env"
