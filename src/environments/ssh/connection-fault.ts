import type { LinkFault } from "../remote/link.ts";
import { shownTarget, type SshTarget } from "./ssh-target.ts";

/** Why there is no connection, from what the client said. It speaks one language only. */
export function connectionFault(target: SshTarget, said: string): LinkFault {
  const known = faults.find(({ pattern }) => pattern.test(said));
  const { how, what, hint } = known ?? unknown;
  const detail = said.trim().split("\n").at(-1)?.trim() ?? "";
  const message = `${shownTarget(target)}: ${what}${known?.isWhole || detail === "" ? "" : ` (${detail.slice(0, 300)})`}`;
  return { how, message, hint: hint(target, said) };
}

interface Known {
  readonly pattern: RegExp;
  readonly how: "broken" | "misconfigured";
  readonly what: string;
  /** What the client said adds nothing. */
  readonly isWhole?: boolean;
  readonly hint: (target: SshTarget, said: string) => string;
}

const unknown: Omit<Known, "pattern"> = {
  how: "broken",
  what: "no ssh connection could be made",
  hint: (target) => `Try \`ssh ${shownTarget(target)}\` by hand.`,
};

const faults: readonly Known[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|host key .*has changed/iu,
    how: "misconfigured",
    what: "the host key has changed since the last connection; somebody may be listening in, or the machine was set up anew",
    isWhole: true,
    hint({ host, port, knownHostsFile }, said) {
      const name = port === undefined || port === 22 ? host : `[${host}]:${port}`;
      const file = /Offending .* key in (.+):\d+/u.exec(said)?.[1] ?? knownHostsFile;
      const where = file === undefined ? "" : ` -f ${file}`;
      return `Ask who runs the machine. If the new key is right: ssh-keygen${where} -R '${name}', then try again.`;
    },
  },
  {
    pattern: /Host key verification failed|No .* host key is known/u,
    how: "misconfigured",
    what: "the machine is not known, and only known ones are allowed",
    isWhole: true,
    hint: (target) =>
      `Connect once by hand (ssh ${shownTarget(target)}) and check the key, or set the host key policy to accept-new.`,
  },
  {
    pattern: /UNPROTECTED PRIVATE KEY FILE|Bad permissions|bad permissions/u,
    how: "misconfigured",
    what: "the key file can be read by others, so it is not used",
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
      `Check terminal.ssh_user and ${keyFile === undefined ? "terminal.ssh_key or the agent" : keyFile}. Passwords are not asked for: put the public key into authorized_keys there (ssh-copy-id).`,
  },
  {
    pattern: /Could not resolve hostname|Name or service not known|nodename nor servname/u,
    how: "broken",
    what: "there is no machine of that name",
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
    hint: () => "Check that it is switched on and that no firewall is in the way.",
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
    what: "the ssh client does not accept its settings",
    hint: () => "Check the ssh configuration; OpenSSH 7.6 or newer is needed.",
  },
];
