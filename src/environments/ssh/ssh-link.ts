import { once } from "../../base/async/once.ts";
import { randomHex } from "../../base/digest.ts";
import { streamProgram } from "../../base/process/run-program.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { Link, LinkEnd, LinkStreams } from "../remote/link.ts";
import { type RemoteDeps } from "../remote/remote-environment.ts";
import { connectionFault } from "./connection-fault.ts";
import { runInSession } from "./master-session.ts";
import { createMasters, type TakenMaster } from "./masters.ts";
import { type SshTarget } from "./ssh-target.ts";
import { connectionArguments } from "./ssh-target.ts";

/** Runs scripts on another machine by the OpenSSH client, each in a session of a connection that stays. */
export function sshLink(deps: SshDeps): Link {
  const { target, clientEnv: env, clock, tempFolder } = deps;
  const program = "ssh";
  const masters = createMasters({ target, program, env, tempFolder, clock });
  /** Said in place of a connection of its own: then nothing has begun over there. */
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
  /** A client that is too old for sessions without a program of their own. */
  let isUnable = false;

  async function attempt(script: string, streams: LinkStreams, master: TakenMaster): Promise<LinkEnd | "again"> {
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

  async function byClient(script: string, streams: LinkStreams, master: TakenMaster): Promise<LinkEnd | "again"> {
    let said = "";
    const end = await streamProgram({
      ...streams,
      program,
      args: ["-T", ...through(master.socket), "--", target.host, remoteCommand(script)],
      env,
      onErrorOutput(chunk) {
        said = (said + Buffer.from(chunk).toString()).slice(-4_000);
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
    if (!said.includes(noMaster)) return lost(said);
    if (/refused by peer/u.test(said)) master.noteFull();
    else master.noteDead();
    return "again";
  }

  const lost = (said: string): LinkEnd => {
    const lines = said.trim().split("\n");
    const last = lines.findLast((line) => line.trim() !== "");
    return { ...connectionFault(target, last ?? ""), how: "broken", message: lostMessage(target.host, last) };
  };

  return {
    kind: "ssh",
    showsScripts: true,
    async run(script, streams) {
      for (let round = 0; round < maxRounds; round++) {
        const taken = await masters.take(streams.signal);
        if (!taken.ok) return taken.error;
        using master = taken.value;
        latest = master.socket;
        const ended = await attempt(script, streams, master);
        if (ended !== "again") return ended;
      }
      return { how: "broken", message: `${target.host}: the connection broke again and again; nothing was run` };
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

/** Of the client itself; scripts end otherwise. */
const clientFault = 255;
const maxRounds = 6;

function lostMessage(host: string, said: string | undefined): string {
  return `the connection to ${host} was lost${said === undefined ? "" : ` (${said.trim().slice(0, 300)})`}`;
}

export interface SshDeps extends RemoteDeps {
  readonly target: SshTarget;
  /** Of this machine's user, for the client: PATH, HOME and SSH_AUTH_SOCK are what it needs. */
  readonly clientEnv: Readonly<Record<string, string | undefined>>;
  /** For sockets; they are shared by all programs of this user. */
  readonly tempFolder: string;
  /** The connection is closed with the environment, also for others who use it. Otherwise it stays for a while. */
  readonly closesConnection?: boolean;
}
