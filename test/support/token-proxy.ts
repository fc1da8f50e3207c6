import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Forwards requests unchanged, with a token added. The conformance suite sends none, and must use the same server as
 * other clients.
 */
export async function tokenProxy(port: number, token: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer((incoming, answer) => {
    const { method, url: path, headers } = incoming;
    const options = {
      port,
      host: "127.0.0.1",
      method,
      path,
      headers: { ...headers, authorization: `Bearer ${token}` },
    };
    const passed = request(options, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    // A server that listens on a port has such an address.
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
