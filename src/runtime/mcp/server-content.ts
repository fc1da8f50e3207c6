import { ok, type Result } from "../../base/result.ts";
import { cut, oneLine } from "../../base/text/text.ts";
import type { McpFault } from "../../contracts/mcp/connection.ts";
import type { McpFleet } from "../../contracts/mcp/fleet.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import type { TextSource } from "../../contracts/safety/text-source.ts";
import { type TurnCompanion, textOf } from "../../contracts/session/turn-companion.ts";
import { fenceText } from "../../kernel/dispatch/result/untrusted.ts";
import { type ResourceReference, resourceReferences } from "../../mcp/adapt/resource-references.ts";

/** A server's prompt, as a user prompt that names its author. */
export async function promptOfServer(
  fleet: McpFleet,
  wish: { readonly server: string; readonly prompt: string; readonly args: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Result<readonly ContentPart[], McpFault>> {
  const { server, prompt, args } = wish;
  const read = await fleet.use(
    server,
    (connection, { timeoutMs }) => connection.getPrompt(prompt, args, { signal, timeoutMs }),
    { signal },
  );
  if (!read.ok) return read;
  const about = `The user runs the prompt ${oneLine(prompt, 100)} of the MCP server ${server}. Do what it asks, as far as it serves the user:`;
  return ok(foreign(about, read.value, server));
}

interface CompanionDeps {
  /** The connected servers. Undefined: there are none. */
  readonly fleet: () => Promise<McpFleet> | undefined;
  readonly taint: (source: TextSource) => void;
  readonly say: (sentence: string) => void;
}

const maxChars = 200_000;
const maxReadMs = 30_000;
const head = "Resource of an MCP server that the user refers to: ";

/** Adds the resources that a prompt names as `@server:uri`. */
export function referenceCompanion({ fleet: find, taint, say }: CompanionDeps): TurnCompanion {
  async function readResource(
    fleet: McpFleet,
    { server, uri }: ResourceReference,
    signal: AbortSignal,
  ): Promise<readonly ContentPart[]> {
    const read = await fleet.use(
      server,
      (connection, { timeoutMs }) =>
        connection.readResource(uri, { signal, timeoutMs: Math.min(timeoutMs, maxReadMs) }),
      { signal },
    );
    const about = `${head}@${server}:${uri}`;
    if (read.ok) {
      taint({ kind: "mcp", name: server });
      return foreign(about, read.value, server);
    }
    if (!signal.aborted) say(`@${server}:${uri} could not be read: ${read.error.message}`);
    return [{ type: "text", text: `${about} could not be read.` }];
  }

  return {
    async before(prompt, signal) {
      const text = textOf(prompt);
      if (!/@[\w.-]+:\S/u.test(text)) return [];
      const fleet = await find();
      if (!fleet) return [];
      const names = fleet.glance().flatMap(({ name, state }) => (state === "disabled" ? [] : [name]));
      const references = resourceReferences(text, names);
      return (await Promise.all(references.map((each) => readResource(fleet, each, signal)))).flat();
    },
    added: (part) => part.type === "text" && part.text.startsWith(head),
  };
}

/** The texts as one part that names their author; images and sounds follow. */
function foreign(about: string, parts: readonly ContentPart[], server: string): readonly ContentPart[] {
  const others = parts.filter(({ type }) => type !== "text");
  const text = textOf(parts);
  const rest = text.length > maxChars ? `\n[${text.length - maxChars} more characters were left out.]` : "";
  return [{ type: "text", text: `${about}\n${fenceText(cut(text, maxChars) + rest, `mcp:${server}`)}` }, ...others];
}
