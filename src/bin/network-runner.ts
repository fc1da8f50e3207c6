import { createServer } from "node:net";

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

// Runs in a sandbox without a network, where new processes may be forbidden. Passes a port of the sandbox to Hermes,
// then replaces itself with the requested program; Hermes itself answers at the port.
process.once("message", ({ program, args, env }: Command) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const proxies = { http_proxy: url, https_proxy: url, HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url };
    // Hermes has received the port.
    process.once("disconnect", () =>
      process.execve?.(program, [program, ...args], {
        ...env,
        ...proxies,
        NODE_USE_ENV_PROXY: "1",
      }),
    );
    process.send?.("port", server);
  });
});
