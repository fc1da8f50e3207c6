import type { Confined } from "../../contracts/environment/environment.ts";

/** What to do when a command failed because it ran in the sandbox, as far as its output shows that. */
export function sandboxHint(output: string, { hidden, hasNetwork }: Confined): string | undefined {
  const start = output.slice(0, searchedChars);
  const unseen = hidden.find((path) => start.includes(path));
  const why = unseen === undefined ? signs.find(([sign]) => sign.test(start))?.[1] : `where ${unseen} cannot be seen`;
  if (why !== undefined) return hintText(why);
  return !hasNetwork && noNetwork.test(start) ? hintText("which has no network") : undefined;
}

/** Of a command that was to run outside and did not: in a mode that asks nobody. */
export const stayedInside = "It ran in the sandbox: no person allowed it to leave.";

const searchedChars = 100_000;

function hintText(why: string): string {
  return `It ran in the sandbox, ${why}. If it cannot do without, call it again with outside: true: then the person is asked.`;
}

const readOnly = "where only the workspace, temporary folders and caches of package managers can be written";
const keys = "where keys and agents cannot be seen";

const signs: readonly (readonly [sign: RegExp, why: string])[] = [
  [/^bwrap: /u, "which could not be set up"],
  [/Read-only file system|\bEROFS\b|\(os error 30\)/iu, readOnly],
  [/no new privileges/iu, "where sudo and other programs that change the user do not work"],
  [
    /Cannot connect to the Docker daemon|docker\.sock|podman\.sock/iu,
    "where the daemons of containers cannot be reached",
  ],
  [
    /Failed to connect to (?:the )?(?:system |user |session )?bus|system_bus_socket/iu,
    "where the system's bus cannot be reached",
  ],
  [
    /Host key verification failed|Permission denied \(publickey|Could not open a connection to your authentication agent/iu,
    keys,
  ],
  [
    /gpg: (?:no default secret key|signing failed|.*No secret key)|Unable to locate credentials|No valid credential|could not read (?:Username|Password)|gh auth login/iu,
    keys,
  ],
  [/cannot open display|Can't open display|Failed to connect to (?:the )?(?:wayland|X) /iu, "which has no display"],
];

const noNetwork =
  /Could not resolve|name resolution|Network is unreachable|ENETUNREACH|ENOTFOUND|EAI_AGAIN|Connection refused|ECONNREFUSED|Failed to connect|unable to access/iu;
