import { connect, createServer } from "node:net";

/**
 * Network access for a process without its own network: a local port that forwards to the Unix socket of the
 * filtering proxy. Opening the port and loading HTTP takes a third of the start time, so both wait for the first sign
 * of a request: a use of `fetch`, or an import of `node:http` or a similar module, for which the returned function is
 * called.
 */
export function forwardNetwork(proxySocket: string, onError: (thrown: unknown) => void): () => void {
  let isOpen = false;
  function open(): void {
    if (isOpen) return;
    isOpen = true;
    // The port is chosen here, because the importing code may send a request before the system reports a port of its
    // choice.
    const port = firstPort + (process.pid % portCount);
    listen(port, proxySocket, onError);
    const url = `http://127.0.0.1:${port}`;
    const variables = { http_proxy: url, https_proxy: url, HTTP_PROXY: url, HTTPS_PROXY: url };
    // Proxy variables for programs that the plugin starts, and for libraries that read them.
    Object.assign(process.env, variables);
    process.getBuiltinModule("node:http").setGlobalProxyFromEnv(variables);
  }
  callBefore("fetch", open);
  return open;
}

// A range below the ports that systems choose for outgoing connections.
const firstPort = 10_000;
const portCount = 20_000;

/** The server starts to listen in the next tick, before any request can be sent. */
function listen(port: number, proxySocket: string, onError: (thrown: unknown) => void): void {
  const server = createServer((client) => {
    const proxy = connect(proxySocket);
    for (const [from, to] of [
      [client, proxy],
      [proxy, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  server.on("error", onError);
  server.listen(port, "127.0.0.1").unref();
}

/** Calls `open` before the first access to one of these globals. */
function callBefore(name: string, open: () => void): void {
  const existing = Object.getOwnPropertyDescriptor(globalThis, name);
  if (!existing?.configurable) return;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: existing.enumerable === true,
    get(): unknown {
      Object.defineProperty(globalThis, name, existing);
      open();
      return Reflect.get(globalThis, name);
    },
    set(value: unknown) {
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
    },
  });
}
