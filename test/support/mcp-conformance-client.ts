/**
 * The client of the protocol's conformance suite: connects to the URL in its last argument with the MCP client of
 * Hermes, signs in if the server requires it, lists the tools and calls each of them.
 */
import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { isObject, type JsonObject, parsedObject } from "../../src/base/json.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import type { Form } from "../../src/contracts/host/form.ts";
import type { McpConnection, McpFault, McpServerRequests } from "../../src/contracts/mcp/connection.ts";
import type { OAuthSettings } from "../../src/contracts/mcp/server-entry.ts";
import { elicit } from "../../src/mcp/asks/elicit.ts";
import { createConnectMcp } from "../../src/mcp/client/connect.ts";
import { createSignInFiles } from "../../src/mcp/oauth/sign-in-file.ts";
import { createSignIns } from "../../src/mcp/oauth/sign-ins.ts";
import { remoteEntry } from "./mcp-sign-in-rig.ts";
import { tempHome } from "./temp-home.ts";

const { signal } = new AbortController();
const limits = { signal, timeoutMs: 30_000 };

await using home = await tempHome();
using http = createHttp({ clock: systemClock });
const files = createSignInFiles({ folder: join(home.path, "mcp-sign-ins"), clock: systemClock });
const signIns = createSignIns({ files, clock: systemClock, http: () => http });
const connect = createConnectMcp({
  clock: systemClock,
  startProgram: async () => err("no program is started here"),
  openHttp: () => createHttp({ clock: systemClock }),
  addressFault: () => async () => undefined,
  authorize: signIns.authorize,
  redact: (text) => text,
  keep: async () => err("nothing is saved"),
});
const entry = {
  ...remoteEntry(process.argv.at(-1) ?? "", oauthSettings()),
  protocol: "auto",
  elicitation: { isEnabled: true, timeoutMs: 10_000 },
} as const;

/** The settings that the suite expects: a metadata document and a registered client. */
function oauthSettings(): Partial<OAuthSettings> {
  const context = parsedObject(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
  const { client_id: clientId, client_secret: clientSecret } = context;
  return {
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    ...(typeof clientId === "string" && { clientId }),
    ...(typeof clientSecret === "string" && { clientSecret }),
  };
}

/** Simulates a user who accepts every default. */
const asker = {
  ask: async () => err({ reason: "declined" } as const),
  fillIn: async ({ fields }: Form) =>
    ok(
      Object.fromEntries(fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]]))),
    ),
};

const requests: McpServerRequests = {
  sample: async () => err({ message: "no model is here" }),
  elicit: (request) => elicit(entry, request, { asker, clock: systemClock }, signal),
  roots: () => [],
  log() {},
};

/** Simulates a user whose browser runs on another machine: opens the page and pastes the redirect address. */
async function login(): Promise<void> {
  const page = Promise.withResolvers<string>();
  const talk = {
    show: page.resolve,
    async paste() {
      const response = await fetch(await page.promise, { redirect: "manual" });
      return response.headers.get("location") ?? "";
    },
  };
  const done = await signIns.signIn(entry, talk, connect, signal);
  if (!done.ok) throw new Error(done.error.message);
}

async function withConnection<T>(run: (connection: McpConnection) => Promise<Result<T, McpFault>>) {
  const connected = await connect(entry, requests, signal);
  if (!connected.ok) return connected;
  await using connection = connected.value;
  return await run(connection);
}

/** Runs once more after a sign-in. */
async function use<T>(run: (connection: McpConnection) => Promise<Result<T, McpFault>>): Promise<T> {
  let result = await withConnection(run);
  if (!result.ok && result.error.kind === "auth") {
    await login();
    result = await withConnection(run);
  }
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** A small number for each argument. */
function argumentsFor({ properties }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(isObject(properties) ? properties : {}).map((name, index) => [name, index + 2]),
  );
}

const { tools } = await use((connection) => connection.list(limits));
for (const { name, inputSchema } of tools)
  await use((connection) => connection.call(name, argumentsFor(inputSchema), limits));
