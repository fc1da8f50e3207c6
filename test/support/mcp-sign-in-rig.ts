import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { createHttp } from "../../src/base/http/http-client.ts";
import { err } from "../../src/base/result.ts";
import type { AuthorizeMcp } from "../../src/contracts/mcp/authorize.ts";
import type { ConnectMcp } from "../../src/contracts/mcp/connection.ts";
import type { HttpTarget, McpServerEntry, OAuthSettings } from "../../src/contracts/mcp/server-entry.ts";
import { createConnectMcp } from "../../src/mcp/client/connect.ts";
import { createSignInFiles } from "../../src/mcp/oauth/sign-in-file.ts";
import { createSignIns } from "../../src/mcp/oauth/sign-ins.ts";
import type { OAuthScene } from "./mcp-oauth-server.ts";
import { tempHome } from "./temp-home.ts";

const never = new AbortController().signal;

export function remoteEntry(url: string, oauth: Partial<OAuthSettings> = {}, target: Partial<HttpTarget> = {}) {
  return {
    name: "locked",
    target: {
      kind: "http",
      url,
      headers: {},
      hasPreflight: false,
      tls: { verify: true },
      oauth: { redirectPort: 0, clientName: "Hermes", timeoutMs: 20_000, ...oauth },
      ...target,
    },
    isEnabled: true,
    timeoutMs: 20_000,
    connectTimeoutMs: 20_000,
    protocol: "legacy",
    isLazy: false,
    isParallel: true,
    keepaliveMs: 180_000,
    idleMs: 0,
    maxLifetimeMs: 0,
    trust: "full",
    sampling: { isEnabled: false, allowedModels: [], maxTokens: 1, timeoutMs: 1, maxPerMinute: 1, maxToolRounds: 1 },
    elicitation: { isEnabled: false, timeoutMs: 1 },
    tools: { exclude: [], resources: true, prompts: true },
  } as const satisfies McpServerEntry;
}

/** The sign-ins of one Hermes home and one server. Each `process()` shares only the files. */
export async function signInRig(scene: OAuthScene) {
  const home = await tempHome();
  const folder = join(home.path, "mcp-sign-ins");
  const http = createHttp({ clock: systemClock });
  const process = () => {
    const files = createSignInFiles({ folder, clock: systemClock });
    const signIns = createSignIns({ files, clock: systemClock, http: () => http });
    return { ...signIns, files, connect: connectWith(signIns.authorize) };
  };
  const here = process();
  const shown: string[] = [];
  /** Simulates a user who signs in immediately. */
  const person = {
    show(url: string) {
      shown.push(url);
      void scene.browse(url);
    },
  };
  return {
    ...here,
    process,
    shown,
    person,
    file: join(folder, "locked.json"),
    signInAs: (oauth: Partial<OAuthSettings> = {}, talk: Parameters<typeof here.signIn>[1] = person, signal = never) =>
      here.signIn(remoteEntry(scene.url, oauth), talk, here.connect, signal),
    async [Symbol.asyncDispose]() {
      http[Symbol.dispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

function connectWith(authorize: AuthorizeMcp): ConnectMcp {
  return createConnectMcp({
    clock: systemClock,
    startProgram: async () => err("these servers are not programs"),
    openHttp: () => createHttp({ clock: systemClock }),
    addressFault: () => async () => undefined,
    authorize,
    redact: (text) => text,
    keep: async () => err("nothing is saved"),
  });
}
