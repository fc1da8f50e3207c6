import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { sourceFlags } from "../child-process.ts";

/** The steps of a scripted program for one prompt, in order. */
export type AgentStep =
  | { readonly text: string }
  | { readonly thought: string }
  /** Reports that it uses its own tool. */
  | { readonly tool: string }
  /** Sends a request to Hermes and waits for the answer. */
  | { readonly ask: string; readonly params: object }
  | { readonly line: string }
  | { readonly stderr: string }
  | { readonly waitMs: number }
  /** Starts a long-running program in a separate session. */
  | { readonly child: true }
  | { readonly exit: number }
  | { readonly kill: true }
  | { readonly hang: true };

export interface AgentScript {
  /** Replaces the default answers; with `error`: a rejection. */
  readonly initialize?: object;
  readonly newSession?: object;
  readonly setModel?: object;
  /** The last one is repeated. */
  readonly prompts?: readonly {
    readonly steps: readonly AgentStep[];
    readonly stop?: string;
    readonly error?: object;
  }[];
  /** Steps before it reads anything. */
  readonly first?: readonly AgentStep[];
  /** The program ignores `session/cancel` and SIGTERM. */
  readonly isDeaf?: boolean;
}

export interface AgentNote {
  readonly pid: number;
  readonly started?: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly files: readonly string[];
  };
  readonly child?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** The answer to a request of the program. */
  readonly answer?: Readonly<Record<string, unknown>>;
}

export interface ScriptedAgent {
  /** Variables that make Hermes start it. */
  readonly env: Readonly<Record<string, string>>;
  /** Everything that it did and received so far, over all starts. */
  notes(): Promise<readonly AgentNote[]>;
  /** The texts of the prompts it got. */
  prompts(): Promise<readonly string[]>;
}

export async function writeAgent(folder: string, script: AgentScript): Promise<ScriptedAgent> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, "script.json");
  const log = join(folder, "notes.jsonl");
  await writeFile(file, JSON.stringify(script));
  await writeFile(log, "");
  const notes = async () =>
    (await readFile(log, "utf8"))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as AgentNote);
  return {
    env: {
      HERMES_COPILOT_ACP_COMMAND: process.execPath,
      HERMES_COPILOT_ACP_ARGS: `${sourceFlags.join(" ")} "${join(import.meta.dirname, "program.ts")}" "${file}" "${log}"`,
    },
    notes,
    prompts: async () =>
      (await notes()).flatMap(({ method, params }) => {
        if (method !== "session/prompt") return [];
        const blocks = params?.["prompt"] as readonly { readonly type: string; readonly text?: string }[];
        return [blocks.map(({ type, text }) => text ?? `(${type})`).join("")];
      }),
  };
}
