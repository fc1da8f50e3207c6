"""The tool registry for plugins: their own tools, and calls of other tools through Hermes."""
import json

from hermes_host.plugin import plugin


def tool_error(message, **extra):
    return json.dumps({"error": str(message), **extra}, ensure_ascii=False, default=str)


def tool_result(data=None, **kwargs):
    return json.dumps(kwargs if data is None else data, ensure_ascii=False, default=str)


class ToolRegistry:
    def register(self, name, toolset=None, schema=None, handler=None, **options):
        return plugin.context.register_tool(name, toolset, schema, handler, **options)

    def deregister(self, name):
        entries = plugin.registration["tools"]
        entries[:] = [one for one in entries if one["name"] != name]
        plugin.functions.pop(("tools", name), None)

    def dispatch(self, name, args=None, **kwargs):
        return plugin.context.dispatch_tool(name, args, **kwargs)

    def get_entry(self, name, **_):
        return next((one for one in plugin.registration["tools"] if one["name"] == name), None)

    def get_schema(self, name):
        entry = self.get_entry(name)
        return entry and {"name": name, "description": entry["description"], "parameters": entry["inputSchema"]}

    def get_all_tool_names(self):
        return sorted(one["name"] for one in plugin.registration["tools"])

    def get_tool_names_for_toolset(self, toolset):
        return sorted(one["name"] for one in plugin.registration["tools"] if one["toolset"] == toolset)

    def get_toolset_for_tool(self, name):
        entry = self.get_entry(name)
        return entry and entry["toolset"]

    def get_tool_to_toolset_map(self):
        return {one["name"]: one["toolset"] for one in plugin.registration["tools"]}

    def get_registered_toolset_names(self):
        return sorted({one["toolset"] for one in plugin.registration["tools"]})

    def get_emoji(self, name, default="⚡"):
        entry = self.get_entry(name)
        return (entry or {}).get("emoji") or default

    def register_toolset_alias(self, alias, toolset):
        plugin.unsupported("registry.register_toolset_alias")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        from hermes_host.identity import Unsupported

        return Unsupported(f"registry.{name}")


registry = ToolRegistry()
