import { plural } from "../../../../base/text/text.ts";
import { timeText } from "../../../../base/text/time-text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../../command.ts";
import type { Paint } from "../../paint.ts";
import { wrap } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";

type Status = OutputOf<"status.show">;

export const commands: readonly CliCommand[] = [
  {
    path: ["status"],
    summary: "Show an overview: model, keys, safety, search, browser, servers, sessions",
    details:
      "Shows no secrets and sends no request. --deep also tests the model and the MCP servers, and reads all sessions.",
    options: [
      { flags: "--all", summary: "include every provider, plugin and changed setting" },
      { flags: "--deep", summary: "try the model and the servers, and verify the sessions" },
    ],
    showsWarnings: true,
    async run(input, ctx) {
      const status = await ctx.run("status.show", { all: input.flag("all") });
      const probes = input.flag("deep") ? await probe(status, ctx) : [];
      const failed = probes.some(({ isGood }) => !isGood);
      return {
        data: { ...status, ...(input.flag("deep") && { probes }) },
        text: statusText(status, probes, ctx),
        exitCode: failed ? 1 : 0,
      };
    },
  },
];

interface Probe {
  readonly name: string;
  readonly isGood: boolean;
  readonly result: string;
}

async function probe({ model, servers }: Status, ctx: CliContext): Promise<readonly Probe[]> {
  const probes: Probe[] = [];
  const attempt = async (name: string, work: () => Promise<Omit<Probe, "name">>) => {
    const outcome = await work().catch((thrown: unknown) => {
      if (!(thrown instanceof CommandFailed) || ctx.signal.aborted) throw thrown;
      return { isGood: false, result: thrown.message };
    });
    probes.push({ name, ...outcome });
  };
  if (!("fault" in model) && !model.isOffline)
    await attempt("model", async () => {
      const tested = await ctx.run("model.test", {});
      if ("message" in tested) return { isGood: false, result: tested.message };
      return { isGood: true, result: tested.offline ? "built in" : `answered in ${tested.ms} ms` };
    });
  for (const { name, state } of servers)
    if (state !== "disabled")
      await attempt(`mcp ${name}`, async () => {
        const tested = await ctx.run("mcp.test", { name });
        const fault = "fault" in tested ? tested.fault?.message : undefined;
        return { isGood: tested.isReachable, result: fault ?? `answered in ${tested.ms} ms` };
      });
  await attempt("sessions", async () => {
    const verified = await ctx.run("sessions.verify", {});
    const problems = verified?.problems.length ?? 0;
    return { isGood: problems === 0, result: problems === 0 ? "intact" : plural(problems, "problem") };
  });
  return probes;
}

function statusText(status: Status, probes: readonly Probe[], { paint, io }: CliContext): string {
  const { model, keys, servers, plugins, sessions, isolation, configFile, warnings, weaknesses } = status;
  const rows: readonly (readonly [string, string])[] = [
    ["hermes", `${status.version}, profile ${status.profile}`],
    ["home", status.home],
    ["config", `${configFile.path}${configFile.exists ? "" : " (not written yet: all defaults)"}`],
    ["model", modelText(model, paint)],
    ["keys", keysText(keys)],
    ["approvals", status.approvals === "yolo" ? paint.warn("yolo (off)") : status.approvals],
    ["runs on", status.backend],
    ["isolation", isolation.text],
    ["search", searchText(status.search)],
    ["browser", browserText(status.browser)],
    ["mcp", listText(servers)],
    ["plugins", listText(plugins)],
    ["sessions", sessionsText(sessions)],
    ...("changed" in status ? [["changed", status.changed?.join(", ") || "nothing"] as const] : []),
    ...probes.map(({ name, isGood, result }): readonly [string, string] => [
      name,
      isGood ? paint.good(withoutControls(result)) : paint.bad(withoutControls(result)),
    ]),
    ...[...weaknesses, ...warnings].map((warning): readonly [string, string] => [paint.warn("warning"), warning]),
  ];
  const width = io.columns < 60 ? 0 : 11;
  return rows
    .map(([name, value]) => wrap(`${paint.bold(name.padEnd(width))} ${withoutControlsIn(value, paint)}`, io.columns))
    .join("\n");
}

/** Painted text contains its own escape codes. */
function withoutControlsIn(text: string, paint: Paint): string {
  return paint.isColoured ? text : withoutControls(text);
}

function modelText(model: Status["model"], paint: Paint): string {
  if ("fault" in model) return paint.bad(withoutControls(model.fault ?? ""));
  if (model.isOffline) return "none connected; the built-in rules answer. `hermes setup model` connects one.";
  const key = model.hasKey ? "" : ` ${paint.bad("(no key)")}`;
  const fallbacks = model.fallbacks === 0 ? "" : `, ${plural(model.fallbacks, "fallback")}`;
  return `${withoutControls(`${model.provider}/${model.model}`)}${key}${fallbacks}`;
}

function keysText(keys: Status["keys"]): string {
  const shown = keys.map(({ provider, variable, keys: own }) => {
    const states = own.map(({ hint, status }) => `${hint}${status === "unrefused" ? "" : ` ${status}`}`);
    return `${provider} ${states.length === 0 ? `none${variable === undefined ? "" : ` (${variable})`}` : states.join(", ")}`;
  });
  return withoutControls(shown.join("; ") || "none");
}

function listText(items: readonly { readonly name: string; readonly state: string }[]): string {
  return withoutControls(items.map(({ name, state }) => `${name} ${state.replaceAll("_", " ")}`).join(", ") || "none");
}

function sessionsText({ count, messages, newest }: Status["sessions"]): string {
  if (count === 0) return "none yet";
  const last = newest ? `; newest ${newest.id}, ${timeText(newest.changedAt)}` : "";
  return `${plural(count, "session")}, ${plural(messages, "message")}${last}`;
}

function searchText(search: Status["search"]): string {
  return "fault" in search ? search.fault : `${search.backend} (${search.why})`;
}

function browserText({ backend, problem, where = "", profile }: Status["browser"]): string {
  return problem ?? `${where} (backend ${backend}${profile === undefined ? "" : `, profile ${profile}`})`;
}
