import type { IsolationState } from "../../src/contracts/safety/isolation.ts";
import { createIsolation, type IsolationRules } from "../../src/safety/isolation.ts";

/** Isolation with bubblewrap of this machine and few rules: the folder is writable, plus what the test adds. */
export function testIsolation(changes: Partial<IsolationRules> = {}): () => Promise<IsolationState> {
  const isolation = createIsolation({
    sandbox: { kind: "bubblewrap", program: "/usr/bin/bwrap" },
    person: { home: "/nonexistent", userId: process.getuid?.() ?? 0, env: {} },
    tempFolders: ["/tmp", "/var/tmp"],
    hermes: [],
    hasNetwork: true,
    writable: [],
    visible: [],
    hidden: [],
    ...changes,
  });
  return async () => ({ mode: "on", isolation });
}
