"""`ctx`: the object that `register(ctx)` of a plugin receives, with the members, parameters and limits of Python Hermes."""
from .calls import adapt, is_coroutine, returns_something, text_of
from .hooks import HOOKS, MIDDLEWARE, UNSUPPORTED_HOOKS, nearest
from .identity import PluginManifest, Unsupported
from .media import register_backends
from .objects import register_object, register_ui, replace
from .plugin import Handle, plugin
from .work import current_call

MAX_SECTIONS = 32
MAX_SECTION_CHARS = 4000
AUXILIARY_DEFAULTS = {"provider": "auto", "model": "", "base_url": "", "api_key": "", "timeout": 60, "extra_body": {}}


class PluginContext:
    def __init__(self, manifest=None, manager=None):
        self.manifest = manifest if manifest is not None else PluginManifest()
        self._llm = None
        self._lifecycle = None

    # Identity

    @property
    def plugin_id(self):
        return plugin.params.get("key") or plugin.name

    @property
    def profile_name(self):
        return plugin.params.get("profile") or "default"

    @property
    def data_dir(self):
        """The folder for the plugin's own data, which it may write."""
        from pathlib import Path

        return Path(plugin.params.get("dataDir") or ".")

    def get_config(self, key, default=None):
        """A value of `plugins.entries.<id>.options`; `a.b` reaches into a section."""
        value = plugin.params.get("options") or {}
        for part in str(key).split("."):
            if not isinstance(value, dict) or part not in value:
                return default
            value = value[part]
        return value

    def has_capability(self, capability):
        return False

    # Tools, hooks, middleware, commands

    def register_tool(self, name, toolset=None, schema=None, handler=None, check_fn=None, requires_env=None, is_async=False,
                      description="", emoji="", override=False, scripts=False, **ignored):
        if not isinstance(name, str) or not name or len(name) > 64 or not name.replace("_", "").replace("-", "").isalnum() \
                or not name.isascii():
            raise ValueError(f"register_tool: the name {name!r} must be 1 to 64 letters, digits, _ or -")
        if not callable(handler):
            raise TypeError(f"register_tool({name!r}): handler must be a function, not {type(handler).__name__}")
        if check_fn is not None and not callable(check_fn):
            raise TypeError(f"register_tool({name!r}): check_fn must be a function")
        body = schema if schema is not None else {}
        if isinstance(body, dict) and isinstance(body.get("function"), dict):
            body = body["function"]
        if not isinstance(body, dict):
            raise TypeError(f"register_tool({name!r}): schema must be a dict, not {type(body).__name__}")
        parameters = body.get("parameters")
        if parameters is None:
            parameters = body.get("input_schema") or body.get("inputSchema")
        if parameters is None and "properties" in body:
            parameters = {key: value for key, value in body.items() if key not in ("name", "description")}
        if parameters is None:
            parameters = {"type": "object", "properties": {}}
        if not isinstance(parameters, dict):
            raise TypeError(f"register_tool({name!r}): schema['parameters'] must be a dict, not {type(parameters).__name__}")
        toolset = str(toolset or plugin.name)
        existing = next((one for one in plugin.registration["tools"] if one["name"] == name), None)
        if existing is not None:
            if existing["toolset"] != toolset and not override:
                plugin.warn(f"register_tool: {name} is already in the toolset {existing['toolset']}; the first one is kept")
                return None
            plugin.registration["tools"].remove(existing)
        entry = {
            "name": name,
            "toolset": toolset,
            "description": str(description or body.get("description") or ""),
            "inputSchema": {"type": "object", **parameters},
            "emoji": str(emoji or ""),
            "requiresEnv": [one for one in requires_env or [] if isinstance(one, str)],
            "overrides": bool(override),
            "declaresEffects": False,
        }
        if scripts is True:
            entry["isForScripts"] = True
        if check_fn is not None:
            entry["isAvailable"] = check_tool(check_fn)
        return plugin.add("tools", entry, name, (adapt(handler), handler, check_fn))

    def register_hook(self, hook_name, callback, policy=None, timeout_ms=None):
        if not callable(callback):
            raise TypeError(f"register_hook({hook_name!r}): the callback must be a function, not {type(callback).__name__}")
        if hook_name in UNSUPPORTED_HOOKS:
            plugin.unsupported(f"hook {hook_name}")
            return Handle(None)
        hook = HOOKS.get(hook_name)
        if hook is None:
            plugin.warn(f"register_hook: there is no hook {hook_name!r}.{nearest(hook_name, HOOKS)}")
            return Handle(None)
        ours, can_answer = hook
        may_answer = can_answer and (bool(policy) or returns_something(callback))
        is_policy = may_answer and ours == "beforeToolCall" if policy is None else bool(policy) and can_answer
        key = f"{hook_name}#{len(plugin.registration['hooks']) + 1}"
        entry = {"id": key, "hook": ours, "original": hook_name, "isPolicy": is_policy, "mayAnswer": may_answer}
        if timeout_ms is not None:
            entry["timeoutMs"] = int(timeout_ms)
        return plugin.add("hooks", entry, key, (adapt(callback, 0), callback))

    def register_middleware(self, kind, callback):
        if not callable(callback):
            raise TypeError(f"register_middleware({kind!r}): the callback must be a function")
        if kind not in MIDDLEWARE:
            plugin.warn(f"register_middleware: there is no kind {kind!r}.{nearest(kind, MIDDLEWARE)}")
            return Handle(None)
        key = f"{kind}#{len(plugin.registration['middleware']) + 1}"
        return plugin.add("middleware", {"id": key, "kind": kind}, key, (adapt(callback, 0), callback))

    def register_command(self, name, handler, description="", args_hint="", argument_mode=None):
        clean = str(name).strip().lower().lstrip("/").replace(" ", "-")
        if not clean:
            plugin.warn("register_command: the name is empty")
            return None
        if not callable(handler):
            raise TypeError(f"register_command({name!r}): handler must be a function")
        summary = description or "Plugin command"
        entry = {"name": clean, "aliases": [], "summary": str(summary), "args": str(args_hint or "").strip()}
        replace(plugin.registration["commands"], "name", clean)
        return plugin.add("commands", entry, clean, (adapt(handler), handler))

    def register_cli_command(self, name, help, setup_fn, handler_fn=None, description=""):
        if not callable(setup_fn):
            raise TypeError(f"register_cli_command({name!r}): setup_fn must be a function")
        from .command_line import usage_of

        command = (setup_fn, handler_fn, str(description or help or ""))
        entry = {"name": str(name), "summary": str(help or description or ""), "usage": usage_of(name, command)}
        replace(plugin.registration["cliCommands"], "name", name)
        return plugin.add("cliCommands", entry, str(name), command)

    # Calls into Hermes

    def dispatch_tool(self, name, args=None, **kwargs):
        """The result of another tool as text. The nested call runs the same hooks and approvals as any other call."""
        return text_of(plugin.request("host.callTool", {"name": name, "args": dict(args or {}), **call_facts(kwargs)}))

    def inject_message(self, content, role="user", *, session_key=None):
        facts = {"sessionId": session_key} if session_key else {k: v for k, v in call_facts({}).items() if k == "sessionId"}
        try:
            return plugin.request("host.injectMessage", {"content": str(content), "role": role, **facts}) is True
        except RuntimeError as error:
            plugin.log("warn", f"inject_message: {error}")
            return False

    @property
    def llm(self):
        if self._llm is None:
            from .completions import PluginLlm

            self._llm = PluginLlm()
        return self._llm

    @property
    def subagent_lifecycle(self):
        if self._lifecycle is None:
            from .subagents import SubagentLifecycle

            self._lifecycle = SubagentLifecycle()
        return self._lifecycle

    def spawn_task(self, coro, *, name=None):
        if not is_coroutine(coro):
            raise TypeError("spawn_task expects a coroutine")
        plugin.workers.spawn(coro)
        return Handle(None)

    def on_unload(self, callback):
        if not callable(callback):
            raise TypeError("on_unload callback must be callable")
        plugin.unloads.append(callback)
        return Handle(lambda: plugin.unloads.remove(callback))

    # Knowledge

    def register_skill(self, name, path, description="", frontmatter=None):
        import os

        if not isinstance(name, str) or not name.replace("_", "").replace("-", "").isalnum() or not name.isascii():
            raise ValueError(f"Invalid skill name {name!r}. Must match [a-zA-Z0-9_-]+; the plugin's name is added by Hermes.")
        full = os.path.realpath(os.path.join(plugin.folder, os.fspath(path)))
        if not os.path.exists(full):
            raise FileNotFoundError(f"SKILL.md not found at {path}")
        if not (full + "/").startswith(os.path.realpath(plugin.folder) + "/"):
            plugin.warn(f"register_skill: {full} is outside the plugin's folder and is not used")
            return Handle(None)
        text = description or (frontmatter or {}).get("description") or ""
        replace(plugin.registration["skills"], "name", name)
        return plugin.add("skills", {"name": name, "path": full, "description": str(text)}, name, None)

    def register_system_prompt_section(self, id, content, *, position="after_memory", max_chars=MAX_SECTION_CHARS):
        rest = id[1:].replace(".", "").replace("_", "").replace("-", "") if isinstance(id, str) else "!"
        if not isinstance(id, str) or not 0 < len(id) <= 128 or not id.isascii() or id != id.lower() or not id[0].isalnum() \
                or (rest and not rest.isalnum()):
            raise ValueError("system prompt section id must be 1-128 lowercase characters using letters, numbers, '.', '_', or '-'")
        if not isinstance(content, str) and not callable(content):
            raise TypeError("system prompt section content must be a string or callable")
        if position != "after_memory":
            raise ValueError("system prompt section position must be one of: after_memory")
        if isinstance(max_chars, bool) or not isinstance(max_chars, int) or not 0 < max_chars <= MAX_SECTION_CHARS:
            raise ValueError(f"system prompt section max_chars must be between 1 and {MAX_SECTION_CHARS}")
        sections = plugin.registration["promptSections"]
        if any(one["id"] == id for one in sections):
            raise ValueError(f"system prompt section {id!r} is already registered by plugin {plugin.name!r}")
        if len(sections) >= MAX_SECTIONS:
            plugin.warn(f"register_system_prompt_section: {id} is skipped, because there are {MAX_SECTIONS} sections already")
            return Handle(None)
        if isinstance(content, str) and len(content) > max_chars:
            plugin.warn(f"register_system_prompt_section: {id} has {len(content)} characters and is skipped; the limit is {max_chars}")
            return Handle(None)
        entry = {"id": id, "position": position, "maxChars": max_chars}
        if isinstance(content, str):
            entry["content"] = content
        return plugin.add("promptSections", entry, id, None if isinstance(content, str) else adapt(content))

    def register_auxiliary_task(self, key, *, display_name, description, defaults=None):
        if not key or not isinstance(key, str):
            raise ValueError(f"Plugin {plugin.name!r} tried to register auxiliary task with invalid key {key!r}")
        if not key.replace("_", "").isalnum():
            raise ValueError(f"Plugin {plugin.name!r} auxiliary task key {key!r} must contain only alphanumeric characters and underscores")
        entry = {"key": key, "displayName": display_name, "description": description, "defaults": {**AUXILIARY_DEFAULTS, **(defaults or {})}}
        replace(plugin.registration["auxiliaryTasks"], "key", key)
        return plugin.add("auxiliaryTasks", entry, key, None)

    # Parts of the full-screen interface

    def register_segment(self, name, text, *, every_seconds=10, priority=100):
        """Adds a short text to the status line: `text(ctx)` returns it; `ctx` has `sessionId` and `cwd`."""
        return register_ui("segment", name, {"text": text}, {"everySeconds": every_seconds, "priority": priority})

    def register_key(self, name, chord, press, *, summary=""):
        """Adds a key: `press(ctx)` returns a note, or a dict with `note`, `insert`, `panel` or `dialog`."""
        return register_ui("key", name, {"press": press}, {"chord": str(chord), "title": str(summary or name)})

    def register_panel(self, name, content, *, title="", choose=None):
        """Adds a list or a text: `content(ctx)` returns a dict with `rows` or `text`; Enter on a row calls `choose(row, ctx)`."""
        return register_ui("panel", name, {"content": content, "choose": choose}, {"title": str(title or name)})

    def register_dialog(self, name, fields, submit, *, title="", text=""):
        """Adds a form: `submit(values, ctx)` gets the values of its fields."""
        data = {"title": str(title or name), "text": str(text), "fields": list(fields)}
        return register_ui("dialog", name, {"submit": submit}, data)

    # Objects

    def register_context_engine(self, engine):
        from agent.context_engine import ContextEngine

        if plugin.registration["contextEngines"]:
            plugin.warn("register_context_engine: only one context engine is allowed; the first one is kept")
            return None
        return register_object("contextEngines", "context engine", engine, ContextEngine)

    def register_memory_provider(self, provider):
        from agent.memory_provider import MemoryProvider

        registered = register_object("memoryProviders", "memory provider", provider, MemoryProvider)
        if isinstance(provider, MemoryProvider):
            from .memory_tools import register_memory_tools

            register_memory_tools(self, provider)
        return registered

    def register_secret_source(self, source):
        if not getattr(source, "name", None):
            plugin.warn("register_secret_source: the source has no name and is ignored")
            return None
        from .secrets import SecretBridge

        return register_object("secretSources", "secret source", SecretBridge(source), None)

    def register_provider(self, profile):
        from .profiles import register_profile

        return register_profile(profile)

    register_model_provider = register_provider

    def register_platform(self, name, label, adapter_factory, check_fn=None, validate_config=None, required_env=None,
                          install_hint="", **entry):
        from .platforms import register_platform

        return register_platform(name, label, adapter_factory, check_fn, validate_config, required_env, entry)

    def register_slack_action_handler(self, action_id, callback):
        if not callable(callback):
            raise ValueError(f"Plugin {plugin.name!r} tried to register a Slack action handler with a non-callable callback.")
        if action_id is None or (isinstance(action_id, str) and not action_id.strip()):
            raise ValueError(f"Plugin {plugin.name!r} tried to register a Slack action handler with an empty action_id.")
        plugin.unsupported("register_slack_action_handler")
        return None

    def register_dashboard_auth_provider(self, provider):
        plugin.unsupported("register_dashboard_auth_provider")
        return None

    def register_image_gen_provider(self, provider):
        return register_backends(("image",), provider, "image_gen_provider", "ImageGenProvider")

    def register_video_gen_provider(self, provider):
        return register_backends(("video",), provider, "video_gen_provider", "VideoGenProvider")

    def register_web_search_provider(self, provider):
        return register_backends(("search", "extract"), provider, "web_search_provider", "WebSearchProvider")

    def register_browser_provider(self, provider):
        return register_backends(("browser",), provider, "browser_provider", "BrowserProvider")

    def register_tts_provider(self, provider):
        return register_backends(("speech",), provider, "tts_provider", "TTSProvider")

    def register_transcription_provider(self, provider):
        return register_backends(("transcription",), provider, "transcription_provider", "TranscriptionProvider")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        plugin.unsupported(name)
        return Unsupported(name)


def check_tool(check_fn):
    """The result of a `check_fn`. An error counts as unavailable."""
    try:
        answer = check_fn()
        return bool(plugin.workers.wait_for(answer) if is_coroutine(answer) else answer)
    except Exception as error:
        plugin.log("debug", plugin.faults.text("check_fn", error, check_fn))
        return False


def call_facts(kwargs):
    """The session and call of a nested call: those that run now, or those that the plugin passed on."""
    call = current_call.get() or {}
    facts = {}
    call_id = call.get("callId") or kwargs.get("tool_call_id")
    session = call.get("sessionId") or kwargs.get("session_id") or kwargs.get("task_id") or plugin.last_session
    if call_id:
        facts["callId"] = call_id
    if session:
        facts["sessionId"] = session
    return facts
