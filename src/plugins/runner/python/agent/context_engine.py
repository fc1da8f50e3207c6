"""The interface of context engines. The setting `context.engine` selects one."""
import json
from abc import ABC, abstractmethod


class ContextEngine(ABC):
    last_prompt_tokens = 0
    last_completion_tokens = 0
    last_total_tokens = 0
    threshold_tokens = 0
    context_length = 0
    compression_count = 0
    threshold_percent = 0.75
    protect_first_n = 3
    protect_last_n = 6
    emit_automatic_compaction_status = True

    @property
    @abstractmethod
    def name(self): ...

    @abstractmethod
    def update_from_response(self, usage): ...

    @abstractmethod
    def should_compress(self, prompt_tokens=None): ...

    @abstractmethod
    def compress(self, messages, current_tokens=None, focus_topic=None, force=False, memory_context=""): ...

    def should_compress_info(self, prompt_tokens=None):
        return self.should_compress(prompt_tokens), None

    def should_compress_preflight(self, messages):
        return False

    def has_content_to_compress(self, messages):
        return True

    def select_context(self, request_messages, *, conversation_messages=None, incoming_message=None, budget_tokens=0):
        return None

    def on_turn_complete(self, messages, usage=None, **kwargs):
        pass

    def on_session_start(self, session_id, **kwargs):
        pass

    def on_session_end(self, session_id, messages):
        pass

    def on_session_reset(self):
        self.last_prompt_tokens = self.last_completion_tokens = self.last_total_tokens = self.compression_count = 0

    def get_tool_schemas(self):
        return []

    def handle_tool_call(self, name, args, **kwargs):
        return json.dumps({"error": f"Unknown context engine tool: {name}"})

    def get_status(self):
        used = max(self.last_prompt_tokens, 0)
        return {
            "last_prompt_tokens": used,
            "threshold_tokens": self.threshold_tokens,
            "context_length": self.context_length,
            "usage_percent": min(100, used / self.context_length * 100) if self.context_length else 0,
            "compression_count": self.compression_count,
        }

    def update_model(self, model, context_length, base_url="", api_key="", provider="", api_mode=""):
        self.context_length = context_length
        self.threshold_tokens = int(context_length * self.threshold_percent)
