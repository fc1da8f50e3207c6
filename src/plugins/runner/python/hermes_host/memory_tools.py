"""The tools of a memory provider. Hermes offers them while `memory.provider` selects it."""
from .plugin import plugin


def register_memory_tools(context, provider):
    try:
        schemas = provider.get_tool_schemas() or []
    except Exception as error:
        plugin.warn(plugin.faults.text(f"get_tool_schemas of {provider.name}", error, provider.get_tool_schemas))
        return
    initialize = provider.initialize
    state = {"is_ready": False}

    def initialize_once(*args, **kwargs):
        state["is_ready"] = True
        return initialize(*args, **kwargs)

    provider.initialize = initialize_once

    def handler_of(name):
        def handle(args, **kwargs):
            if not state["is_ready"]:
                session = kwargs.get("session_id") or ""
                home = plugin.params.get("home")
                provider.initialize(session, hermes_home=home, platform="cli", agent_context="primary")
            return provider.handle_tool_call(name, args, **kwargs)

        return handle

    for schema in schemas:
        body = schema.get("function", schema) if isinstance(schema, dict) else {}
        name = body.get("name")
        if isinstance(name, str) and name:
            context.register_tool(name, f"memory:{provider.name}", schema, handler_of(name))
