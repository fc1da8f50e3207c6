"""The declarative profile of a model provider. Subclasses override its hooks."""
from dataclasses import dataclass, field
from typing import Any, Optional

# A value of `fixed_temperature` that means: send no temperature.
OMIT_TEMPERATURE = "omit"


@dataclass
class ProviderProfile:
    name: str
    api_mode: str = "chat_completions"
    aliases: tuple = ()
    display_name: str = ""
    description: str = ""
    signup_url: str = ""
    env_vars: tuple = ()
    base_url: str = ""
    models_url: str = ""
    auth_type: str = "api_key"
    supports_health_check: bool = True
    supports_vision: bool = False
    supports_vision_tool_messages: bool = True
    supports_vision_user_messages: bool = False
    supports_prompt_cache_key: bool = False
    fallback_models: tuple = ()
    hostname: str = ""
    default_headers: dict = field(default_factory=dict)
    fixed_temperature: Any = None
    default_max_tokens: Optional[int] = None
    default_aux_model: str = ""

    def get_hostname(self):
        if self.hostname or not self.base_url:
            return self.hostname
        from urllib.parse import urlparse

        return urlparse(self.base_url).hostname or ""

    def prepare_messages(self, messages):
        return messages

    def build_extra_body(self, *, session_id=None, **context):
        return {}

    def build_api_kwargs_extras(self, *, reasoning_config=None, **context):
        """Returns two dicts: fields for the extra body, and fields at the top level of the request."""
        return {}, {}

    def get_max_tokens(self, model):
        return self.default_max_tokens

    def supported_reasoning_efforts(self, model):
        """Returns None if unknown, or an empty list if there are none."""
        return None

    def default_vision_model(self):
        return None

    def select_aux_model(self, *_, **__):
        return self.default_aux_model or None

    def fetch_models(self, *, api_key=None, base_url=None, timeout=8.0):
        """Ids of the models that the provider lists, or None."""
        base = base_url or self.base_url
        url = self.models_url.strip() or (base.rstrip("/") + "/models" if base else "")
        if not url:
            return None
        import json
        from urllib.request import Request, urlopen

        headers = {"Accept": "application/json", "User-Agent": "hermes-agent", **self.default_headers}
        if api_key:
            headers["Authorization"] = f"Bearer {api_key}"
        try:
            with urlopen(Request(url, headers=headers), timeout=timeout) as response:
                data = json.loads(response.read().decode())
            items = data if isinstance(data, list) else data.get("data", [])
            return [one["id"] for one in items if isinstance(one, dict) and "id" in one]
        except (OSError, ValueError, AttributeError):
            return None
