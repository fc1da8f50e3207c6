"""The interface of external memory. The setting `memory.provider` selects one."""
from abc import ABC, abstractmethod

INDICATOR_GLYPH = "🧠"
PRE_COMPRESS_CHECKPOINT_API_VERSION = 2


class RecallStatus:
    """The text that the last `prefetch` added to the turn."""

    def __init__(self, provider_label, count, glyph=INDICATOR_GLYPH):
        self.provider_label = provider_label
        self.count = count
        self.glyph = glyph


def is_trivial_prompt(text):
    """True for an empty prompt and for a slash command: memory is not searched for them."""
    return not text or not text.strip() or text.strip().startswith("/")


class MemoryProvider(ABC):
    pre_compress_checkpoint_api_version = 1

    @property
    @abstractmethod
    def name(self): ...

    @abstractmethod
    def is_available(self): ...

    @abstractmethod
    def initialize(self, session_id, **kwargs): ...

    @abstractmethod
    def get_tool_schemas(self): ...

    def initialize_for_inspection(self, session_id, **kwargs):
        self.initialize(session_id=session_id, **kwargs)

    def unavailable_reason(self):
        return ""

    def system_prompt_block(self):
        return ""

    def prefetch(self, query, *, session_id=""):
        return ""

    def queue_prefetch(self, query, *, session_id=""):
        pass

    def recall_status(self):
        return None

    def sync_turn(self, user_content, assistant_content, *, session_id="", messages=None):
        pass

    def handle_tool_call(self, tool_name, args, **kwargs):
        raise NotImplementedError(f"Provider {self.name} does not handle tool {tool_name}")

    def on_turn_start(self, turn_number, message, **kwargs):
        pass

    def on_session_end(self, messages):
        pass

    def on_session_switch(self, new_session_id, *, parent_session_id="", reset=False, rewound=False, **kwargs):
        pass

    def on_pre_compress(self, messages):
        return ""

    def on_delegation(self, task, result, *, child_session_id="", **kwargs):
        pass

    def on_memory_write(self, action, target, content, metadata=None):
        pass

    def get_config_schema(self):
        return []

    def save_config(self, values, hermes_home):
        pass

    def backup_paths(self):
        return []

    def shutdown(self):
        pass
