import { once } from "../../base/async/once.ts";
import { randomHex } from "../../base/digest.ts";
import { streamProgram } from "../../base/process/run-program.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { Link, LinkEnd, LinkStreams } from "../remote/link.ts";
import { type RemoteDeps } from "../remote/remote-environment.ts";
import { connectionFault } from "./connection-fault.ts";
import { runInSession } from "./master-session.ts";
import { createMasters, type MasterLease } from "./masters.ts";
import { type SshTarget } from "./ssh-target.ts";
import { connectionArguments } from "./ssh-target.ts";

/** Runs scripts on another machine with the OpenSSH client, each in a session of a shared connection. */
export function sshLink(deps: SshDeps): Link {
  const { target, clientEnv: env, clock, tempFolder } = deps;
  const program = "ssh";
  const masters = createMasters({ target, program, env, tempFolder, clock });
  /** The client prints this if it would have to open its own connection: no command has started then. */
  const noMaster = randomHex(8);
  let latest: string | undefined;

  const through = (socket: string) => [
    "-S",
    socket.replaceAll("%", "%%"),
    "-o",
    "ControlMaster=no",
    "-o",
    `ProxyCommand=sh -c 'echo ${noMaster} >&2; exit 1'`,
    ...connectionArguments(target),
  ];
  const remoteCommand = (script: string) => `exec sh -c ${quoteForShell(script)}`;

  const variables = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && /^(?:LANG|LC_\w+)$/u.test(name) ? [[name, value] as const] : [],
  );
  /** Error text of a client that is too old for proxy mode. */
  let isUnable = false;

  async function attempt(script: string, streams: LinkStreams, master: MasterLease): Promise<LinkEnd | "again"> {
    if (isUnable) return byClient(script, streams, master);
    const end = await runInSession(master.socket, remoteCommand(script), variables, streams);
    switch (end.how) {
      case "full":
        master.noteFull();
        return "again";
      case "dead":
        master.noteDead();
        return "again";
      case "unable":
        isUnable = true;
        return "again";
      case "lost":
        return lost(end.message);
      default:
        return end;
    }
  }

  async function byClient(script: string, streams: LinkStreams, master: MasterLease): Promise<LinkEnd | "again"> {
    let stderr = "";
    const end = await streamProgram({
      ...streams,
      program,
      args: ["-T", ...through(master.socket), "--", target.host, remoteCommand(script)],
      env,
      onErrorOutput(chunk) {
        stderr = (stderr + Buffer.from(chunk).toString()).slice(-4_000);
        streams.onControl(chunk);
      },
    });
    switch (end.how) {
      case "aborted":
        return end;
      case "unstarted":
        return { how: "misconfigured", message: `the ssh client could not be started: ${end.message}` };
      case "killed":
        return { how: "broken", message: `the ssh client was killed by ${end.signal}` };
      default:
        if (end.code !== clientFault) return { how: "exit", exitCode: end.code };
    }
    if (!stderr.includes(noMaster)) return lost(stderr);
    if (/refused by peer/u.test(stderr)) master.noteFull();
    else master.noteDead();
    return "again";
  }

  const lost = (stderr: string): LinkEnd => {
    const lines = stderr.trim().split("\n");
    const last = lines.findLast((line) => line.trim() !== "");
    return { ...connectionFault(target, last ?? ""), how: "broken", message: lostMessage(target.host, last) };
  };

  return {
    kind: "ssh",
    showsScripts: true,
    canHoldInput: true,
    async run(script, streams) {
      for (let round = 0; round < maxRounds; round++) {
        const lease = await masters.take(streams.signal);
        if (!lease.ok) return lease.error;
        using master = lease.value;
        latest = master.socket;
        const ended = await attempt(script, streams, master);
        if (ended !== "again") return ended;
      }
      return { how: "broken", message: `${target.host}: the connection failed repeatedly; the command did not run` };
    },
    terminal: (script) => ({
      program,
      args: ["-tt", "-e", "none", ...through(latest ?? "none"), "--", target.host, remoteCommand(script)],
      env,
    }),
    [Symbol.asyncDispose]: once(async () => {
      if (deps.closesConnection === true) await masters.close();
    }),
  };
}

/** Exit code of the client itself; scripts use other codes. */
const clientFault = 255;
const maxRounds = 6;

function lostMessage(host: string, stderr: string | undefined): string {
  return `the connection to ${host} was lost${stderr === undefined ? "" : ` (${stderr.trim().slice(0, 300)})`}`;
}

export interface SshDeps extends RemoteDeps {
  readonly target: SshTarget;
  /** Environment of this user for the client, which needs PATH, HOME and SSH_AUTH_SOCK. */
  readonly clientEnv: Readonly<Record<string, string | undefined>>;
  /** Folder for sockets, shared by all programs of this user. */
  readonly tempFolder: string;
  /**
   * Closes the connection together with the environment, even for other programs. Otherwise it stays open for a while.
   */
  readonly closesConnection?: boolean;
}
