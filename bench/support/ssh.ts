import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

import type { Environment } from "../../src/contracts/environment/environment.ts";
import { createSshFactory } from "../../src/environments/ssh/ssh-environment.ts";
import { sshDeps } from "../../test/support/ssh-deps.ts";
import { sshServer } from "../../test/support/ssh-server.ts";

/** An environment over ssh on loopback, and the bare ssh client over the same open connection. */
export async function openSsh(): Promise<
  AsyncDisposable & { readonly environment: Environment; readonly plain: (command: string) => Promise<void> }
> {
  const server = await sshServer();
  const deps = sshDeps(server);
  const opened = await createSshFactory(deps).open({ taskId: "bench" }, new AbortController().signal);
  if (!opened.ok) {
    await server[Symbol.asyncDispose]();
    throw new Error(opened.error.message);
  }
  const folder = join(server.folder, readdirSync(server.folder).find((name) => name.startsWith("hermes-ssh-")) ?? "");
  const socket = join(folder, readdirSync(folder).find((name) => !name.endsWith(".lock")) ?? "");
  return {
    environment: opened.value,
    plain: (command) =>
      new Promise((resolve, reject) => {
        const child = spawn("ssh", ["-F", "/dev/null", "-S", socket, "127.0.0.1", command], {
          stdio: ["ignore", "pipe", "pipe"],
          env: { ...deps.clientEnv },
        });
        child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`ssh: ${code}`)))).on("error", reject);
      }),
    async [Symbol.asyncDispose]() {
      await opened.value[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
