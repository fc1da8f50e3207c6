import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes the files of a plugin into a home. */
export function writePlugin(home: string, name: string, files: Readonly<Record<string, string>>): void {
  const folder = join(home, "plugins", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "plugin.yaml"), `name: ${name}\nversion: 1.0.0\ndescription: A plugin of a bench\n`);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
}

/** A TypeScript plugin with one tool that adds two numbers. */
export function typescriptAdder(tool: string): Readonly<Record<string, string>> {
  return {
    "index.ts": `import { definePlugin, defineTool, z } from "hermes-agent-ts/plugin";
const add = defineTool({
  name: "${tool}",
  description: "Adds two numbers and returns their sum.",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
});
export default definePlugin({ setup: () => ({ tools: [add] }) });
`,
  };
}

/** A Python plugin with one tool that adds two numbers; `more` adds lines to its `register` function. */
export function pythonAdder(tool: string, more = ""): Readonly<Record<string, string>> {
  return {
    "__init__.py": `import json

SCHEMA = {
    "name": "${tool}",
    "description": "Adds two numbers and returns their sum.",
    "parameters": {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
}


def add(args, **kwargs):
    return json.dumps({"sum": args["a"] + args["b"]})


def watch(**kwargs):
    return None


def guard(tool_name, args, **kwargs):
    if args.get("path") == "/forbidden":
        return {"action": "block", "message": "forbidden"}


def register(ctx):
    ctx.register_tool(name="${tool}", toolset="${tool}", schema=SCHEMA, handler=add)
${more}`,
  };
}
