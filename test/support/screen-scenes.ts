import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { screenChat, type ScreenChatOptions } from "./screen-chat.ts";
import type { Cell } from "./terminal-emulator.ts";
import type { ScriptedTurn } from "./wire-servers/turn.ts";

type Chat = Awaited<ReturnType<typeof screenChat>>;

/** A state of the screen: how a user reaches it, and the text that shows that it is reached. */
interface Scene extends ScreenChatOptions {
  readonly title: string;
  readonly turns: readonly ScriptedTurn[];
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  play(chat: Chat): Promise<unknown>;
}

const notes = `# Release 1.4

1. Run the tests
2. Write the change log
`;

const answer = `## Release 1.4

The change log is ready. **Two** fixes are in it:

- the parser accepts \`null\`, see [issue 12](https://example.com/issues/12)
- a retry waits $2^n$ seconds

| package | before | after |
|---|---:|---:|
| core | 1.3.2 | 1.4.0 |
| 解析器 | 0.9 | 1.0 |

\`\`\`ts
export const version = "1.4.0"; // shown by --version
\`\`\`
`;

const edit = {
  name: "patch",
  args: { mode: "replace", path: "notes.md", old_string: "2. Write the change log", new_string: "2. Publish it" },
};
const plan = {
  name: "todo",
  args: {
    todos: [
      { id: "1", content: "Read the notes", status: "completed" },
      { id: "2", content: "Write the change log", status: "in_progress" },
      { id: "3", content: "Publish", status: "pending" },
    ],
  },
};
const question = {
  name: "clarify",
  args: { question: "Which version is next?", choices: ["1.4.0", "2.0.0"] },
};
const read = { name: "read_file", args: { path: "notes.md" } };

/** Waits for the opening lines and the status line. */
async function ready(chat: Chat): Promise<void> {
  await chat.until(/m1[^]*❯[^]*m1/u);
}

/** The main states of the screen, by name. */
export const scenes: Readonly<Record<string, Scene>> = {
  start: { title: "hermes", turns: [], play: ready },
  "start-40": { title: "hermes", columns: 40, rows: 12, turns: [], play: ready },
  answer: {
    title: "An answer",
    rows: 30,
    turns: [{ text: answer }],
    async play(chat) {
      await ready(chat);
      chat.type("what is in the release?\r");
      await chat.until(/--version[^]*❯[^]* free /u);
    },
  },
  "answer-40": {
    title: "An answer",
    columns: 40,
    rows: 30,
    turns: [{ text: answer }],
    async play(chat) {
      await ready(chat);
      chat.type("what is in the release?\r");
      await chat.until(/--version[^]*❯[^]* free /u);
    },
  },
  work: {
    title: "Tools at work",
    rows: 30,
    files: { "notes.md": notes },
    turns: [{ calls: [plan, read] }, { calls: [edit] }, { text: "The notes say **publish** now." }],
    async play(chat) {
      await ready(chat);
      chat.type("update the notes\r");
      // The plan is separated when the turn is over.
      await chat.until(/\n\nplan 1 of 3 done[^]*❯[^]* free /u);
    },
  },
  approval: {
    title: "Hermes asks before it does harm",
    rows: 22,
    turns: [{ calls: [{ name: "terminal", args: { command: "git fetch && rm -rf build ../shared" } }] }],
    async play(chat) {
      await ready(chat);
      chat.type("clean up\r");
      // The mark appears when the question accepts keys.
      await chat.until(/❯ 4 {2}d {2}Deny[^]*\? why[^]*asks first/u);
    },
  },
  question: {
    title: "The agent asks",
    turns: [{ calls: [question] }],
    async play(chat) {
      await ready(chat);
      chat.type("prepare the release\r");
      await chat.until(/❯ 1\. 1\.4\.0[^]*Esc declines[^]*asks first/u);
    },
  },
  "held-40": {
    title: "The queue after Esc",
    columns: 40,
    rows: 20,
    settings: { display: { busy_input_mode: "queue" } },
    turns: [{ text: "Too late.", fault: { delayMs: 60_000 } }],
    async play(chat) {
      await ready(chat);
      chat.type("start\r");
      await chat.until(/^❯ start$/mu);
      chat.type("then this\r");
      await chat.until("⋯ then this");
      chat.type("\x1b");
      await chat.until(/stopped[^]*Held: 1/u);
    },
  },
  commands: {
    title: "Completion of commands",
    turns: [],
    async play(chat) {
      await ready(chat);
      chat.type("/re");
      await chat.until(/\/resume[^]*\/reload-mcp/u);
    },
  },
  palette: {
    title: "The palette",
    turns: [],
    async play(chat) {
      await ready(chat);
      chat.type("\x10");
      await chat.until(/Palette ─[^]*\/insights[^]*Esc close/u);
    },
  },
};

/** Plays a scene and reads the window. `expected`: waits for this text of it, a minute at most. */
export async function screenOfScene(
  name: string,
  options: ScreenChatOptions & { readonly expected?: string } = {},
): Promise<{ readonly text: string; readonly cells: readonly (readonly Cell[])[]; readonly title: string }> {
  const scene = scenes[name];
  if (!scene) throw new Error(`there is no scene ${name}`);
  await using chat = await screenChat(scene.turns, { ...scene, ...options });
  for (const [path, content] of Object.entries(scene.files ?? {})) {
    await mkdir(join(chat.work, path, ".."), { recursive: true });
    await writeFile(join(chat.work, path), content);
  }
  await scene.play(chat);
  const read = async () => `${stable(await chat.seen())}\n`;
  const { expected } = options;
  let text = await read();
  if (expected === undefined) {
    // Waits until nothing else is still being drawn.
    for (let before = ""; before !== text; text = await read()) {
      before = text;
      await pause(300);
    }
  } else {
    for (let waited = 0; waited < 60_000 && text !== expected; waited += 20) {
      await pause(20);
      text = await read();
    }
  }
  return { text, cells: await chat.emulator.cells(), title: scene.title };
}

/** Removes everything that differs from run to run: times, ids and the names of temporary folders. */
function stable(text: string): string {
  return text
    .replaceAll(/─+ \d+ \w+ left ─/gu, "─ 0 s left ─")
    .replaceAll(/\b\d+(?:\.\d+)?(?: ?ms| ?s)\b/gu, "0 s")
    .replaceAll(/\/tmp\/hermes-test-\w{6}/gu, "/tmp/hermes-test-000000")
    .replaceAll(/\b\d{8}_\d{6}_[0-9a-f]{6}\b/gu, "20260101_000000_000000");
}
