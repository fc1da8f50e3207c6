"""The provider profiles of the plugin."""
from .objects import overridden, replace
from .plugin import plugin

_OWN_FIELDS = {
    "name": "name",
    "aliases": "aliases",
    "display_name": "displayName",
    "description": "description",
    "signup_url": "signupUrl",
    "api_mode": "apiMode",
    "env_vars": "envVars",
    "base_url": "baseUrl",
    "models_url": "modelsUrl",
    "auth_type": "authType",
    "default_headers": "defaultHeaders",
}


def register_profile(profile):
    from providers.base import ProviderProfile

    if not isinstance(profile, ProviderProfile):
        plugin.warn(f"register_provider: {type(profile).__name__} does not inherit from ProviderProfile and is ignored")
        return None
    key = f"providers:{profile.name}"
    entry = {"id": key, "streams": False, "hooks": overridden(profile, ProviderProfile)}
    for field, name in _OWN_FIELDS.items():
        value = getattr(profile, field)
        if field in ("aliases", "env_vars"):
            value = [value] if isinstance(value, str) else [str(one) for one in value]
        elif field == "default_headers":
            value = {str(header): str(one) for header, one in value.items()}
        else:
            value = str(value or "")
        entry[name] = value
    entry["fields"] = {
        field: getattr(profile, field) for field in type(profile).__dataclass_fields__ if field not in _OWN_FIELDS
    }
    replace(plugin.registration["providers"], "name", profile.name)
    return plugin.add("providers", entry, key, profile)


def list_profiles():
    return [value for (kind, _), value in plugin.functions.items() if kind == "providers"]


def find_profile(name):
    return next((one for one in list_profiles() if name == one.name or name in one.aliases), None)
