import { dirname, join } from "node:path";

import { templateManifest, usageText } from "./template-parts.ts";

export function typescriptTemplate(
  name: string,
  tool: string,
  typesFile: string | undefined,
): Readonly<Record<string, string>> {
  return {
    "plugin.yaml": templateManifest(name, "entry: index.ts\n"),
    "index.ts": entryText(tool),
    "greet.ts": greetText,
    "greet.test.ts": testText,
    "README.md": readmeText(name, tool),
    "package.json": `${JSON.stringify(packageOf(name), null, 2)}\n`,
    "tsconfig.json": `${JSON.stringify(configOf(typesFile), null, 2)}\n`,
  };
}

function entryText(tool: string): string {
  return `import { defineHook, definePlugin, defineTool, z } from "hermes-agent-ts/plugin";

import { greet, Tone } from "./greet.ts";

export default definePlugin({
  setup(host) {
    let calls = 0;
    return {
      tools: [
        defineTool({
          name: ${JSON.stringify(tool)},
          // The model decides by this text when to call the tool: say what it does and when to use it.
          description: "Greet a person by name. Use it when somebody asks for a greeting.",
          input: z.object({
            name: z.string().describe("Who is greeted"),
            tone: z.enum(Tone).default(Tone.Friendly).describe("How"),
          }),
          run: ({ name, tone }) => greet(name, tone),
        }),
      ],
      hooks: [
        // Runs after every tool call of the session, not only ours.
        defineHook("afterToolCall", ({ call, durationMs }) => {
          calls += 1;
          host.log.debug("tool call", { tool: call.name, durationMs, calls });
        }),
      ],
    };
  },
});
`;
}

/**
 * The file does not import Hermes, so that its test needs no installation, and uses no enum, which `node --test`
 * cannot run.
 */
const greetText = `export const Tone = { Friendly: "friendly", Formal: "formal" } as const;
export type Tone = (typeof Tone)[keyof typeof Tone];

/** Throw to report a failure: the model sees the message. */
export function greet(name: string, tone: Tone): string {
  if (name.trim() === "") throw new Error("name is empty: ask the person whom to greet");
  return tone === Tone.Formal ? \`Good day, \${name}.\` : \`Hello, \${name}!\`;
}
`;

const testText = `import assert from "node:assert/strict";
import { test } from "node:test";

import { greet, Tone } from "./greet.ts";

test("greets in both tones", () => {
  assert.equal(greet("Anna", Tone.Friendly), "Hello, Anna!");
  assert.equal(greet("Anna", Tone.Formal), "Good day, Anna.");
});

test("refuses an empty name", () => {
  assert.throws(() => greet(" ", Tone.Friendly), /name is empty/);
});
`;

function readmeText(name: string, tool: string): string {
  return `# ${name}

A plugin for Hermes, in TypeScript. It runs as it is: there is no build.

| file | content |
|---|---|
| \`plugin.yaml\` | name, version, permissions |
| \`index.ts\` | tools and hooks, joined in \`setup\` |
| \`greet.ts\` | the code behind the tool |
| \`greet.test.ts\` | its test: \`node --test\` |

${usageText(name, tool)}
## Editing

\`tsconfig.json\` tells your editor where the types of \`hermes-agent-ts/plugin\` are. On another machine, install them instead:
\`npm install --save-dev hermes-agent-ts\`, and delete \`paths\` there. Hermes itself needs no installation to run the plugin.
Packages of npm work too: run \`npm install NAME\` in this folder.

To publish it, run \`npm publish\`: the keyword \`hermes-plugin\` lets Hermes find it.
`;
}

function packageOf(name: string): object {
  return {
    name: `hermes-plugin-${name.toLowerCase()}`,
    version: "0.1.0",
    type: "module",
    main: "index.ts",
    keywords: ["hermes-plugin"],
    scripts: { test: "node --test" },
  };
}

function configOf(typesFile: string | undefined): object {
  // In a clone, the types are the source files, which need the types of Node.
  const isSource = typesFile !== undefined && !typesFile.endsWith(".d.ts");
  const nodeTypes = isSource && {
    typeRoots: [join(dirname(typesFile), "..", "node_modules", "@types")],
    types: ["node"],
  };
  return {
    compilerOptions: {
      target: "esnext",
      module: "nodenext",
      lib: ["esnext", "dom"],
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      resolveJsonModule: true,
      skipLibCheck: true,
      ...nodeTypes,
      ...(typesFile !== undefined && { paths: { "hermes-agent-ts/plugin": [typesFile] } }),
    },
    include: ["**/*.ts"],
    exclude: ["node_modules", "**/*.test.ts"],
  };
}
