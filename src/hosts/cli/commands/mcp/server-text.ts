import { firstSentence, oneLine, plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliContext } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { table, wrap } from "../../table.ts";

type Listed = OutputOf<"mcp.list">["servers"][number];
type Shown = OutputOf<"mcp.inspect"> | OutputOf<"mcp.test">;
type Examined = OutputOf<"mcp.examine">;

/** `hermes mcp list`: one line per server, followed by what the user has to do. */
export function listText(
  { servers, notices }: OutputOf<"mcp.list">,
  ctx: CliContext,
  { isNumbered = false }: { readonly isNumbered?: boolean } = {},
): string {
  const { paint, io } = ctx;
  if (servers.length === 0)
    return "No MCP servers. `hermes mcp catalog` lists known ones, `hermes mcp add NAME -- COMMAND` or `hermes mcp add NAME URL` adds one.";
  const rows = table(
    servers.map((server, index) => [
      ...(isNumbered ? [String(index + 1).padStart(String(servers.length).length)] : []),
      paint.bold(escapeInvisible(server.name)),
      stateText(server, ctx),
      isListed(server) ? plural(server.tools.length, "tool") : "",
      confinementText(server, ctx),
      paint.dim(escapeInvisible(server.where ?? "")),
    ]),
    io.columns,
  ).split("\n");
  const lines = servers.flatMap((server, index) => [
    rows[index] ?? "",
    ...hintsOf(server).map((hint) => wrap(`    ${escapeInvisible(hint)}`, io.columns)),
    ...notices
      .filter(({ name }) => name === server.name)
      .map(({ message }) => paint.warn(wrap(`    ${escapeInvisible(message)}`, io.columns))),
  ]);
  return lines.join("\n");
}

/** False: the tools of the server have never been listed. */
function isListed({ state, tools }: Listed): boolean {
  return tools.length > 0 || state === "known" || state === "connected";
}

function hintsOf({ name, why, state, waiting }: Listed): readonly string[] {
  const waits =
    waiting.length === 0
      ? []
      : [
          `${plural(waiting.length, "tool")} off until you accept: hermes mcp inspect ${name}, then hermes mcp trust ${name}`,
        ];
  return [...(why !== undefined && state !== "disabled" ? [why] : []), ...waits];
}

function stateText({ state, trust }: Pick<Listed, "state" | "trust">, { paint }: CliContext): string {
  const words: Readonly<Record<Listed["state"], string>> = {
    new: paint.dim("not tried yet"),
    connected: paint.good("connected"),
    known: paint.good("ready"),
    connecting: paint.dim("connecting"),
    retrying: paint.bad("no answer"),
    signed_out: paint.warn("signed out"),
    asking: paint.warn("waits for you"),
    disabled: paint.dim("disabled"),
    broken: paint.bad("unusable"),
  };
  return trust === "untrusted" ? `${words[state]} ${paint.warn("untrusted")}` : words[state];
}

function confinementText({ isUnconfined, kind }: Pick<Listed, "isUnconfined" | "kind">, { paint }: CliContext): string {
  if (kind === undefined) return "";
  if (kind !== "stdio") return paint.dim("remote");
  return isUnconfined ? paint.warn("unconfined") : paint.good("sandbox");
}

/** Describes a new server before it is added. */
export function examinedText(server: Examined, ctx: CliContext): string {
  const { paint, io } = ctx;
  const shown = (text: string) => wrap(`  ${escapeInvisible(text)}`, io.columns);
  const advisories = server.advisories ?? [];
  return [
    `${paint.bold(escapeInvisible(server.name))}  ${escapeInvisible(server.where)}`,
    ...server.reasons.map((reason) => paint.warn(shown(reason))),
    ...server.notices.map((notice) => paint.warn(shown(notice))),
    ...advisories.map(({ id, summary, isMalware }) =>
      (isMalware ? paint.bad : paint.warn)(shown(`${isMalware ? "MALWARE " : ""}${id}: ${summary}`)),
    ),
    ...(server.package && server.advisories && advisories.length === 0
      ? [paint.dim(shown(`No known advisories for ${server.package.name}.`))]
      : []),
    ...(server.advisoryFault === undefined
      ? []
      : [paint.dim(shown(`Advisories could not be checked: ${oneLine(server.advisoryFault, 160)}.`))]),
    ...(server.isUnconfined ? [paint.warn(shown("It would run unconfined: its program has all your rights."))] : []),
    ...(server.proposed
      ? [
          shown(`In a sandbox (--sandbox) it could only ${permissionsText(server.proposed.may)}.`) +
            (server.proposed.isKnown ? "" : " --allow gives it more."),
        ]
      : []),
  ].join("\n");
}

/** Describes permissions, to complete the sentence "it may …". */
export function permissionsText(may: readonly string[]): string {
  return ["use its own files", ...may].join("; ");
}

/** Tools with their first sentence. */
export function toolsText(
  tools: readonly { readonly name: string; readonly description: string }[],
  ctx: CliContext,
): string {
  const rows = tools
    .slice(0, maxTools)
    .map(({ name, description }) => [
      `    ${escapeInvisible(name)}`,
      ctx.paint.dim(escapeInvisible(firstSentence(description, 100))),
    ]);
  const more = tools.length > maxTools ? `\n    and ${tools.length - maxTools} more: --json shows all` : "";
  return `${table(rows, ctx.io.columns)}${more}`;
}

const maxTools = 40;

/** Everything about a server. */
export function serverText(server: Shown, ctx: CliContext): string {
  const { paint, io } = ctx;
  const row = (title: string, value: string) => `  ${paint.dim(`${title}:`)} ${value}`;
  const off = new Map(server.waiting.map(({ tool, reason }) => [tool, reason]));
  const tools = (server.definitions ?? []).map(({ name, description, annotations }) => ({
    name: `${name}${off.has(name) ? paint.warn(` (off: ${off.get(name)})`) : annotations?.readOnlyHint ? " (reads)" : ""}`,
    description,
  }));
  return [
    `${paint.bold(escapeInvisible(server.name))}  ${stateText(server, ctx)}  ${confinementText(server, ctx)}`,
    ...(server.why === undefined ? [] : [wrap(`  ${escapeInvisible(server.why)}`, io.columns)]),
    ...(server.where === undefined
      ? []
      : [row(server.kind === "stdio" ? "command" : "address", escapeInvisible(server.where))]),
    ...("may" in server && server.may ? [row("it may", escapeInvisible(permissionsText(server.may)))] : []),
    ...(server.server
      ? [
          row(
            "server",
            escapeInvisible(
              `${server.server.name} ${server.server.version}, protocol ${server.server.protocolVersion}`,
            ),
          ),
        ]
      : []),
    ...(tools.length > 0 ? [row("tools", String(tools.length)), toolsText(tools, ctx)] : []),
    ...(server.prompts && server.prompts.length > 0
      ? [row("prompts", escapeInvisible(server.prompts.map(({ name }) => `/${server.name}:${name}`).join(", ")))]
      : []),
    ...(server.hasResources ? [row("resources", `@${server.name}:URI in a prompt`)] : []),
    ...server.waiting.flatMap(({ tool, reason, detail }) => [
      paint.warn(`  ${escapeInvisible(tool)} is off: ${reason}`),
      ...detail
        .split("\n")
        .slice(0, maxDetailLines)
        .map((line) => `    ${escapeInvisible(line)}`),
    ]),
    ...(server.problems ?? []).map((problem) => paint.warn(wrap(`  ${escapeInvisible(problem)}`, io.columns))),
    ...(server.log.length > 0
      ? [
          row("log", ""),
          ...server.log.slice(-maxLogLines).map((line) => paint.dim(`    ${escapeInvisible(oneLine(line, 300))}`)),
        ]
      : []),
  ].join("\n");
}

/** Lists everything of a server that the user has to accept. */
export function waitingText(
  { name, where = "", reasons, waiting }: OutputOf<"mcp.inspect">,
  { paint, io }: CliContext,
): string {
  return [
    `${paint.bold(escapeInvisible(name))}  ${escapeInvisible(where)}`,
    ...reasons.map((reason) => paint.warn(wrap(`  ${escapeInvisible(reason)}`, io.columns))),
    ...waiting.flatMap(({ tool, reason, detail }) => [
      paint.warn(`  ${escapeInvisible(tool)}: ${reason}`),
      ...detail.split("\n").map((line) => `    ${escapeInvisible(line)}`),
    ]),
  ].join("\n");
}

/** The result of a connection test, followed by all facts about the server. */
export function testText(data: OutputOf<"mcp.test">, ctx: CliContext): string {
  const { paint, io } = ctx;
  if (data.isReachable) {
    const head = `${paint.good("✓")} ${escapeInvisible(data.name)} answers after ${data.ms} ms: ${plural(data.callable, "tool")}`;
    return `${head}\n${serverText(data, ctx)}`;
  }
  const { why, ...rest } = data;
  const head = `${paint.bad("✗")} ${wrap(escapeInvisible(data.fault?.message ?? why ?? "It does not answer."), io.columns)}`;
  return `${head}\n${serverText(rest, ctx)}`;
}

const maxDetailLines = 60;
const maxLogLines = 8;
