import { randomUUID } from "node:crypto";

import type * as Library from "@modelcontextprotocol/server";

import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/result.ts";
import { type ClientServer, createClientServer } from "./create-server.ts";
import { createEventMemory } from "./event-memory.ts";
import type { OpenClient } from "./served-client.ts";
import type { ServerLibrary } from "./server-library.ts";

/** Clients that opened a session with `initialize`. */
export interface HttpSessions extends AsyncDisposable {
  handle(request: Request): Promise<Response>;
}

export function createHttpSessions(
  library: ServerLibrary &
    Pick<typeof Library, "WebStandardStreamableHTTPServerTransport" | "SUPPORTED_PROTOCOL_VERSIONS">,
  open: OpenClient,
  { clock, report }: { readonly clock: Clock; report(message: string): void },
): HttpSessions {
  interface OpenSession {
    readonly transport: Library.WebStandardStreamableHTTPServerTransport;
    readonly served: ClientServer;
    usedAt: number;
  }
  const sessions = new Map<string, OpenSession>();
  const closing = new Set<Promise<void>>();

  function end(id: string): void {
    const session = sessions.get(id);
    if (!session) return;
    sessions.delete(id);
    const closed = close(session.served).finally(() => closing.delete(closed));
    closing.add(closed);
  }

  async function close(served: ClientServer): Promise<void> {
    try {
      await served[Symbol.asyncDispose]();
    } catch (thrown) {
      report(reasonOf(thrown));
    }
  }

  /** A client that disappears does not send a notification, so unused sessions expire. */
  function makeRoom(): void {
    const byUse = [...sessions].toSorted(([, one], [, other]) => one.usedAt - other.usedAt);
    for (const [id, { usedAt }] of byUse)
      if (sessions.size >= maxSessions || clock.elapsed() - usedAt > idleMs) end(id);
  }

  async function start(request: Request): Promise<Response> {
    makeRoom();
    const served = createClientServer(library, open, clock);
    const transport = new library.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventMemory(),
      retryInterval: retryMs,
      onsessioninitialized: (id) => void sessions.set(id, { transport, served, usedAt: clock.elapsed() }),
      onsessionclosed: end,
    });
    await served.server.connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await served[Symbol.asyncDispose]();
    return response;
  }

  return {
    async handle(request) {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return start(request);
      const session = sessions.get(id);
      if (!session) return Response.json(unknownSession, { status: 404 });
      session.usedAt = clock.elapsed();
      // A session uses the negotiated protocol version, even if a client sends another version in a request.
      const negotiated = session.served.server.getNegotiatedProtocolVersion();
      const named = request.headers.get(versionHeader);
      if (negotiated !== undefined && named !== null && library.SUPPORTED_PROTOCOL_VERSIONS.includes(named))
        request.headers.set(versionHeader, negotiated);
      return session.transport.handleRequest(request);
    },
    async [Symbol.asyncDispose]() {
      for (const id of sessions.keys()) end(id);
      await Promise.all(closing);
    },
  };
}

const unknownSession = { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } };
const versionHeader = "mcp-protocol-version";
const maxSessions = 64;
const idleMs = 3_600_000;
/** The delay after which a client that lost a stream reconnects. */
const retryMs = 1_000;
