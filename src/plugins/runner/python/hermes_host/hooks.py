"""The hooks of Python Hermes: our name for each, and whether its callback may return an answer."""

SCHEMA_VERSION = "hermes.observer.v1"
MIDDLEWARE_SCHEMA_VERSION = "hermes.middleware.v1"

HOOKS = {
    "pre_tool_call": ("beforeToolCall", True),
    "post_tool_call": ("afterToolCall", False),
    "transform_tool_result": ("transformToolResult", True),
    "transform_terminal_output": ("transformTerminalOutput", True),
    "pre_llm_call": ("beforeTurn", True),
    "post_llm_call": ("turnEnd", False),
    "transform_llm_output": ("transformAnswer", True),
    "pre_verify": ("beforeVerify", True),
    "pre_api_request": ("beforeModelCall", False),
    "post_api_request": ("afterModelCall", False),
    "api_request_error": ("modelCallFailed", False),
    "transform_api_error_classification": ("classifyModelError", True),
    "on_stream_start": ("streamStart", False),
    "on_stream_delta": ("streamDelta", False),
    "on_stream_end": ("streamEnd", False),
    "on_interim_message": ("interimMessage", False),
    "on_session_start": ("turnStart", False),
    "on_session_end": ("turnEnd", False),
    "on_session_finalize": ("sessionEnd", False),
    "on_session_reset": ("sessionReset", False),
    "subagent_start": ("subagentStart", False),
    "subagent_stop": ("subagentStop", False),
    "pre_approval_request": ("approvalRequested", False),
    "post_approval_response": ("approvalAnswered", False),
    "pre_gateway_dispatch": ("beforeInbound", True),
    "on_skill_lifecycle": ("skillChanged", False),
    "pre_context_compression": ("beforeCompression", False),
    "on_compression_complete": ("afterCompression", False),
    # Hook names from the roadmap of Python Hermes.
    "before-tool-call": ("beforeToolCall", True),
    "after-tool-call": ("afterToolCall", False),
    "before-response": ("transformAnswer", True),
    "context-compress": ("beforeCompression", False),
    "session-end": ("sessionEnd", False),
}

# Hooks of Python Hermes that never fire here.
UNSUPPORTED_HOOKS = frozenset(
    (
        "agent_loop_stopped",
        "gateway_platform_event",
        "kanban_task_blocked",
        "kanban_task_claimed",
        "kanban_task_completed",
        "on_kanban_dispatch_tick",
        "on_kanban_task_updated",
        "on_kanban_worker_exited",
        "on_kanban_worker_spawned",
        "on_kanban_worker_stale_claim",
        "on_room_member_activity",
        "pre_command",
        "pre_transcription",
    )
)

MIDDLEWARE = ("tool_request", "tool_execution", "llm_request", "llm_execution")


def nearest(name, names):
    """Returns ` Did you mean X?`, or an empty string."""
    from difflib import get_close_matches

    close = get_close_matches(str(name), list(names), 1)
    return f" Did you mean {close[0]}?" if close else f" Known: {', '.join(sorted(names))}."
