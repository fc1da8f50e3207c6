import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Client, type ClientCapabilities, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";

import { createChannel } from "../../src/base/async/channel.ts";
import { userName } from "../../src/base/this-user.ts";
import { type LoadedConfig, loadConfig } from "../../src/config/load.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import {
  openServedClients,
  type ServedClients,
  type ServeClientsOptions,
} from "../../src/runtime/mcp/serve-clients.ts";
import { tempHome } from "./temp-home.ts";

export interface ServedRig extends AsyncDisposable {
  readonly config: LoadedConfig;
  readonly home: string;
  readonly cwd: string;
  readonly notices: readonly string[];
  serve(more?: Partial<ServeClientsOptions>): ServedClients;
}

/** Our MCP server in this process, with its own home and project. */
export async function servedRig(
  settings: Readonly<Record<string, unknown>> = {},
  /** A folder with the user's own tools, resources and prompts. */
  tools?: string,
): Promise<ServedRig> {
  const folder = await tempHome();
  const [cwd, home] = [join(folder.path, "work"), join(folder.path, "home")];
  await mkdir(join(cwd, ".git"), { recursive: true });
  await mkdir(home);
  if (tools !== undefined) await cp(tools, join(home, "tools"), { recursive: true });
  await writeFile(join(home, "config.yaml"), JSON.stringify({ isolation: { mode: "off" }, ...settings }));
  const env = { PATH: process.env["PATH"], HOME: folder.path, HERMES_HOME: home };
  const config = await loadConfig({ env, cwd, user: userName() });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const opened = new AsyncDisposableStack();
  const notices: string[] = [];
  const { signal } = new AbortController();
  return {
    config: config.value,
    home,
    cwd,
    notices,
    serve(more = {}) {
      const say = (sentence: string) => void notices.push(sentence);
      const options = { cwd, principal: localPrincipal(), say, signal, ...more };
      return opened.use(openServedClients(config.value, options));
    },
    async [Symbol.asyncDispose]() {
      await opened.disposeAsync();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The official client, connected over streams. Disposing closes its end, like a client that disconnects. */
export async function connectOverStreams(
  served: ServedClients,
  options: { readonly capabilities?: ClientCapabilities; readonly prepare?: (client: Client) => void } = {},
): Promise<{ readonly client: Client; readonly ended: Promise<void> } & AsyncDisposable> {
  const toServer = createChannel<Uint8Array>();
  const transport: Transport = {
    start: async () => {},
    send: async (message) => void toServer.push(Buffer.from(`${JSON.stringify(message)}\n`)),
    close: async () => {
      toServer.end();
      transport.onclose?.();
    },
  };
  const ended = served.stdio({
    input: toServer,
    async write(text) {
      for (const line of text.split("\n").filter(Boolean)) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
    },
  });
  const client = new Client({ name: "Test Client", version: "1" }, { capabilities: options.capabilities ?? {} });
  options.prepare?.(client);
  await client.connect(transport);
  return {
    client,
    ended,
    async [Symbol.asyncDispose]() {
      await client.close();
      await ended;
    },
  };
}
