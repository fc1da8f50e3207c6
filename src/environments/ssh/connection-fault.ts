import type { LinkFault } from "../remote/link.ts";
import { formatTarget, type SshTarget } from "./ssh-target.ts";

/** Maps the output of the ssh client (always English) to a fault with a reason and a hint. */
export function connectionFault(target: SshTarget, output: string): LinkFault {
  const fault = faults.find(({ pattern }) => pattern.test(output));
  const { how, what, hint } = fault ?? unknown;
  const detail = output.trim().split("\n").at(-1)?.trim() ?? "";
  const message = `${formatTarget(target)}: ${what}${fault?.isWhole || detail === "" ? "" : ` (${detail.slice(0, 300)})`}`;
  return { how, message, hint: hint(target, output) };
}

interface FaultPattern {
  readonly pattern: RegExp;
  readonly how: "broken" | "misconfigured";
  readonly what: string;
  /** The reason is complete without the client's output. */
  readonly isWhole?: boolean;
  readonly hint: (target: SshTarget, output: string) => string;
}

const unknown: Omit<FaultPattern, "pattern"> = {
  how: "broken",
  what: "the ssh connection failed",
  hint: (target) => `Try \`ssh ${formatTarget(target)}\` by hand.`,
};

const faults: readonly FaultPattern[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|host key .*has changed/iu,
    how: "misconfigured",
    what: "the host key has changed since the last connection; someone may intercept the connection, or the machine was reinstalled",
    isWhole: true,
    hint({ host, port, knownHostsFile }, output) {
      const name = port === undefined || port === 22 ? host : `[${host}]:${port}`;
      const file = /Offending .* key in (.+):\d+/u.exec(output)?.[1] ?? knownHostsFile;
      const where = file === undefined ? "" : ` -f ${file}`;
      return `Ask the administrator of the machine. If the new key is correct, run: ssh-keygen${where} -R '${name}', then try again.`;
    },
  },
  {
    pattern: /Host key verification failed|No .* host key is known/u,
    how: "misconfigured",
    what: "the machine is not in known_hosts, and the host key policy is strict",
    isWhole: true,
    hint: (target) =>
      `Connect once by hand (ssh ${formatTarget(target)}) and check the key, or set the host key policy to accept-new.`,
  },
  {
    pattern: /UNPROTECTED PRIVATE KEY FILE|Bad permissions|bad permissions/u,
    how: "misconfigured",
    what: "other users can read the key file, so ssh ignores it",
    isWhole: true,
    hint: ({ keyFile }) => `chmod 600 ${keyFile ?? "the key file"}`,
  },
  {
    pattern: /Identity file .* not accessible|no such identity/u,
    how: "misconfigured",
    what: "the key file cannot be read",
    hint: () => "Check terminal.ssh_key.",
  },
  {
    pattern: /Permission denied|Too many authentication failures/u,
    how: "misconfigured",
    what: "the machine does not accept this user and key",
    hint: ({ keyFile }) =>
      `Check terminal.ssh_user and ${keyFile === undefined ? "terminal.ssh_key or the agent" : keyFile}. Hermes does not ask for passwords: add the public key to authorized_keys on the machine (ssh-copy-id).`,
  },
  {
    pattern: /Could not resolve hostname|Name or service not known|nodename nor servname/u,
    how: "broken",
    what: "the host name cannot be resolved",
    isWhole: true,
    hint: () => "Check terminal.ssh_host and the network.",
  },
  {
    pattern: /Connection refused/u,
    how: "broken",
    what: "the machine refuses connections on that port",
    isWhole: true,
    hint: () => "Check terminal.ssh_port, and that an ssh server runs there.",
  },
  {
    pattern: /timed out|Operation timed out/u,
    how: "broken",
    what: "the machine did not answer in time",
    isWhole: true,
    hint: () => "Check that it is running and that no firewall blocks the port.",
  },
  {
    pattern: /No route to host|Network is unreachable/u,
    how: "broken",
    what: "the machine cannot be reached from this network",
    hint: () => "Check the network or the VPN.",
  },
  {
    pattern: /Bad configuration option|terminating, \d+ bad configuration|command-line line 0/u,
    how: "misconfigured",
    what: "the ssh client rejects its configuration",
    hint: () => "Check the ssh configuration; OpenSSH 7.6 or newer is required.",
  },
];
