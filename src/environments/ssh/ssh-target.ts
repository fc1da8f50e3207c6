import { sha256 } from "../../base/digest.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";

/** The machine, the user, and how to verify the host key. */
export interface SshTarget {
  /** A name, an address, or a `Host` of the client's own configuration. */
  readonly host: string;
  /** Default: the client's configuration, else the name of this user. */
  readonly user?: string;
  readonly port?: number;
  /** The private key. Default: the client's own choice, including an agent. */
  readonly keyFile?: string;
  /** Replaces the client's own configuration files. */
  readonly configFile?: string;
  /**
   * `accept-new` trusts and saves the key of a new machine, and refuses a machine whose key changed. `strict` accepts
   * only machines in known_hosts.
   */
  readonly hostKeys: "accept-new" | "strict";
  /** The known_hosts file. Default: the client's own file. */
  readonly knownHostsFile?: string;
}

/** The target as a user would type it. */
export function formatTarget({ host, user, port }: SshTarget): string {
  return `${user === undefined ? "" : `${user}@`}${host}${port === undefined ? "" : `:${port}`}`;
}

/** A hash of all settings of the target. Programs share a connection only if it is equal. */
export function targetHash(target: SshTarget): string {
  const { host, user, port, keyFile, configFile, hostKeys, knownHostsFile } = target;
  return sha256(JSON.stringify([host, user, port, keyFile, configFile, hostKeys, knownHostsFile])).slice(0, 16);
}

export function targetFault({ host, user, port }: SshTarget): EnvironmentError | undefined {
  const misconfigured = (message: string, hint: string): EnvironmentError => ({ kind: "misconfigured", message, hint });
  if (host.trim() === "") return misconfigured("no ssh host is set", "Set terminal.ssh_host (TERMINAL_SSH_HOST).");
  if (!isWord.test(host))
    return misconfigured(`${JSON.stringify(host)} is not a valid host name`, "Check terminal.ssh_host.");
  if (user !== undefined && !isWord.test(user)) {
    return misconfigured(`${JSON.stringify(user)} is not a valid user name`, "Check terminal.ssh_user.");
  }
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
    return misconfigured(`${port} is not a valid port`, "Set terminal.ssh_port to a number from 1 to 65535.");
  }
  return undefined;
}

/** Whether the value cannot be read as an option or as more than one shell word. */
const isWord = /^[^-\s'"\\$`|&;<>()*?[\]{}!#~%\0][^\s'"\\$`|&;<>()*?{}!#\0]*$/u;

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
    // The session is not interactive, so no password prompt can work.
    ...option("BatchMode", "yes"),
    ...option("ConnectTimeout", 10),
    ...option("ServerAliveInterval", 15),
    ...option("ServerAliveCountMax", 3),
    // Keeps only the part of the user's configuration that is needed to reach the machine.
    ...option("ClearAllForwardings", "yes"),
    ...option("PermitLocalCommand", "no"),
    ...option("RemoteCommand", "none"),
    ...option("ForwardX11", "no"),
    ...option("LogLevel", "ERROR"),
  ];
}

/** Quotes a path for the client's configuration: one word, nothing expanded. */
function literal(path: string): string {
  return `"${path.replaceAll("%", "%%").replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
