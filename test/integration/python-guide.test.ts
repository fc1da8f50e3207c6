// covers: src/plugins/runner
import assert from "node:assert/strict";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import { readRegistration } from "../../src/plugins/registration/read-registration.ts";
import { startPythonPlugin } from "../support/python-plugin.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const guide = join(import.meta.dirname, "..", "fixtures", "plugins", "calculator");

async function dataOf(result: Promise<JsonObject>): Promise<unknown> {
  const { ok, value, error } = (await result) as { ok: boolean; value?: JsonObject; error?: JsonObject };
  return ok ? value?.["data"] : { error: error?.["message"], ...(error?.["data"] as JsonObject | undefined) };
}

test("the calculator in the guide of Python Hermes registers and works unchanged", async () => {
  await using home = await tempHome();
  await cp(guide, join(home.path, "plugins", "sample"), { recursive: true });
  await using plugin = startPythonPlugin(home.path, {});
  const registration = await plugin.load({ name: "calculator", isDebugging: true });
  const read = readRegistration(registration, plugin.folder);
  assert.ok(read.ok);
  assert.deepEqual(
    read.value.tools.map(({ name, toolset }) => [name, toolset]),
    [
      ["calculate", "calculator"],
      ["unit_convert", "calculator"],
    ],
  );
  const { inputSchema, description } = (registration["tools"] as JsonObject[])[0] ?? {};
  assert.deepEqual((inputSchema as JsonObject)["required"], ["expression"]);
  assert.match(JSON.stringify(description), /^"Evaluate a mathematical expression and return the result\. Supports/u);
  assert.deepEqual(registration["hooks"], [
    {
      id: "post_tool_call#1",
      hook: "afterToolCall",
      original: "post_tool_call",
      isPolicy: false,
      mayAnswer: false,
    },
  ]);
  assert.deepEqual(await dataOf(plugin.tool("calculate", { expression: "2**16" })), {
    expression: "2**16",
    result: 65_536,
  });
  assert.deepEqual(await dataOf(plugin.tool("unit_convert", { value: 100, from_unit: "F", to_unit: "C" })), {
    input: "100 F",
    result: 37.7778,
    output: "37.7778 C",
  });
  assert.deepEqual(await dataOf(plugin.tool("unit_convert", { value: 1.5, from_unit: "TB", to_unit: "GB" })), {
    input: "1.5 TB",
    result: 1536,
    output: "1536.0 GB",
  });
  assert.deepEqual(await dataOf(plugin.tool("calculate", { expression: "1/0" })), {
    error: "Division by zero",
    expression: "1/0",
  });
  assert.deepEqual(await dataOf(plugin.tool("unit_convert", { value: 1, from_unit: "m", to_unit: "kg" })), {
    error: "Cannot convert m → kg",
  });
  const args = { tool_name: "terminal", args: {}, result: "{}", task_id: "s7" };
  plugin.notify("hook.notify", { events: [{ id: "post_tool_call#1", args }] });
  await plugin.request("hook.run", { id: "post_tool_call#1", args });
  assert.ok(
    plugin.notifications.some(
      ({ method, params }) =>
        method === "log" && String(params["message"]).endsWith("Tool called: terminal (session s7)"),
    ),
  );
});

test("the guide's data file is read without importing yaml, and its skill is placed in the home", async () => {
  await using home = await tempHome();
  const data = `
# In tools.py or __init__.py
from pathlib import Path

_PLUGIN_DIR = Path(__file__).parent
_DATA_FILE = _PLUGIN_DIR / "data" / "languages.yaml"

with open(_DATA_FILE) as f:
    _DATA = yaml.safe_load(f)


def languages(args, **kwargs):
    return {"languages": _DATA}
`;
  const skill = `
import shutil
from pathlib import Path

from . import tools

def _install_skill():
    """Copy our skill to ~/.hermes/skills/ on first load."""
    try:
        from hermes_cli.config import get_hermes_home
        dest = get_hermes_home() / "skills" / "my-plugin" / "SKILL.md"
    except Exception:
        dest = Path.home() / ".hermes" / "skills" / "my-plugin" / "SKILL.md"

    if dest.exists():
        return  # don't overwrite user edits

    source = Path(__file__).parent / "skill.md"
    if source.exists():
        dest.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, dest)

def _has_optional_lib():
    try:
        import surely_not_installed
        return True
    except ImportError:
        return False

def register(ctx):
    ctx.register_tool(
        name="languages",
        schema={"description": "d", "parameters": {"type": "object", "properties": {}}},
        handler=tools.languages,
        check_fn=lambda: _has_optional_lib(),  # False = tool hidden from model
    )
    _install_skill()
`;
  const files = {
    "tools.py": data,
    "__init__.py": skill,
    "data/languages.yaml": "- name: Python\n  typed: no\n- name: TypeScript\n  typed: yes\n",
    "skill.md": "---\nname: my-plugin\ndescription: d\n---\nUse it.\n",
  };
  // The system's Python may have PyYAML; an empty virtual environment has not.
  const environment = join(home.path, "environment");
  await runProgram("/usr/bin/python3", ["-m", "venv", "--without-pip", environment]);
  for (const python of ["/usr/bin/python3", join(environment, "bin", "python3")]) {
    await using plugin = startPythonPlugin(home.path, files, { python });
    const registration = await plugin.load();
    const [tool] = registration["tools"] as JsonObject[];
    assert.deepEqual([tool?.["toolset"], tool?.["isAvailable"]], ["sample", false]);
    assert.deepEqual(await dataOf(plugin.tool("languages", {})), {
      languages: [
        { name: "Python", typed: false },
        { name: "TypeScript", typed: true },
      ],
    });
    assert.equal(await plugin.request("tool.check", { name: "languages" }), false);
  }
  assert.equal(await readFile(join(home.path, "skills", "my-plugin", "SKILL.md"), "utf8"), files["skill.md"]);
});
