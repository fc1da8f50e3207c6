import type { ClientRequest } from "node:http";
import type { Agent, AgentOptions } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

import { withoutUndefined } from "../without-undefined.ts";

/** Options of a request through a tunnel. Aborting the request also aborts a tunnel that is being opened. */
export interface TunnelOptions {
  readonly cut?: AbortSignal;
}

interface Target extends TunnelOptions {
  readonly host?: string | null;
  readonly port?: number | string | null;
  readonly servername?: string;
}

/** How TLS connections are established. */
export type TlsSecrets = Pick<AgentOptions, "ca" | "cert" | "key" | "passphrase" | "rejectUnauthorized">;

type Connected = (error: Error | null, socket: Duplex) => void;

/**
 * An agent that keeps TLS connections through a proxy open. Node's own agent keeps waiting for the proxy after an
 * abort.
 */
export function createTunnelAgent(proxy: URL, options: AgentOptions): Agent {
  const { Agent: Base } = process.getBuiltinModule("node:https");
  const { connect } = process.getBuiltinModule("node:tls");
  class TunnelAgent extends Base {
    override createConnection(target: Target, connected?: Connected): undefined {
      const { host, port, servername, cut } = target;
      const name = host?.includes(":") ? `[${host}]` : host;
      openTunnel(proxy, `${name}:${port}`, cut, (failed, socket) => {
        // The cast is needed because Node's types cannot express an error without a socket.
        if (!socket) return connected?.(failed ?? new Error("no tunnel"), undefined as unknown as Duplex);
        const { ca, cert, key, passphrase, rejectUnauthorized } = options;
        const secrets = withoutUndefined({ ca, cert, key, passphrase, rejectUnauthorized });
        const serverName = servername === undefined || servername === "" ? {} : { servername };
        connected?.(null, connect({ socket, ...serverName, ...secrets, ...(host ? { host } : {}) }));
      });
    }
  }
  return new TunnelAgent(options);
}

/** Opens a connection to `target` (`host:port`) through a proxy. Calls back once. */
export function openTunnel(
  proxy: URL,
  target: string,
  cut: AbortSignal | undefined,
  opened: (failed: Error | undefined, socket?: Socket) => void,
): void {
  const { request, host, port, headers } = proxyAccess(proxy);
  const options = { host, port, method: "CONNECT", path: target, agent: false, headers: { host: target, ...headers } };
  const connecting: ClientRequest = request(options);
  const stop = (): void => void connecting.destroy(new Error("the request was cancelled"));
  cut?.addEventListener("abort", stop, { once: true });
  const done = (failed: Error | undefined, socket?: Socket): void => {
    cut?.removeEventListener("abort", stop);
    opened(failed, socket);
  };
  connecting.once("error", (thrown) => done(proxyFault(`cannot be reached: ${thrown.message}`)));
  connecting.once("connect", ({ statusCode = 0 }, socket: Socket) => {
    if (statusCode >= 200 && statusCode <= 299) return done(undefined, socket);
    socket.destroy();
    done(proxyFault(statusCode === 407 ? "requires another name and password" : `refuses (status ${statusCode})`));
  });
  connecting.once("response", (response) => {
    response.destroy();
    done(proxyFault(`refuses (status ${response.statusCode ?? 0})`));
  });
  connecting.end();
}

/** How requests reach a proxy: its address, and a header with its user name and password. */
export function proxyAccess(proxy: URL) {
  const isSecure = proxy.protocol === "https:";
  const { request } = process.getBuiltinModule(isSecure ? "node:https" : "node:http");
  const user = decodeURIComponent(proxy.username);
  const basic = Buffer.from(`${user}:${decodeURIComponent(proxy.password)}`).toString("base64");
  return {
    request,
    host: proxy.hostname.replaceAll(/^\[|\]$/gu, ""),
    port: Number(proxy.port || (isSecure ? 443 : 80)),
    headers: user === "" ? {} : { "proxy-authorization": `Basic ${basic}` },
  };
}

function proxyFault(what: string): Error {
  return Object.assign(new Error(`the proxy ${what}`), { code: "ERR_PROXY_TUNNEL" });
}
