import type { Transport } from "@modelcontextprotocol/client";

import { waitFor } from "../../base/async/bounded-wait.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Http } from "../../base/http/http-client.ts";
import type { McpFetch } from "../../contracts/mcp/authorize.ts";
import type { McpServerRequests } from "../../contracts/mcp/connection.ts";
import type { HttpTarget } from "../../contracts/mcp/server-entry.ts";
import type { McpChannel } from "./channel.ts";
import type { TransportError } from "./fault.ts";
import { createMcpFetch, type McpFetchDeps } from "./http-fetch.ts";
import { watchStreams } from "./http-transport.ts";
import { createInbound, floodEntry } from "./inbound.ts";

export interface HttpChannelDeps {
  readonly clock: Clock;
  /** The HTTP client with the certificates of the target. The channel disposes it. */
  readonly http: Http;
  readonly addressFault: McpFetchDeps["addressFault"];
  /** Adds the access token of a sign-in to requests. */
  readonly authorize: (fetch: McpFetch) => McpFetch;
  readonly log: McpServerRequests["log"];
}

/** Opens a channel over Streamable HTTP, or over the older transport with server-sent events. Sends nothing yet. */
export async function openHttpChannel(target: HttpTarget, deps: HttpChannelDeps): Promise<McpChannel> {
  const { StreamableHTTPClientTransport, SSEClientTransport } = await import("@modelcontextprotocol/client");
  const { clock, http, addressFault, authorize, log } = deps;
  const server = new URL(target.url);
  const ended = Promise.withResolvers<{ readonly reason: string }>();
  const faults: { last?: TransportError | undefined } = {};
  const plain = createMcpFetch({
    http,
    server,
    headers: target.headers,
    addressFault,
    onResponse({ headers }, status) {
      if (status === 404 && headers.has("mcp-session-id"))
        ended.resolve({ reason: "the server no longer has the session" });
    },
    onStreamEnd(isAnswer, fault) {
      faults.last = fault;
      // Closes the channel, because the library would reconnect to a session without a handshake.
      if (target.kind === "sse" && !isAnswer) end("the server ended its event stream");
    },
  });
  const options = { fetch: authorize(plain) };
  const end = (reason: string): void => {
    ended.resolve({ reason });
    void close();
  };
  const close = once(async () => {
    ended.resolve({ reason: "the connection was closed" });
    if (transport instanceof StreamableHTTPClientTransport) {
      const over = new AbortController();
      const goodbye = transport.terminateSession().catch(() => undefined);
      await waitFor(goodbye, { ms: goodbyeMs, clock, signal: over.signal });
    }
    await transport.close().catch(() => undefined);
    http[Symbol.dispose]();
  });
  const transport: Transport =
    target.kind === "http"
      ? new StreamableHTTPClientTransport(server, { ...options, reconnectionOptions })
      : // This deprecated transport is the only one that some servers support.
        // oxlint-disable-next-line no-deprecated
        new SSEClientTransport(server, options);
  return {
    transport: watchStreams(transport, {
      inbound: createInbound(clock, () => log(floodEntry)),
      fault: () => faults.last,
      clock,
    }),
    ended: ended.promise,
    complaint: () => "",
    close,
  };
}

const goodbyeMs = 2_000;
const reconnectionOptions = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 8,
};
