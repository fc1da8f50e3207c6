import { lstatSync, rmSync } from "node:fs";
import { chmod, lstat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";

import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { withFileLock } from "../../base/files/file-lock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { runProgram } from "../../base/process/run-program.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import type { LinkFault } from "../remote/link.ts";
import { connectionFault } from "./connection-fault.ts";
import { connectionArguments, type SshTarget, targetHash } from "./ssh-target.ts";

/**
 * The connections to one machine. A background client (the master) holds each one. All programs of this user share it,
 * and it exits when it has been idle for a while. A second one starts only when the first has as many sessions as
 * servers allow.
 */
export interface Masters {
  /** Returns an open connection; dispose it to release it. */
  take(signal: AbortSignal): Promise<Result<MasterLease, LinkFault>>;
  /** Closes the used connections, even if other programs use them too. */
  close(): Promise<void>;
}

export interface MasterLease extends Disposable {
  readonly socket: string;
  /** Reports that the server accepts no more sessions on it. */
  noteFull(): void;
  /** Reports that the connection is dead. */
  noteDead(): void;
}

export interface MastersDeps {
  readonly target: SshTarget;
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tempFolder: string;
  readonly clock: Clock;
}

export function createMasters(deps: MastersDeps): Masters {
  const { target, program, env, clock } = deps;
  const used: { sessions: number; most: number; opening: Promise<Result<string, LinkFault>> | undefined }[] = [];

  async function open(index: number, signal: AbortSignal): Promise<Result<string, LinkFault>> {
    const folder = await socketFolder(deps.tempFolder);
    if (!folder.ok) return folder;
    const socket = join(folder.value, `${targetHash(target)}-${index}`);
    if (await isAlive(socket)) return ok(socket);
    // The lock keeps two programs from starting the same master.
    const result = await withFileLock(
      socket,
      async () => {
        if (await isAlive(socket)) return ok(socket);
        rmSync(socket, { force: true });
        return start(socket, signal);
      },
      { signal, timeoutMs: connectMs + 5_000, clock },
    );
    return result.ok ? result.value : err(signal.aborted ? { how: "aborted" } : broken(result.error.message));
  }

  async function start(socket: string, signal: AbortSignal): Promise<Result<string, LinkFault>> {
    const args = [
      "-fNT",
      "-M",
      "-S",
      socket.replaceAll("%", "%%"),
      "-o",
      `ControlPersist=${persistSeconds}`,
      ...connectionArguments(target),
      "--",
      target.host,
    ];
    const answer = await runProgram({ program, args, env, signal, timeoutMs: connectMs, clock });
    switch (answer.how) {
      case "aborted":
        return err({ how: "aborted" });
      case "timeout":
        return err(connectionFault(target, "timed out"));
      case "unstarted":
        return err({
          how: "misconfigured",
          message: `the ssh client could not be started: ${answer.message}`,
          hint: "Install OpenSSH (Debian: openssh-client).",
        });
      default:
        return answer.code === 0 ? ok(socket) : err(connectionFault(target, answer.stderr));
    }
  }

  return {
    async take(signal) {
      let index = used.findIndex(({ sessions, most: maxSessions }) => sessions < maxSessions);
      if (index < 0) index = used.push({ sessions: 0, most: defaultSessions, opening: undefined }) - 1;
      const one = used[index] ?? { sessions: 0, most: 0, opening: undefined };
      one.sessions += 1;
      const giveBack = () => void (one.sessions -= 1);
      // A caller that aborts does not cancel the start for the others.
      const opening = (one.opening ??= open(index, new AbortController().signal));
      const waited = await waitFor(opening, { signal, ms: Infinity, clock });
      if (waited.how !== "done") {
        giveBack();
        return err({ how: "aborted" });
      }
      const opened = waited.value;
      if (!opened.ok) {
        if (one.opening === opening) one.opening = undefined;
        giveBack();
        return opened;
      }
      return ok({
        socket: opened.value,
        noteFull: () => void (one.most = Math.max(1, Math.min(one.most, one.sessions - 1))),
        noteDead: () => {
          if (one.opening === opening) one.opening = undefined;
        },
        [Symbol.dispose]: giveBack,
      });
    },
    async close() {
      for (const { opening } of used) {
        const opened = await opening;
        if (!opened?.ok) continue;
        const args = [
          "-O",
          "exit",
          "-S",
          opened.value.replaceAll("%", "%%"),
          "-o",
          "LogLevel=QUIET",
          "--",
          target.host,
        ];
        await runProgram({ program, args, env, signal: new AbortController().signal, timeoutMs: 5_000, clock });
      }
    },
  };
}

/** The default MaxSessions of OpenSSH servers. */
const defaultSessions = 9;
const connectMs = 30_000;
const persistSeconds = 300;

function broken(message: string): LinkFault {
  return { how: "broken", message };
}

/** The folder must be private: anyone who can open a socket in it can run commands on the machine. */
async function socketFolder(tempFolder: string): Promise<Result<string, LinkFault>> {
  const uid = process.getuid?.() ?? 0;
  // A socket path has at most 107 bytes, and the client needs some of them for a temporary name.
  const parent = Buffer.byteLength(tempFolder) <= 45 ? tempFolder : "/tmp";
  const folder = join(parent, `hermes-ssh-${uid}`);
  try {
    await makeFolder(folder, 0o700);
    const result = await lstat(folder);
    if (!result.isDirectory() || result.uid !== uid) {
      return err({
        how: "misconfigured",
        message: `${folder} belongs to another user, so Hermes keeps no connections there`,
        hint: "Remove it, or set another folder for temporary files.",
      });
    }
    if ((result.mode & 0o077) !== 0) await chmod(folder, 0o700);
    return ok(folder);
  } catch (thrown) {
    return err(broken(describeFault(thrown, folder).message));
  }
}

function isAlive(socket: string): Promise<boolean> {
  if (!valueOr(() => lstatSync(socket).isSocket(), false)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const probe = connect(socket);
    const done = (is: boolean) => {
      probe.destroy();
      resolve(is);
    };
    probe.once("connect", () => done(true)).once("error", () => done(false));
  });
}
