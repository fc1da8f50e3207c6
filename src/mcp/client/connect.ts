import type { Client, jsonSchemaValidator, VersionNegotiationOptions } from "@modelcontextprotocol/client";

import { abortable, linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Http } from "../../base/http/http-client.ts";
import { err, ok, reasonOf } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import type { AuthorizeMcp } from "../../contracts/mcp/authorize.ts";
import type { ConnectMcp, McpConnection, McpServerRequests } from "../../contracts/mcp/connection.ts";
import type { HttpTarget, McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { McpChannel } from "./channel.ts";
import { createConnection } from "./connection.ts";
import { classify, faultOf, TransportError } from "./fault.ts";
import { openHttpChannel } from "./http-channel.ts";
import type { McpFetchDeps } from "./http-fetch.ts";
import { createAsker } from "./request.ts";
import type { KeepBlob } from "./results.ts";
import type { StartMcpProgram } from "./server-program.ts";
import { answerServer, capabilitiesFor } from "./server-requests.ts";
import { openStdioChannel } from "./stdio-channel.ts";

export interface ConnectMcpDeps {
  readonly clock: Clock;
  readonly startProgram: StartMcpProgram;
  /** An HTTP client with the certificates of a target. The connection disposes it. */
  readonly openHttp: (target: HttpTarget) => Http;
  /** Whether Hermes may contact an address other than the server's own. */
  readonly addressFault: (server: URL) => McpFetchDeps["addressFault"];
  readonly authorize: AuthorizeMcp;
  readonly redact: (text: string) => string;
  /** Saves bytes of results as files. */
  readonly keep: KeepBlob;
}

export function createConnectMcp(deps: ConnectMcpDeps): ConnectMcp {
  return async (entry, requests, signal) => {
    using link = linkAbort(signal);
    const late = new TransportError("timeout", `no connection within ${entry.connectTimeoutMs / 1000} s`, false);
    using _timer = deps.clock.after(entry.connectTimeoutMs, () => link.abort(late));
    try {
      return ok(await connect(entry, requests, deps, link.signal));
    } catch (thrown) {
      if (signal.aborted)
        return err({ kind: "aborted", message: `MCP server ${entry.name}: connecting was cancelled`, isSent: false });
      const reason = link.signal.aborted ? late : thrown;
      return err({ ...faultOf(entry.name, reason, deps.redact), isSent: false });
    }
  };
}

async function connect(
  entry: McpServerEntry,
  requests: McpServerRequests,
  deps: ConnectMcpDeps,
  signal: AbortSignal,
): Promise<McpConnection> {
  const { Client } = await import("@modelcontextprotocol/client");
  const channel = await openChannel(entry, requests, deps, signal);
  const end: { reason?: string } = {};
  void channel.ended.then(({ reason }) => (end.reason = reason));
  const listChanged = new Set<() => void>();
  const client = new Client(clientInfo, {
    capabilities: capabilitiesFor(entry),
    versionNegotiation: negotiationOf(entry),
    jsonSchemaValidator: noValidator,
  });
  answerServer(client, requests, entry, () => listChanged.forEach((run) => run()));
  // The library offers no other way to set these handlers.
  // oxlint-disable-next-line prefer-add-event-listener
  client.onerror = (error) => requests.log({ level: "debug", logger: "client", text: reasonOf(error) });
  try {
    await abortable(client.connect(channel.transport, { timeout: entry.connectTimeoutMs, signal }), signal);
  } catch (thrown) {
    const { reason } = end;
    await channel.close();
    // Some older servers exit if the first request asks for their version.
    if (reason !== undefined && entry.protocol === "auto" && !signal.aborted)
      return connect({ ...entry, protocol: "legacy" }, requests, deps, signal);
    throw explained(thrown, reason, channel.complaint());
  }
  listenForChanges(client, entry, requests);
  const ask = createAsker(client, entry.name, {
    clock: deps.clock,
    redact: deps.redact,
    complaint: channel.complaint,
    end: () => end.reason,
  });
  const { clock, keep } = deps;
  return createConnection({ server: entry.name, client, channel, ask, clock, keep, listChanged });
}

/** Newer servers report list changes only to a client that subscribes. */
function listenForChanges(client: Client, { connectTimeoutMs }: McpServerEntry, { log }: McpServerRequests): void {
  if (client.getProtocolEra() !== "modern") return;
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const filter = {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  };
  if (Object.keys(filter).length === 0) return;
  client
    .listen(filter, { timeout: connectTimeoutMs })
    .catch((thrown: unknown) => log({ level: "warning", logger: "client", text: `no news: ${reasonOf(thrown)}` }));
}

async function openChannel(
  { name, target }: McpServerEntry,
  { log }: McpServerRequests,
  { clock, startProgram, openHttp, addressFault, authorize }: ConnectMcpDeps,
  signal: AbortSignal,
): Promise<McpChannel> {
  if (target.kind !== "stdio")
    return openHttpChannel(target, {
      clock,
      http: openHttp(target),
      addressFault: addressFault(new URL(target.url)),
      authorize: (fetch) => authorize(name, target, fetch),
      log,
    });
  const opened = await openStdioChannel({ name, target }, { clock, start: startProgram, log }, signal);
  if (opened.ok) return opened.value;
  throw new TransportError("transport", opened.error, false);
}

/** The exit status and output of a program explain more than the end of its connection. */
function explained(thrown: unknown, end: string | undefined, complaint: string): unknown {
  if (end === undefined && complaint === "") return thrown;
  const { kind, text, isSent } = classify(thrown);
  const message = `${end ?? text}${complaint && `. It wrote: ${complaint}`}`;
  return new TransportError(end === undefined ? kind : "transport", message, isSent);
}

const clientInfo = { name: "hermes-agent-ts", title: "Hermes", version };

function negotiationOf({ protocol }: McpServerEntry): VersionNegotiationOptions {
  if (protocol === "legacy") return { mode: "legacy" };
  return { mode: protocol === "auto" ? "auto" : { pin: statelessVersion }, probe: { timeoutMs: probeMs } };
}

const statelessVersion = "2026-07-28";
/** A server that does not answer the version request uses an older protocol. */
const probeMs = 10_000;

/** Results are validated elsewhere, and the library's default validator would load a large dependency. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "not validated here" }),
};
