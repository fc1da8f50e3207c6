import { isObject } from "../../base/json.ts";

/** Where a text that the model reads comes from. `name` is the host, server or path. */
export interface TextSource {
  readonly kind: "user" | "workspace" | "memory" | "skill" | "file" | "web" | "mcp" | "tool" | "message" | "suspect";
  readonly name: string;
}

/** Returns whether an attacker could have written the text. Files outside the workspace may come from anywhere. */
export function isUntrusted({ kind }: TextSource): boolean {
  return untrustedKinds.has(kind);
}

const untrustedKinds: ReadonlySet<TextSource["kind"]> = new Set(["file", "web", "mcp", "tool", "message", "suspect"]);

function isTextKind(word: unknown): word is TextSource["kind"] {
  return typeof word === "string" && Object.hasOwn(kindWords, word);
}

/** Parses stored sources and skips invalid ones. */
export function readTextSources(value: unknown): readonly TextSource[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) =>
    isObject(each) && isTextKind(each["kind"]) && typeof each["name"] === "string"
      ? [{ kind: each["kind"], name: each["name"] }]
      : [],
  );
}

/** Describes a source to a user in a few words. */
export function describeTextSource({ kind, name }: TextSource): string {
  return `${kindWords[kind]} ${name}`.trim();
}

const kindWords: Readonly<Record<TextSource["kind"], string>> = {
  user: "the user",
  workspace: "the workspace file",
  memory: "the memory",
  skill: "the skill",
  file: "the file",
  web: "the web page",
  mcp: "the MCP server",
  tool: "the tool",
  message: "a message from",
  suspect: "suspicious text in",
};

/** Untrusted sources that a turn has read so far. */
export interface TurnTaint {
  /** Keeps only untrusted sources. */
  record(source: TextSource): void;
  sources(): readonly TextSource[];
}
