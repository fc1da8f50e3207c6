import type { JsonSchemaValidator, jsonSchemaValidator, Server, ServerContext } from "@modelcontextprotocol/server";

import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, reasonOf } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import { callResult, contentBlock } from "./call-result.ts";
import { createPromisedOutputs } from "./output-schemas.ts";
import { serveContent } from "./serve-content.ts";
import type { Announce, ClientPorts, ClientFacts, Elicit, OpenClient, ServedClient } from "./served-client.ts";
import type { ServerLibrary } from "./server-library.ts";

/** One client's connection: the handlers of a library server, and the session that they use. */
export interface ClientServer extends AsyncDisposable {
  readonly server: Server;
}

/**
 * Creates a server for one connection. The client's session opens with its first request. `clock` is for
 * subscriptions; undefined if the library itself handles them, as in the protocol without sessions.
 */
export function createClientServer(library: ServerLibrary, open: OpenClient, clock?: Clock): ClientServer {
  const server = new library.Server(
    { name: "hermes", title: "Hermes", version },
    {
      capabilities: { ...capabilities, resources: { listChanged: true, ...(clock && { subscribe: true }) } },
      instructions,
      jsonSchemaValidator: noValidator,
    },
  );
  const outputs = createPromisedOutputs();
  let client: ServedClient | undefined;
  const clientFor = (ctx: ServerContext) => (client ??= open(clientFacts(server, ctx), announce));
  const announce: Announce = {
    tools: () => void server.sendToolListChanged().catch(ignore),
    prompts: () => void server.sendPromptListChanged().catch(ignore),
    resources: () => void server.sendResourceListChanged().catch(ignore),
    hasListener: () => true,
  };

  const content = serveContent(library, server, (ctx) => clientFor(ctx).content, clock);
  server.setRequestHandler("tools/list", async (_request, ctx) => {
    const tools = await clientFor(ctx).tools(ctx.mcpReq.signal);
    return {
      tools: tools.map(({ outputSchema, ...tool }) => ({
        ...tool,
        inputSchema: { ...tool.inputSchema, type: "object" as const },
        ...(outputSchema && { outputSchema: { ...outputSchema, type: "object" as const } }),
      })),
    };
  });
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    // The cast is safe: the value is JSON from the connection, and the dispatcher validates it.
    const args = (params.arguments ?? {}) as JsonObject;
    const result = await clientFor(ctx).call(params.name, args, portsOf(server, ctx));
    if (!result.ok && result.error.kind === "unknown_tool")
      throw new library.ProtocolError(invalidParams, result.error.message);
    return outputs.keep(params.name, callResult(result));
  });
  return {
    server,
    async [Symbol.asyncDispose]() {
      content[Symbol.dispose]();
      await server.close();
      await client?.[Symbol.asyncDispose]();
    },
  };
}

const capabilities = {
  tools: { listChanged: true },
  logging: {},
  prompts: { listChanged: true },
  completions: {},
};

/** The error code of JSON-RPC. */
const invalidParams = -32602;

const instructions =
  "Tools of Hermes: commands, files, skills, memory and earlier sessions. Hermes checks every call against the user's rules, dangerous calls need approval, and file changes can be undone.";

/** The cast is safe: responses are validated where they are used. */
const noValidator: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    // The cast is safe: the library reads only `valid`.
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

function clientFacts(server: Server, { mcpReq: { envelope } }: ServerContext): ClientFacts {
  const meta: Readonly<Record<string, unknown>> = { ...envelope };
  const info = meta["io.modelcontextprotocol/clientInfo"] ?? server.getClientVersion();
  const declared = meta["io.modelcontextprotocol/clientCapabilities"] ?? server.getClientCapabilities();
  const capabilities = isObject(declared) ? declared : {};
  const { name, version: clientVersion } = isObject(info) ? info : {};
  return {
    name: plainName(name) || "unknown",
    version: plainName(clientVersion),
    canElicit: capabilities.elicitation !== undefined,
    canSample: capabilities.sampling !== undefined,
  };
}

/** Sanitizes the client's name, which becomes part of a principal and of log lines. */
function plainName(text: unknown): string {
  return typeof text === "string" ? text.replaceAll(/[^A-Za-z0-9.-]+/gu, "-").slice(0, 64) : "";
}

/** The client during one request. */
function portsOf(server: Server, ctx: ServerContext): ClientPorts {
  const { mcpReq } = ctx;
  const progressToken = mcpReq._meta?.progressToken;
  let count = 0;
  const facts = clientFacts(server, ctx);
  const isModern = mcpReq.envelope !== undefined;
  return {
    signal: mcpReq.signal,
    ...(progressToken !== undefined && {
      progress(note: string) {
        const params = { progressToken, progress: ++count, message: note };
        void mcpReq.notify({ method: "notifications/progress", params }).catch(ignore);
      },
    }),
    log: (level, text) => void mcpReq.log(level, text, "hermes").catch(ignore),
    ...(facts.canElicit && !isModern && { elicit: elicitBy(ctx) }),
    ...(facts.canSample && !isModern && { sample: sampleBy(ctx) }),
  };
}

/** The client has disconnected. The end of the connection is handled elsewhere. */
function ignore() {}

function elicitBy({ mcpReq }: ServerContext): Elicit {
  return async ({ message, schema }, signal) => {
    try {
      const params = { mode: "form", message, requestedSchema: schema };
      const answer = await mcpReq.send({ method: "elicitation/create", params }, { signal, timeout: maxElicitMs });
      if (answer.action !== "accept") return ok({ action: answer.action });
      return ok({ action: "accept", content: { ...answer.content } });
    } catch (thrown) {
      return err({ message: reasonOf(thrown) });
    }
  };
}

/** Asks the model of the client. */
function sampleBy({ mcpReq }: ServerContext): NonNullable<ClientPorts["sample"]> {
  return async (_task, prompt, { maxTokens, images = [] }, signal) => {
    try {
      const contents = [...images.map(contentBlock), { type: "text", text: prompt }];
      const messages = contents.map((content) => ({ role: "user", content }));
      const params = { messages, maxTokens };
      const { content } = await mcpReq.send(
        { method: "sampling/createMessage", params },
        { signal, timeout: maxElicitMs },
      );
      const parts = Array.isArray(content) ? content : [content];
      return ok(parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
    } catch (thrown) {
      return err({ message: reasonOf(thrown) });
    }
  };
}

/** Approvals have their own time limit, so this one is the longest that a timer allows. */
const maxElicitMs = 2 ** 31 - 1;
