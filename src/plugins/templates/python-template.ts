import { templateManifest, usageText } from "./template-parts.ts";

/** The file structure that the plugin guide uses: schemas, handlers, and the registration that joins them. */
export function pythonTemplate(name: string, tool: string): Readonly<Record<string, string>> {
  return {
    "plugin.yaml": templateManifest(name, "provides:\n  tools: true\n  hooks: true\n"),
    "__init__.py": registrationText(name, tool),
    "schemas.py": schemasText(tool),
    "tools.py": toolsText,
    "test_tools.py": testText,
    "README.md": readmeText(name, tool),
  };
}

function registrationText(name: string, tool: string): string {
  return `"""${name}: registration."""
import logging

from . import schemas, tools

logger = logging.getLogger(__name__)


def _on_post_tool_call(tool_name, args, result, task_id, **kwargs):
    """Runs after every tool call of the session, not only ours."""
    logger.debug("tool called: %s (session %s)", tool_name, task_id)


def register(ctx):
    """Called once. Joins schemas and handlers, and subscribes to hooks."""
    ctx.register_tool(
        name="${tool}",
        toolset="${name}",
        schema=schemas.GREET,
        handler=tools.greet,
    )
    ctx.register_hook("post_tool_call", _on_post_tool_call)
`;
}

function schemasText(tool: string): string {
  return `"""Tool schemas: what the model reads to decide when to call a tool."""

GREET = {
    "name": "${tool}",
    "description": "Greet a person by name. Use it when somebody asks for a greeting.",
    "parameters": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Who is greeted"},
            "tone": {
                "type": "string",
                "enum": ["friendly", "formal"],
                "description": "How (default: friendly)",
            },
        },
        "required": ["name"],
    },
}
`;
}

const toolsText = `"""Tool handlers: the code that runs when the model calls a tool."""
import json


def greet(args: dict, **kwargs) -> str:
    """Gets the arguments as a dict and returns JSON text, also for an error."""
    name = args.get("name", "").strip()
    if not name:
        return json.dumps({"error": "name is empty: ask the person whom to greet"})
    if args.get("tone") == "formal":
        return json.dumps({"greeting": f"Good day, {name}."})
    return json.dumps({"greeting": f"Hello, {name}!"})
`;

const testText = `"""Run with: python3 -m unittest"""
import json
import unittest

import tools


class GreetTest(unittest.TestCase):
    def test_greets_in_both_tones(self):
        self.assertEqual(json.loads(tools.greet({"name": "Anna"})), {"greeting": "Hello, Anna!"})
        formal = tools.greet({"name": "Anna", "tone": "formal"}, task_id="t1")
        self.assertEqual(json.loads(formal), {"greeting": "Good day, Anna."})

    def test_refuses_an_empty_name(self):
        self.assertIn("name is empty", json.loads(tools.greet({"name": " "}))["error"])


if __name__ == "__main__":
    unittest.main()
`;

function readmeText(name: string, tool: string): string {
  return `# ${name}

A plugin for Hermes, in Python.

| file | content |
|---|---|
| \`plugin.yaml\` | name, version, permissions |
| \`__init__.py\` | the registration: joins schemas, handlers and hooks |
| \`schemas.py\` | what the model reads |
| \`tools.py\` | what runs |
| \`test_tools.py\` | the test: \`python3 -m unittest\` |

${usageText(name, tool)}`;
}
