import { createServer, request as forward } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

export interface ProxyServer extends AsyncDisposable {
  readonly url: string;
  /** Targets in order: `host:port` of tunnels, whole addresses of plain requests. */
  readonly asked: readonly string[];
  /** The received `Proxy-Authorization` headers. */
  readonly authorizations: readonly (string | undefined)[];
  openConnections(): number;
}

/** An HTTP proxy on loopback: forwards plain requests, and opens tunnels to the requested port on this machine. */
export async function startProxy(
  options: { readonly hang?: boolean; readonly refuse?: boolean } = {},
): Promise<ProxyServer> {
  const requests: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((message, response) => {
    const url = new URL(message.url ?? "");
    requests.push(url.href);
    authorizations.push(message.headers["proxy-authorization"]);
    const { method, headers } = message;
    const onward = forward({ host: "127.0.0.1", port: url.port, path: url.pathname, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    message.pipe(onward);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("connect", (message, socket: Socket) => {
    socket.on("error", () => {});
    requests.push(message.url ?? "");
    authorizations.push(message.headers["proxy-authorization"]);
    socket.on("end", () => socket.destroy());
    if (options.hang) return void socket.resume();
    if (options.refuse) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const target = connect(Number(message.url?.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.pipe(socket);
      socket.pipe(target);
    });
    target.on("error", () => socket.destroy());
    socket.on("close", () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked: requests,
    authorizations,
    openConnections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
