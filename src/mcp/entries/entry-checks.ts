import { basename } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import type { McpServerEntry, StdioTarget } from "../../contracts/mcp/server-entry.ts";
import type { Advisory } from "./advisories.ts";
import { packageOf } from "./package-of.ts";

/** Analyses a command line in the way a shell would read it. Each returned sentence describes a danger. */
export type JudgeCommandLine = (line: string) => Promise<readonly string[]>;

/**
 * Reasons why the user must accept the program of a server before it starts, one sentence each; empty if there are
 * none. A remote server starts no program.
 */
export async function checkEntry(
  { target }: McpServerEntry,
  judge: JudgeCommandLine,
  malware: readonly Advisory[] = [],
): Promise<readonly string[]> {
  if (target.kind !== "stdio") return [];
  const sentences = await judge(commandLine(target));
  return [
    ...malware.map(({ id, summary }) => `The OSV database lists its package as malware, ${id}: ${summary}.`),
    ...sentences.map((sentence) => `The command ${sentence}.`),
    ...sendingShell(target),
    ...unpinned(target),
  ];
}

/** Identifies the program that the user accepted: its command, its arguments and the names of its variables. */
export function programHash({ target }: McpServerEntry): string {
  if (target.kind !== "stdio") return "";
  const { command, args, env } = target;
  return sha256(JSON.stringify([command, args, Object.keys(env).toSorted()]));
}

/** The variables are included, because they can make a harmless program load other code. */
function commandLine({ command, args, env }: StdioTarget): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoteForShellIfNeeded(value)}`);
  return [...variables, ...[command, ...args].map(quoteForShellIfNeeded)].join(" ");
}

function sendingShell({ command, args }: StdioTarget): readonly string[] {
  const program = basename(command).replace(/\.exe$/u, "");
  const script = args.join(" ");
  if (!shells.test(program)) return [];
  const sender = senders.exec(script)?.[1];
  return sender === undefined ? [] : [`The command is a shell script that can send data out with ${sender}.`];
}

const shells = /^(?:ba|z|da|k|fi|a)?sh$|^(?:cmd|powershell|pwsh)$/u;
const senders =
  /(?:^|[\s;|&($`"'])(curl|wget|nc|ncat|netcat|socat|ssh|scp|sftp|rsync|ftp|telnet|Invoke-WebRequest|Invoke-RestMethod|iwr|irm|[^\s]*\/dev\/(?:tcp|udp)\b)(?=[\s/]|$)/u;

function unpinned(target: StdioTarget): readonly string[] {
  const fetched = packageOf(target);
  if (!fetched || fetched.version !== undefined) return [];
  const pin = fetched.ecosystem === "npm" ? `${fetched.name}@VERSION` : `${fetched.name}==VERSION`;
  return [
    `${fetched.runner} fetches the newest ${fetched.name} at each start, so its code can change without notice. Write ${pin} to pin the version.`,
  ];
}
