"""`ctx.llm`: completions with the user's model, credentials, grants and budget. The plugin never sees a key."""
from .plugin import plugin


class PluginLlmTrustError(PermissionError):
    """Raised when a completion needs something that the operator has not allowed."""


class Usage:
    def __init__(self, usage):
        self.input_tokens = int(usage.get("input") or 0)
        self.output_tokens = int(usage.get("output") or 0)
        self.total_tokens = self.input_tokens + self.output_tokens
        self.cache_read_tokens = 0
        self.cache_write_tokens = 0
        self.cost_usd = usage.get("costUsd")


class Completion:
    def __init__(self, answer, purpose, schema_name=None):
        self.text = answer.get("text") or ""
        self.provider = answer.get("provider") or ""
        self.model = answer.get("model") or ""
        self.agent_id = "default"
        self.usage = Usage(answer.get("usage") or {})
        self.audit = {"plugin_id": plugin.params.get("key") or plugin.name, "purpose": purpose or "", "profile": ""}
        self.parsed = None
        self.content_type = "text"
        if schema_name is not None:
            self.audit["schema_name"] = schema_name


def text_of_content(content):
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else [content]
    texts = []
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else getattr(part, "type", "text")
        text = part.get("text") if isinstance(part, dict) else getattr(part, "text", part)
        if kind not in ("text", None):
            raise ValueError(f"ctx.llm: this host takes text, not {kind!r}")
        texts.append(str(text or ""))
    return "\n".join(texts)


class PluginLlm:
    def complete(self, messages, *, provider=None, model=None, temperature=None, max_tokens=None, timeout=None,
                 agent_id=None, profile=None, purpose=None, task=None):
        params = request_of(messages, provider, model, temperature, max_tokens, agent_id, profile, purpose, task)
        return Completion(plugin.request("host.complete", params), purpose)

    def complete_structured(self, *, instructions, input, json_schema=None, json_mode=False, schema_name=None,
                            system_prompt=None, provider=None, model=None, temperature=None, max_tokens=None, timeout=None,
                            agent_id=None, profile=None, purpose=None, task=None):
        if not instructions or not instructions.strip():
            raise ValueError("complete_structured requires non-empty instructions")
        if not input:
            raise ValueError("complete_structured requires at least one input block")
        system = system_prompt.strip() if system_prompt else ""
        header = instructions.strip() + (f"\n\nSchema name: {schema_name}" if schema_name else "")
        messages = [{"role": "system", "content": system}] if system else []
        messages.append({"role": "user", "content": f"{header}\n\n{text_of_content(input)}"})
        params = request_of(messages, provider, model, temperature, max_tokens, agent_id, profile, purpose, task)
        if json_schema is not None or json_mode:
            params["schema"] = json_schema if json_schema is not None else {"type": "object"}
        answer = plugin.request("host.complete", params)
        result = Completion(answer, purpose, schema_name or "")
        if "schema" in params and "data" in answer:
            result.parsed = answer["data"]
            result.content_type = "json"
        return result

    async def acomplete(self, messages, **options):
        return await in_thread(self.complete, messages, **options)

    async def acomplete_structured(self, **options):
        return await in_thread(self.complete_structured, **options)


async def in_thread(function, *args, **options):
    from asyncio import get_running_loop
    from contextvars import copy_context

    return await get_running_loop().run_in_executor(None, lambda: copy_context().run(function, *args, **options))


def request_of(messages, provider, model, temperature, max_tokens, agent_id, profile, purpose, task):
    for name, value in (("agent_id", agent_id), ("profile", profile)):
        if value:
            raise PluginLlmTrustError(f"Plugin {plugin.name!r} cannot choose {name} for a completion: not supported by this host")
    params = {
        "messages": [{"role": str(one["role"]), "content": text_of_content(one.get("content") or "")} for one in messages],
        "provider": provider,
        "model": model,
        "temperature": temperature,
        "maxTokens": max_tokens,
        "purpose": purpose,
        "task": task,
    }
    return {name: value for name, value in params.items() if value is not None}
