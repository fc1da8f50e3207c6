import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Writes a plugin into its own folder: a manifest with these lines, and a Python entry unless `files` has another. */
export async function pluginFolder(
  parent: string,
  name: string,
  manifest = "",
  files: Readonly<Record<string, string>> = { "__init__.py": calculator },
): Promise<string> {
  const folder = join(parent, name);
  const all = {
    "plugin.yaml": `name: ${name}\nversion: 1.0.0\ndescription: A plugin for tests\n${manifest}`,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** Two tools and one hook, as the guide writes them. */
export const calculator = `import json

def calculate(args, **kwargs):
    return json.dumps({"result": args.get("left", 0) + args.get("right", 0)})

def halve(args, **kwargs):
    return json.dumps({"result": args.get("number", 0) / 2})

def register(ctx):
    number = {"type": "number"}
    for name, handler, fields in (("calculate", calculate, ("left", "right")), ("halve", halve, ("number",))):
        ctx.register_tool(
            name=name,
            toolset="calculator",
            schema={
                "name": name,
                "description": "Works with numbers",
                "parameters": {"type": "object", "properties": {field: number for field in fields}},
            },
            handler=handler,
        )
    ctx.register_hook("post_tool_call", lambda **kwargs: None)
`;
