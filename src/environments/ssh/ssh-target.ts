import { sha256 } from "../../base/digest.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";

/** The machine, who to be there, and how its identity is checked. */
export interface SshTarget {
  /** A name, an address, or a `Host` of the client's own configuration. */
  readonly host: string;
  /** Left out: as the client's configuration says, else the name of this user. */
  readonly user?: string;
  readonly port?: number;
  /** The private key. Left out: the client's own choice, an agent included. */
  readonly keyFile?: string;
  /** In place of the client's own configuration files. */
  readonly configFile?: string;
  /**
   * `accept-new`: a machine that was never seen is trusted and remembered, one whose key has changed is refused. `strict`:
   * only machines that are known already.
   */
  readonly hostKeys: "accept-new" | "strict";
  /** Where known machines are remembered. Left out: the client's own file. */
  readonly knownHostsFile?: string;
}

/** As a person would write it. */
export function shownTarget({ host, user, port }: SshTarget): string {
  return `${user === undefined ? "" : `${user}@`}${host}${port === undefined ? "" : `:${port}`}`;
}

/** Connections are shared only by those who would make the same one. */
export function targetHash(target: SshTarget): string {
  const { host, user, port, keyFile, configFile, hostKeys, knownHostsFile } = target;
  return sha256(JSON.stringify([host, user, port, keyFile, configFile, hostKeys, knownHostsFile])).slice(0, 16);
}

export function targetFault({ host, user, port }: SshTarget): EnvironmentError | undefined {
  const misconfigured = (message: string, hint: string): EnvironmentError => ({ kind: "misconfigured", message, hint });
  if (host.trim() === "") return misconfigured("no ssh host is set", "Set terminal.ssh_host (TERMINAL_SSH_HOST).");
  if (!isWord.test(host))
    return misconfigured(`${JSON.stringify(host)} is not the name of a host`, "Check terminal.ssh_host.");
  if (user !== undefined && !isWord.test(user)) {
    return misconfigured(`${JSON.stringify(user)} is not the name of a user`, "Check terminal.ssh_user.");
  }
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
    return misconfigured(`${port} is not a port`, "Set terminal.ssh_port to a number from 1 to 65535.");
  }
  return undefined;
}

/** Never taken for an option, and never more than one word to a shell. */
const isWord = /^[^-\s'"\\$`|&;<>()*?[\]{}!#~%\0][^\s'"\\$`|&;<>()*?{}!#\0]*$/u;

/** The options that say how the connection is made. */
export function connectionArguments(target: SshTarget): string[] {
  const { host: _, user, port, keyFile, configFile, hostKeys, knownHostsFile } = target;
  const option = (name: string, value: string | number) => ["-o", `${name}=${value}`];
  return [
    ...(configFile === undefined ? [] : ["-F", configFile]),
    ...(user === undefined ? [] : ["-l", user]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(keyFile === undefined ? [] : [...option("IdentityFile", literal(keyFile)), ...option("IdentitiesOnly", "yes")]),
    ...option("StrictHostKeyChecking", hostKeys === "strict" ? "yes" : "accept-new"),
    ...(knownHostsFile === undefined ? [] : option("UserKnownHostsFile", literal(knownHostsFile))),
    // Nobody is there to type a password.
    ...option("BatchMode", "yes"),
    ...option("ConnectTimeout", 10),
    ...option("ServerAliveInterval", 15),
    ...option("ServerAliveCountMax", 3),
    // Of the user's own configuration only what leads to the machine counts.
    ...option("ClearAllForwardings", "yes"),
    ...option("PermitLocalCommand", "no"),
    ...option("RemoteCommand", "none"),
    ...option("ForwardX11", "no"),
    ...option("LogLevel", "ERROR"),
  ];
}

/** A path as the client reads it: one word, nothing in it expanded. */
function literal(path: string): string {
  return `"${path.replaceAll("%", "%%").replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
