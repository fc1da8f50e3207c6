import type { ValueOf } from "../contracts/host/input-schema.ts";
import type { AnyOperation } from "./operation.ts";

/** The groups of operations. Each is loaded when one of its operations is first used. */
const nouns = {
  agents: () => import("./agents/agents.ts"),
  approvals: () => import("./safety/approvals.ts"),
  audit: () => import("./safety/audit.ts"),
  auth: () => import("./models/auth.ts"),
  backup: () => import("./upkeep/backup.ts"),
  background: () => import("./sessions/background.ts"),
  browser: () => import("./browser/browser.ts"),
  bundles: () => import("./knowledge/bundles.ts"),
  check: () => import("./safety/check.ts"),
  checkpoints: () => import("./sessions/checkpoints.ts"),
  clipboard: () => import("./content/clipboard.ts"),
  code: () => import("./code/code.ts"),
  config: () => import("./settings/config.ts"),
  curator: () => import("./knowledge/curator.ts"),
  debug: () => import("./diagnosis/debug.ts"),
  doctor: () => import("./settings/doctor.ts"),
  goals: () => import("./sessions/goals.ts"),
  fallback: () => import("./models/fallback.ts"),
  hooks: () => import("./plugins/hooks.ts"),
  hub: () => import("./knowledge/hub.ts"),
  images: () => import("./content/images.ts"),
  import: () => import("./settings/import.ts"),
  insights: () => import("./diagnosis/insights.ts"),
  learnings: () => import("./knowledge/learnings.ts"),
  logs: () => import("./diagnosis/logs.ts"),
  loops: () => import("./sessions/loops.ts"),
  mcp: () => import("./mcp/mcp.ts"),
  servers: () => import("./mcp/mcp-content.ts"),
  memory: () => import("./knowledge/memory.ts"),
  moa: () => import("./models/moa.ts"),
  model: () => import("./models/model.ts"),
  plan: () => import("./sessions/plan.ts"),
  plugins: () => import("./plugins/plugins.ts"),
  policy: () => import("./safety/policy.ts"),
  profile: () => import("./settings/profile.ts"),
  prompt: () => import("./sessions/prompt.ts"),
  references: () => import("./references/references.ts"),
  quick: () => import("./settings/quick.ts"),
  replay: () => import("./sessions/replay.ts"),
  security: () => import("./upkeep/security.ts"),
  session: () => import("./sessions/session.ts"),
  sessions: () => import("./sessions/sessions.ts"),
  shell: () => import("./sessions/shell.ts"),
  skills: () => import("./knowledge/skills.ts"),
  snapshots: () => import("./settings/snapshots.ts"),
  skins: () => import("./settings/skins.ts"),
  status: () => import("./diagnosis/status.ts"),
  tools: () => import("./tools/tools.ts"),
  toolsets: () => import("./tools/toolsets.ts"),
  trust: () => import("./safety/trust.ts"),
  uninstall: () => import("./upkeep/uninstall.ts"),
  update: () => import("./upkeep/update.ts"),
  ui: () => import("./plugins/plugin-ui.ts"),
  usage: () => import("./sessions/usage.ts"),
  voice: () => import("./speech/voice.ts"),
  worktree: () => import("./sessions/worktree.ts"),
};

type Nouns = { [Noun in keyof typeof nouns]: Awaited<ReturnType<(typeof nouns)[Noun]>>["operations"] };

/** A name such as `sessions.rename`. */
export type OperationName = {
  [Noun in keyof Nouns]: `${Noun}.${Extract<keyof Nouns[Noun], string>}`;
}[keyof Nouns];

type OperationOf<Name extends OperationName> = Name extends `${infer Noun extends keyof Nouns}.${infer Verb}`
  ? Verb extends keyof Nouns[Noun]
    ? Nouns[Noun][Verb]
    : never
  : never;

export type InputOf<Name extends OperationName> =
  OperationOf<Name> extends { readonly input: infer S } ? ValueOf<S> : never;

export type OutputOf<Name extends OperationName> =
  OperationOf<Name> extends { run(...args: never): Promise<infer Outcome> }
    ? Extract<Outcome, { readonly ok: true; readonly value: unknown }>["value"]
    : never;

/** Finds an operation and loads only its group. Undefined if there is no such operation. */
export async function findOperation(name: string): Promise<AnyOperation | undefined> {
  const [noun = "", verb = ""] = name.split(".");
  const operations = Object.hasOwn(nouns, noun) ? await operationsOf(noun as keyof typeof nouns) : {};
  return Object.hasOwn(operations, verb) ? operations[verb] : undefined;
}

/** All operations by name, in order: for references and for hosts that show them. */
export async function listOperations(): Promise<readonly (readonly [name: string, operation: AnyOperation])[]> {
  const names = Object.keys(nouns).toSorted() as (keyof typeof nouns)[];
  const listed = await Promise.all(
    names.map(async (noun) =>
      Object.entries(await operationsOf(noun)).map(([verb, operation]) => [`${noun}.${verb}`, operation] as const),
    ),
  );
  return listed.flat();
}

async function operationsOf(noun: keyof typeof nouns): Promise<Readonly<Record<string, AnyOperation>>> {
  return (await nouns[noun]()).operations;
}
