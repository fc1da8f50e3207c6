import { sha256 } from "../../base/digest.ts";
import { canonicalJson, isObject, type JsonObject, type JsonValue, ownValue } from "../../base/json.ts";
import { cut, oneLine } from "../../base/text/text.ts";
import { unifiedDiff } from "../../base/text/unified-diff.ts";
import type { McpListing, McpToolDefinition } from "../../contracts/mcp/definitions.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { WaitingTool } from "../../contracts/mcp/status.ts";
import { isNarrower } from "./narrower-schema.ts";
import { isChosen } from "./tool-filter.ts";
import { toolNameOf } from "./tool-names.ts";
import { isTextKey, withoutHidden } from "./visible-listing.ts";

/**
 * The tool definitions that the user accepted, by their names on the server. The first definition of a tool counts as
 * accepted.
 */
export type Pins = Readonly<Record<string, PinnedTool>>;

type PinnedTool = Pick<McpToolDefinition, "name" | "title" | "description" | "inputSchema" | "annotations">;

/** A tool that may be called, with the facts that search and the registry need. Its schema is not included. */
export interface OfferedTool {
  /** The tool name in the server's own spelling. */
  readonly tool: string;
  /** The tool's name in Hermes. */
  readonly name: string;
  readonly summary: string;
  /** The names of the tool's parameters. */
  readonly parameters: readonly string[];
  readonly isReadOnly: boolean;
}

export interface JudgedListing {
  readonly offered: readonly OfferedTool[];
  readonly waiting: readonly WaitingTool[];
  /** The pinned definitions, including those of new tools. */
  readonly pins: Pins;
}

export interface JudgeDeps {
  /** Returns why the text looks like instructions to the model; undefined if it does not. */
  readonly findOrders: (text: string) => Promise<string | undefined>;
  /** Yields, so that other work can run. */
  readonly pause: () => Promise<void>;
}

/**
 * Decides which tools of a listing may be called. `accepted` lists tools whose current definition the user accepts
 * now.
 */
export async function judgeListing(
  { tools }: McpListing,
  { name: server, tools: filter }: McpServerEntry,
  stored: Pins | "damaged",
  deps: JudgeDeps,
  accepted: (tool: string) => boolean = () => false,
): Promise<JudgedListing> {
  const chosen = tools.filter(({ name }) => isChosen(name, filter));
  const rivals = Map.groupBy(chosen, ({ name }) => toolNameOf(server, name));
  const offered: OfferedTool[] = [];
  const waiting: WaitingTool[] = [];
  const pins = stored === "damaged" ? Object.fromEntries(chosen.map((each) => [each.name, lostPin(each)])) : stored;
  const kept = new Map(Object.entries(pins));
  for (const definition of chosen) {
    const name = toolNameOf(server, definition.name);
    const same = rivals.get(name) ?? [];
    if (same.length > 1) {
      const detail = `${same.length} tools of the server have the same name ${name} in Hermes: ${same.map((each) => JSON.stringify(cut(each.name, 80))).join(", ")}`;
      waiting.push({ tool: definition.name, reason: "collision", detail });
      continue;
    }
    const current = pinnable(definition);
    const fault = accepted(definition.name) ? undefined : await faultOf(current, ownValue(pins, definition.name), deps);
    if (fault) waiting.push({ tool: definition.name, ...fault });
    else {
      // A narrower definition keeps the old pin, so that the server may return to the accepted definition.
      if (accepted(definition.name) || !kept.has(definition.name)) kept.set(definition.name, current);
      offered.push(offeredOf(definition, name));
    }
  }
  return { offered, waiting, pins: Object.fromEntries(kept) };
}

/** Replaces an accepted definition that is no longer readable: no definition matches it. */
function lostPin({ name }: McpToolDefinition): PinnedTool {
  return { name, description: "(the accepted definition cannot be read)", inputSchema: {} };
}

async function faultOf(
  current: PinnedTool,
  pinned: PinnedTool | undefined,
  { findOrders, pause }: JudgeDeps,
): Promise<Omit<WaitingTool, "tool"> | undefined> {
  if (pinned) {
    if (pinOf(pinned) === pinOf(current)) return undefined;
    // A narrower schema can contain new texts, such as the values of an enum.
    if (onlyNarrows(pinned, current) && (await findOrders(textsIn(current))) === undefined) return undefined;
    const [before, after] = [pinned, current].map((each) => JSON.stringify(each, undefined, 2));
    const diff = unifiedDiff(
      { name: "accepted", text: before ?? "" },
      { name: "now", text: after ?? "" },
      maxDiffChars,
    );
    return { reason: "changed", detail: diff };
  }
  await pause();
  const suspicion = await findOrders(textsIn(current));
  return suspicion === undefined ? undefined : { reason: "suspicious", detail: suspicion };
}

const maxDiffChars = 8_000;
const maxScannedChars = 50_000;
const maxSummaryChars = 400;
const maxParameters = 50;

function onlyNarrows(pinned: PinnedTool, current: PinnedTool): boolean {
  const withoutSchema = (each: PinnedTool) => pinOf({ ...each, inputSchema: {} });
  return withoutSchema(pinned) === withoutSchema(current) && isNarrower(pinned.inputSchema, current.inputSchema);
}

function pinnable({ name, title, description, inputSchema, annotations }: McpToolDefinition): PinnedTool {
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(annotations && { annotations }),
  };
}

function pinOf(tool: PinnedTool): string {
  // The cast is safe: a definition is JSON.
  return sha256(canonicalJson(tool as unknown as JsonObject));
}

function offeredOf({ name: tool, description, title, inputSchema, annotations }: McpToolDefinition, name: string) {
  const { properties } = inputSchema;
  return {
    tool,
    name,
    summary: oneLine(withoutHidden(description || (title ?? "")), maxSummaryChars),
    parameters: isObject(properties)
      ? Object.keys(properties)
          .slice(0, maxParameters)
          .map((each) => cut(each, 80))
      : [],
    isReadOnly: annotations?.readOnlyHint === true,
  };
}

/** Whether a name or a value of a schema can be a sentence. */
function isPhrase(text: string): boolean {
  return text.length > maxWordChars || /\s/u.test(text);
}

const maxWordChars = 40;

/** Every text of a definition that the model would read. */
function textsIn({ name, title = "", description, inputSchema }: PinnedTool): string {
  const texts = [name, title, description];
  const visit = (node: JsonValue): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (isPhrase(key)) texts.push(key);
      if (typeof value !== "string") visit(value);
      else if (isTextKey(key) || isPhrase(value)) texts.push(value);
    }
  };
  visit(inputSchema);
  return cut(texts.filter((text) => text !== "").join("\n\n"), maxScannedChars);
}
