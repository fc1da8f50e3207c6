import { connect, createServer } from "node:net";

/** The way out of a process that has no network of its own. */
export interface ForwardedNetwork {
  /** Makes HTTP clients of Node use the proxy. Loads them, so it is called at the first sign of a request. */
  use(): void;
}

/**
 * Forwards a port of this process to the Unix socket of the filtering proxy, and names it in the variables that programs
 * and libraries read. `fetch`, `WebSocket` and `node:http` of this process use it from their first use.
 */
export async function forwardNetwork(proxySocket: string): Promise<ForwardedNetwork> {
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
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const variables = { http_proxy: url, https_proxy: url, HTTP_PROXY: url, HTTPS_PROXY: url };
  Object.assign(process.env, variables);
  let isUsed = false;
  function use(): void {
    if (isUsed) return;
    isUsed = true;
    process.getBuiltinModule("node:http").setGlobalProxyFromEnv(variables);
  }
  for (const name of ["fetch", "WebSocket", "EventSource"]) callBefore(name, use);
  return { use };
}

/** Calls `use` before the first access to a global. */
function callBefore(name: string, use: () => void): void {
  const existing = Object.getOwnPropertyDescriptor(globalThis, name);
  if (!existing?.configurable) return;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: existing.enumerable === true,
    get(): unknown {
      Object.defineProperty(globalThis, name, existing);
      use();
      return Reflect.get(globalThis, name);
    },
    set(value: unknown) {
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
    },
  });
}
