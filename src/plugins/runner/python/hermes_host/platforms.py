"""The chat platforms of the plugin. Hermes streams `receive` and calls `send`, `edit` and `typing`."""
from .calls import adapt, is_coroutine
from .objects import replace
from .plugin import plugin


def register_platform(name, label, adapter_factory, check_fn, validate_config, required_env, entry):
    if not callable(adapter_factory):
        raise TypeError(f"register_platform({name!r}): adapter_factory must be a function")
    name = str(name)
    key = f"platforms:{name}"
    replace(plugin.registration["platforms"], "name", name)
    fields = {
        "id": key,
        "name": name,
        "label": str(label or name),
        "messageChars": int(entry.get("max_message_length") or 4096),
        "edits": defines(adapter_factory, "edit_message", False),
        # Calling a method that does nothing is harmless.
        "typing": defines(adapter_factory, "send_typing", True),
        "requiredEnv": [str(one) for one in required_env or []],
    }
    return plugin.add("platforms", fields, key, PlatformBridge(name, adapter_factory, check_fn, validate_config, entry))


def defines(factory, method, if_unknown):
    """Whether the adapter overrides this method. Only a factory that is the adapter's class can show that."""
    if not isinstance(factory, type):
        return if_unknown
    from gateway.platforms.base import BasePlatformAdapter

    return getattr(factory, method, None) is not getattr(BasePlatformAdapter, method)


class PlatformBridge:
    def __init__(self, name, factory, check_fn, validate_config, entry):
        self._name = name
        self._factory = factory
        self._check_fn = check_fn
        self._validate = validate_config
        self._entry = entry
        self._adapter = None

    def check(self):
        """Whether the platform can be used now: its programs and settings exist."""
        try:
            return (self._check_fn is None or bool(self._check_fn())) and (
                self._validate is None or bool(self._validate(self._config({})))
            )
        except Exception as error:
            plugin.log("warn", plugin.faults.text(f"check of the platform {self._name}", error, self._check_fn))
            return False

    def _config(self, settings):
        from gateway.config import PlatformConfig

        seed = self._entry.get("env_enablement_fn")
        extra = dict((seed() if callable(seed) else None) or {})
        home = extra.pop("home_channel", None)
        return PlatformConfig(home_channel=home, extra={**extra, **(settings or {})})

    async def receive(self, settings=None, emit=None):
        """Connects and passes every message to `emit` until Hermes cancels it."""
        import asyncio

        adapter = self._adapter = self._factory(self._config(settings))
        if is_coroutine(adapter):
            adapter = self._adapter = await adapter

        async def handle(event):
            emit(self._inbound(event))

        adapter.set_message_handler(handle)
        try:
            if await as_result(adapter.connect()) is False:
                fatal = getattr(adapter, "fatal_error", None) or {}
                raise RuntimeError(fatal.get("message") or f"the platform {self._name} did not connect")
            while getattr(adapter, "fatal_error", None) is None:
                await asyncio.sleep(0.2)
            raise RuntimeError(adapter.fatal_error["message"])
        finally:
            self._adapter = None
            await as_result(adapter.disconnect())

    def _inbound(self, event):
        source = getattr(event, "source", None)
        stamp = getattr(event, "timestamp", None)
        chat = {"platform": self._name, "chatId": str(getattr(source, "chat_id", "") or "")}
        if getattr(source, "thread_id", None):
            chat["threadId"] = str(source.thread_id)
        return {
            "chat": chat,
            "messageId": str(getattr(event, "message_id", None) or ""),
            "from": {
                "id": str(getattr(source, "user_id", None) or ""),
                "name": str(getattr(source, "user_name", None) or ""),
            },
            "content": [{"type": "text", "text": str(getattr(event, "text", ""))}],
            "sentAt": int(stamp.timestamp() * 1000) if hasattr(stamp, "timestamp") else None,
        }

    def _connected(self):
        if self._adapter is None:
            raise RuntimeError(f"the platform {self._name} is not connected")
        return self._adapter

    async def send(self, chat, content):
        text = "\n".join(str(part.get("text") or f"[{part.get('type')}]") for part in content)
        metadata = {"thread_id": chat["threadId"]} if chat.get("threadId") else None
        keywords = {"reply_to": None, "metadata": metadata}
        return outcome(await as_result(adapt(self._connected().send, 2)([chat["chatId"], text], keywords)))

    async def edit(self, ref, text):
        chat_id = ref["chat"]["chatId"]
        return outcome(await as_result(self._connected().edit_message(chat_id, ref["messageId"], text)))

    async def typing(self, chat):
        await as_result(adapt(self._connected().send_typing, 1)([chat["chatId"]], {"metadata": None}))


async def as_result(value):
    return await value if is_coroutine(value) else value


def outcome(result):
    """Converts Python Hermes' SendResult to our format."""
    field = result.get if isinstance(result, dict) else lambda name: getattr(result, name, None)
    if not field("success"):
        return {"ok": False, "error": {"kind": "refused", "message": str(field("error") or "the platform refused the message")}}
    return {"ok": True, "value": {"messageId": str(field("message_id") or "")}}
