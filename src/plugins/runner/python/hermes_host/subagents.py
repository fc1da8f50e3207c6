"""`ctx.subagent_lifecycle`: the child agents of the plugin's session. Plugins can observe them but not start them."""
from .context import call_facts
from .identity import Unsupported
from .plugin import plugin


class SubagentLifecycle:
    def list(self):
        session = call_facts({}).get("sessionId")
        return plugin.request("host.subagents", {"sessionId": session} if session else {}) or []

    list_children = list

    def status(self, handle):
        """The child agent with this id or handle; None if it does not exist."""
        wanted = handle if isinstance(handle, str) else getattr(handle, "subagent_id", None) or (
            handle.get("id") if isinstance(handle, dict) else None
        )
        return next((one for one in self.list() if isinstance(one, dict) and one.get("id") == wanted), None)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unsupported(f"subagent_lifecycle.{name}")
