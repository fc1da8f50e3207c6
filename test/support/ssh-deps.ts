import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { SshDeps } from "../../src/environments/ssh/ssh-link.ts";
import type { SshTarget } from "../../src/environments/ssh/ssh-target.ts";
import type { SshServer } from "./ssh-server.ts";

export function sshTarget(server: SshServer): SshTarget {
  return {
    host: "127.0.0.1",
    port: server.port,
    user: server.user,
    keyFile: server.keyFile,
    configFile: "/dev/null",
    hostKeys: "accept-new",
    knownHostsFile: server.knownHosts,
  };
}

/** An environment on the server that keeps all it needs below its folder; its connection is closed with it. */
export function sshDeps(server: SshServer, changes: Partial<SshDeps> = {}): SshDeps {
  return {
    target: sshTarget(server),
    clientEnv: { PATH: process.env.PATH, HOME: server.folder },
    tempFolder: server.folder,
    closesConnection: true,
    cwd: "~",
    homeId: "test",
    env: {},
    passthrough: [],
    spillFolder: join(server.folder, "spill"),
    clock: systemClock,
    log: silentLog,
    ...changes,
  };
}
