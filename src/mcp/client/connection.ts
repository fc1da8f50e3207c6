import type { Client } from "@modelcontextprotocol/client";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import type { McpConnection, McpFault, McpLimits } from "../../contracts/mcp/connection.ts";
import type { McpListing } from "../../contracts/mcp/definitions.ts";
import type { McpChannel } from "./channel.ts";
import { readDefinitions } from "./definitions.ts";
import { listAll } from "./listing.ts";
import { createOutputChecks } from "./output-check.ts";
import type { AskServer } from "./request.ts";
import { callResultOf, type KeepBlob, promptParts, resourceParts } from "./results.ts";

export interface ConnectionParts {
  readonly server: string;
  readonly client: Client;
  readonly channel: McpChannel;
  readonly ask: AskServer;
  readonly clock: Clock;
  readonly keep: KeepBlob;
  /** Once set, runs for every notification that a list changed. */
  readonly listChanged: Set<() => void>;
}

/** An MCP connection after its handshake. */
export function createConnection(parts: ConnectionParts): McpConnection {
  const { server, client, channel, ask, clock, keep, listChanged } = parts;
  const outputs = createOutputChecks();
  let isOpen = true;
  const closed = channel.ended.then((end) => {
    isOpen = false;
    listChanged.clear();
    return end;
  });
  const can = client.getServerCapabilities() ?? {};
  const malformed = (text: string): Result<never, McpFault> =>
    err({ kind: "malformed", message: `MCP server ${server}: ${text}`, isSent: true });

  /** Converts `raw` to the result for the caller. */
  async function read<T>(
    answer: Promise<Result<JsonObject, McpFault>>,
    turn: (raw: JsonObject, keep: KeepBlob) => Result<T, string> | Promise<Result<T, string>>,
  ): Promise<Result<T, McpFault>> {
    const raw = await answer;
    if (!raw.ok) return raw;
    const turned = await turn(raw.value, keep);
    return turned.ok ? turned : malformed(turned.error);
  }

  return {
    closed,
    get isOpen() {
      return isOpen;
    },
    async list(limits) {
      const problems: string[] = [];
      const problem = (text: string): void => void (problems.length < maxProblems && problems.push(text));
      const definitions = readDefinitions(problem);
      const page = <T>(key: "tools" | "prompts", one: (raw: unknown) => T | undefined) =>
        can[key]
          ? listAll(ask, { method: `${key}/list`, key, read: one, problem }, limits, clock)
          : ok<readonly T[]>([]);
      const [tools, prompts] = await Promise.all([
        page("tools", definitions.tool),
        page("prompts", definitions.prompt),
      ]);
      if (!tools.ok) return tools;
      if (!prompts.ok) problem(`The server's prompts cannot be listed: ${prompts.error.message}`);
      outputs.remember(tools.value);
      const instructions = client.getInstructions();
      return ok<McpListing>({
        server: {
          name: cut(client.getServerVersion()?.name ?? "", maxNameChars),
          version: cut(client.getServerVersion()?.version ?? "", maxNameChars),
          protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
        },
        ...(typeof instructions === "string" && { instructions: cut(instructions, maxInstructionChars) }),
        tools: tools.value,
        prompts: prompts.ok ? prompts.value : [],
        hasResources: can.resources !== undefined,
        hasCompletions: can.completions !== undefined,
        problems,
      });
    },
    async call(tool, args, limits) {
      const called = await read(ask("tools/call", { name: tool, arguments: args }, limits), callResultOf);
      if (!called.ok || called.value.isError) return called;
      const wrong = await outputs.fault(tool, called.value.structured, limits.outputSchema);
      return wrong === undefined ? called : malformed(`the result of ${tool} ${wrong}`);
    },
    async listResources(limits) {
      if (!can.resources) return ok([]);
      const { resource } = readDefinitions(() => {});
      const lists = [
        { method: "resources/list", key: "resources" },
        { method: "resources/templates/list", key: "resourceTemplates" },
      ].map((list) => listAll(ask, { ...list, read: resource, problem: () => {} }, limits, clock));
      const [resources, templates] = await Promise.all(lists);
      if (!resources?.ok) return resources ?? ok([]);
      // A failure means no templates, because some servers do not support them.
      return ok([...resources.value, ...(templates?.ok ? templates.value : [])]);
    },
    readResource: (uri, limits) => read(ask("resources/read", { uri }, limits), resourceParts),
    getPrompt: (name, args, limits) => read(ask("prompts/get", { name, arguments: { ...args } }, limits), promptParts),
    complete({ of, argument, value, others }, limits) {
      const ref = "prompt" in of ? { type: "ref/prompt", name: of.prompt } : { type: "ref/resource", uri: of.resource };
      const context = others ? { context: { arguments: { ...others } } } : {};
      const params = { ref, argument: { name: argument, value }, ...context };
      return read(ask("completion/complete", params, limits), completionsOf);
    },
    ping: (limits) => ping(limits),
    onListChanged(listener) {
      // Wraps the listener in a new function, so that it can be added twice.
      const run = (): void => listener();
      listChanged.add(run);
      return { [Symbol.dispose]: () => void listChanged.delete(run) };
    },
    [Symbol.asyncDispose]: once(async () => {
      await channel.close();
      await client.close().catch(() => undefined);
    }),
  };

  async function ping(limits: McpLimits): Promise<Result<void, McpFault>> {
    const isModern = client.getProtocolEra() === "modern";
    const answer = await ask(isModern ? "server/discover" : "ping", {}, limits);
    // Any response shows that the server is running.
    return answer.ok || answer.error.kind === "server" || answer.error.kind === "malformed" ? ok(undefined) : answer;
  }
}

function completionsOf(raw: JsonObject): Result<readonly string[], string> {
  const completion = raw.completion as JsonObject | undefined;
  const values = Array.isArray(completion?.values) ? completion.values : [];
  return ok(values.slice(0, maxCompletions).filter((value) => typeof value === "string"));
}

const maxProblems = 50;
const maxNameChars = 200;
const maxInstructionChars = 16_384;
const maxCompletions = 100;
