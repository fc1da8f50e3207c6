import { firstSentence, oneLine } from "../../base/text/text.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { AgentDefinition } from "../../contracts/session/agents.ts";
import { namedTools } from "./claude-tools.ts";
import { type FrontMatter, readFrontMatter } from "./front-matter.ts";

export const maxAgentFileBytes = 65_536;
const maxDescriptionChars = 1_024;

/** The parsed text of an agent file. Without `agent`, the last problem explains why the file cannot be used. */
export interface ReadAgent {
  readonly agent?: Omit<AgentDefinition, "source" | "path">;
  readonly problems: readonly string[];
}

/** `fileName`, without `.md`, is the name of an agent whose file has no name. */
export function readAgentText(text: string, fileName: string): ReadAgent {
  const parts = readFrontMatter(text);
  if (!parts) return { problems: ['It does not start with front matter between two lines of "---".'] };
  const { fields, body, strangeLines } = parts;
  const problems = strangeLines.map((line) => `The line ${JSON.stringify(oneLine(line, 60))} is not "field: value".`);
  const name = textOf(fields, "name") || fileName;
  const nameFault = agentNameFault(name);
  if (nameFault !== undefined) return { problems: [...problems, nameFault] };
  if (body === "") return { problems: [...problems, "It has no text after the front matter, which is the prompt."] };
  const description = oneLine(textOf(fields, "description"), maxDescriptionChars);
  if (description === "") problems.push("It has no description, so the model sees the first sentence of the prompt.");
  const permissions = permissionsOf(fields);
  if (permissions.fault !== undefined) return { problems: [...problems, permissions.fault] };
  const tools = listOf(fields, "tools");
  const named = tools && !tools.some((word) => ["*", "all", "inherit"].includes(word)) ? namedTools(tools) : undefined;
  if (tools?.length === 0) problems.push("tools: the list is empty, so it has no tools. Without the line it has all.");
  const excluded = namedTools(listOf(fields, "disallowedtools") ?? []);
  problems.push(...(named?.problems ?? []), ...excluded.problems);
  const model = textOf(fields, "model");
  const agent = {
    name,
    description: description === "" ? firstSentence(body.replace(/^#.*$/gmu, ""), 200) : description,
    ...withoutUndefined({
      tools: named?.tools,
      withoutTools: excluded.tools.length > 0 ? excluded.tools : undefined,
      model: model === "" || model === "inherit" ? undefined : model,
      permissions: permissions.mode,
    }),
    prompt: body,
  };
  return { agent, problems };
}

/** Agent names appear in prompts, lists and paths. */
export function agentNameFault(name: string): string | undefined {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/u.test(name)
    ? undefined
    : `The name ${JSON.stringify(oneLine(name, 80))} cannot be used: lower-case letters, digits, "-" and "_", at most 64.`;
}

/** An unknown word makes the agent unusable, because a limit that its author intended would be missing. */
function permissionsOf(fields: FrontMatter): {
  readonly mode?: AgentDefinition["permissions"];
  readonly fault?: string;
} {
  const word = textOf(fields, "permissions") || textOf(fields, "permissionmode");
  const mode = modes[word.toLowerCase().replaceAll(/[-_ ]/gu, "")];
  if (mode !== undefined) return mode === "parent" ? {} : { mode };
  return {
    fault: `permissions: ${JSON.stringify(oneLine(word, 40))} is neither readonly nor manual. Without the line the agent has those of its parent; it never has more.`,
  };
}

/**
 * Includes the words of Claude Code. Words that loosen permissions have no effect: an agent has at most the permissions
 * of its parent.
 */
const modes: Readonly<Partial<Record<string, "readonly" | "manual" | "parent">>> = {
  "": "parent",
  readonly: "readonly",
  plan: "readonly",
  manual: "manual",
  default: "parent",
  inherit: "parent",
  auto: "parent",
  acceptedits: "parent",
  dontask: "parent",
  bypasspermissions: "parent",
};

function textOf(fields: FrontMatter, name: string): string {
  const value = fields.get(name) ?? "";
  return (typeof value === "string" ? value : value.join(", ")).trim();
}

/** Undefined if the field is missing. Names are separated by commas or blanks; an argument list may contain both. */
function listOf(fields: FrontMatter, name: string): readonly string[] | undefined {
  const value = fields.get(name);
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : value.join(",");
  return (text.match(/[^\s,(]+(?:\([^)]*\))?/gu) ?? []).slice(0, 100);
}
