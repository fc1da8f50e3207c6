import { lookup } from "node:dns/promises";

import { abortable } from "../../base/async/abort.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { AuthorizeMcp } from "../../contracts/mcp/authorize.ts";
import type { ConnectMcp } from "../../contracts/mcp/connection.ts";
import type { HttpTarget } from "../../contracts/mcp/server-entry.ts";
import { createConnectMcp } from "../../mcp/client/connect.ts";
import { addressFault } from "../../safety/plugin-sandbox.ts";
import { type OwnTls, openHttp } from "../open-http.ts";
import { openRedactor } from "../policy/open-redactor.ts";
import { keepFile } from "./keep-file.ts";
import { serverStarter, type StartServerDeps } from "./start-server.ts";

export interface McpConnectorDeps extends StartServerDeps {
  readonly authorize: AuthorizeMcp;
}

/** Connects to servers with the programs, proxies, certificates and address rules of the settings. */
export function mcpConnector(config: LoadedConfig, deps: McpConnectorDeps): ConnectMcp {
  const redactor = openRedactor(config.secrets, config.home);
  return createConnectMcp({
    clock: deps.clock,
    startProgram: serverStarter(config, deps),
    openHttp: ({ tls }) => openHttp(config, deps.clock, ownTls(tls)),
    addressFault: privateAddressFault,
    authorize: deps.authorize,
    redact: (text) => redactor.redact(text),
    keep: (blob) => keepFile(config, deps.clock, blob),
  });
}

export function ownTls({ verify, cert, key, keyPassword }: HttpTarget["tls"]): OwnTls {
  return withoutUndefined({
    isUnverified: verify === false,
    caFile: typeof verify === "string" ? verify : undefined,
    certFile: cert,
    keyFile: key,
    keyPassword,
  });
}

/**
 * A public server must not redirect to a private address. For a private server this is allowed, because the user
 * configured it.
 */
function privateAddressFault(server: URL): (url: URL, signal: AbortSignal) => Promise<string | undefined> {
  return async (url, signal) => {
    const fault = await faultOfHost(url.hostname, signal);
    if (fault === undefined) return undefined;
    const own = await faultOfHost(server.hostname, signal);
    return own === undefined ? `it names ${url.origin}, but ${fault}, which a public server may not name` : undefined;
  };
}

async function faultOfHost(hostname: string, signal: AbortSignal): Promise<string | undefined> {
  const host = hostname.replaceAll(/^\[|\]$/gu, "");
  const addresses = await abortable(lookup(host, { all: true }), signal).catch(() => []);
  return addresses.flatMap(({ address }) => addressFault(address)?.reason ?? [])[0];
}
