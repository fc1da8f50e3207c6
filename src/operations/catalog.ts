import type { ValueOf } from "../contracts/host/input-schema.ts";
import type { AnyOperation } from "./operation.ts";

/** The nouns, each loaded when one of its operations is first used. */
const nouns = {
  approvals: () => import("./approvals.ts"),
  audit: () => import("./audit.ts"),
  auth: () => import("./auth.ts"),
  bundles: () => import("./bundles.ts"),
  check: () => import("./check.ts"),
  checkpoints: () => import("./checkpoints.ts"),
  config: () => import("./config.ts"),
  curator: () => import("./curator.ts"),
  doctor: () => import("./doctor.ts"),
  fallback: () => import("./fallback.ts"),
  hub: () => import("./hub.ts"),
  import: () => import("./import.ts"),
  learnings: () => import("./learnings.ts"),
  memory: () => import("./memory.ts"),
  moa: () => import("./moa.ts"),
  model: () => import("./model.ts"),
  policy: () => import("./policy.ts"),
  profile: () => import("./profile.ts"),
  prompt: () => import("./prompt.ts"),
  replay: () => import("./replay.ts"),
  session: () => import("./session.ts"),
  sessions: () => import("./sessions.ts"),
  skills: () => import("./skills.ts"),
  tools: () => import("./tools.ts"),
  toolsets: () => import("./toolsets.ts"),
  trust: () => import("./trust.ts"),
  usage: () => import("./usage.ts"),
};

type Nouns = { [Noun in keyof typeof nouns]: Awaited<ReturnType<(typeof nouns)[Noun]>>["operations"] };

/** `sessions.rename`. */
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

/** Undefined: there is no such operation. Loads its noun and nothing else. */
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
