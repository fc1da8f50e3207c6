"""`crowd-server.py NAME TOOLS [EVENTS]`: an MCP server with many tools, small enough to run fifty of them.

EVENTS: a file that records its start, and when it was asked for its tools.
"""

import json
import os
import sys

name, count = sys.argv[1], int(sys.argv[2])


def record(event):
    if len(sys.argv) > 3:
        with open(sys.argv[3], "a") as events:
            events.write(f"{event} {name} {os.getpid()}\n")


record("started")
tools = [
    {
        "name": f"{verb}_{thing}",
        "description": f"{verb.capitalize()}s a {thing} of the service {name}. Returns its record as JSON, or an error "
        "when there is none or when the caller may not see it.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": f"Identifier of the {thing}, as a listing shows it"},
                "fields": {"type": "array", "items": {"type": "string"}, "description": "Fields to return. Default: all"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
                "order": {"type": "string", "enum": ["newest", "oldest", "name"], "default": "newest"},
            },
            "required": ["id"],
        },
        "annotations": {"readOnlyHint": True},
    }
    for verb in ("read", "find", "count", "watch")
    for thing in ("account", "branch", "card", "draft", "event", "folder", "group", "issue", "label", "message")
][:count]


def listing(_):
    record("listed")
    return {"tools": tools}


results = {"tools/list": listing, "ping": lambda _: {}}
results["initialize"] = lambda params: {
    "protocolVersion": params["protocolVersion"],
    "capabilities": {"tools": {}},
    "serverInfo": {"name": name, "version": "1.0.0"},
}
results["tools/call"] = lambda params: {"content": [{"type": "text", "text": f"{params['name']} of {name}"}]}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    make = results.get(message["method"])
    answer = {"result": make(message.get("params") or {})} if make else {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
