import { oneLine, plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliContext } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";

type Inspected = OutputOf<"plugins.inspect">;
type Shown = OutputOf<"plugins.info">;

/** Describes a plugin before its installation: manifest, permissions, variables, scan. */
export function inspectedText(plugin: Inspected, ctx: CliContext): string {
  const { paint } = ctx;
  const { permissions } = plugin;
  const bytes = plugin.files.reduce((sum, file) => sum + file.bytes, 0);
  const revision = plugin.revision === "" ? "" : ` at ${plugin.revision.slice(0, 12)}`;
  return [
    headLine(plugin, ctx),
    row("from", `${plugin.source}${revision}`, ctx),
    row("kind", `${plugin.kind}, ${plugin.language}`, ctx),
    ...(plugin.author === "" ? [] : [row("author", plugin.author, ctx)]),
    row("files", `${plural(plugin.files.length, "file")}, ${Math.ceil(bytes / 1024)} KB`, ctx),
    ...announcedRows(plugin, ctx),
    ...permissionRows(plugin, ctx),
    ...(permissions.granted.length > 0 ? [row("granted by your settings", permissions.granted.join(", "), ctx)] : []),
    paintedRow("scan", verdictText(plugin.scan, ctx), ctx),
    ...plugin.scan.findings
      .slice(0, maxFindings)
      .map(
        ({ severity, rule, where, excerpt }) =>
          `    ${severity}: ${rule}, ${escapeInvisible(where)}${excerpt === undefined ? "" : `: ${escapeInvisible(oneLine(excerpt, 100))}`}`,
      ),
    ...(plugin.scan.findings.length > maxFindings
      ? [paint.dim(`    and ${plugin.scan.findings.length - maxFindings} more: --json shows all`)]
      : []),
    ...plugin.notes.map((note) => `  ${escapeInvisible(note)}`),
  ].join("\n");
}

/** Lists the changes of an update: permissions first, then files. */
export function changeText({ version, installed }: Inspected, { paint }: CliContext): string {
  if (!installed) return "";
  const { added, removed, diff, isEdited } = installed;
  const listed = (sign: string, names: readonly string[]) => names.map((name) => `  ${sign} ${escapeInvisible(name)}`);
  return [
    `${paint.bold("Changes")} ${escapeInvisible(installed.version || "?")} → ${escapeInvisible(version || "?")}`,
    ...(isEdited ? [paint.warn("  You changed the installed version; the update replaces your changes.")] : []),
    ...(added.length > 0 ? [paint.warn("New permissions and variables:"), ...listed("+", added)] : []),
    ...(removed.length > 0 ? ["No longer needed:", ...listed("−", removed)] : []),
    ...(diff.added.length > 0 ? ["New files:", ...listed("+", diff.added.slice(0, maxFiles))] : []),
    ...(diff.removed.length > 0 ? ["Deleted files:", ...listed("−", diff.removed.slice(0, maxFiles))] : []),
    ...(diff.text === "" ? [] : diff.text.split("\n").slice(0, maxDiffLines).map(escapeInvisible)),
  ].join("\n");
}

/** Everything about a plugin. */
export function pluginText(plugin: Shown, ctx: CliContext): string {
  const { permissions, installed, contributes } = plugin;
  const marks = [
    ...(permissions.isUnconfined ? ["may run without a sandbox"] : []),
    ...(permissions.isInProcess ? ["runs in the process of Hermes"] : []),
    ...(permissions.mayReplaceTools ? ["may replace tools of others"] : []),
  ];
  return [
    headLine(plugin, ctx),
    paintedRow("state", `${stateText(plugin.state, ctx)}  ${escapeInvisible(plugin.why ?? "")}`.trimEnd(), ctx),
    row("source", `${plugin.source}  ${plugin.folder}`, ctx),
    ...(installed
      ? [
          row(
            "installed",
            `from ${installed.source}${installed.revision === "" ? "" : ` at ${installed.revision.slice(0, 12)}`}, pinned ${installed.hash.slice(0, 12)}${installed.isEdited ? ", changed since" : ""}`,
            ctx,
          ),
        ]
      : []),
    row("data", plugin.data.folder, ctx),
    row("kind", `${plugin.kind}, ${plugin.language}`, ctx),
    ...(plugin.author === "" ? [] : [row("author", plugin.author, ctx)]),
    ...permissionRows(plugin, ctx),
    ...(permissions.granted.length > 0 ? [row("granted", permissions.granted.join(", "), ctx)] : []),
    ...marks.map((mark) => `  ${ctx.paint.warn(mark)}`),
    ...plugin.tools.map((tool) => toolRow(tool, ctx)),
    ...Object.entries(contributes).map(([kind, names]) => row(kind, names.join(", "), ctx)),
    ...(plugin.hasRegistered ? [] : announcedRows(plugin, ctx)),
    ...plugin.unsupported.map(({ member, detail }) =>
      row("unsupported", `${member}${detail === "" ? "" : `: ${detail}`}`, ctx),
    ),
    ...plugin.warnings.map((warning) => row("warning", warning, ctx)),
  ].join("\n");
}

function toolRow({ name, description, isAvailable, refused }: Shown["tools"][number], ctx: CliContext): string {
  const idle = isAvailable === false ? " (unavailable now)" : "";
  const state = refused === undefined ? idle : ctx.paint.warn(` (not used: ${escapeInvisible(refused)})`);
  return paintedRow(
    "tool",
    `${escapeInvisible(name)}${state}  ${ctx.paint.dim(escapeInvisible(oneLine(description, 120)))}`,
    ctx,
  );
}

/** Contributions of a plugin that has not run yet, as far as its files name them. */
function announcedRows({ announces }: Pick<Shown, "announces">, ctx: CliContext): readonly string[] {
  const rows = Object.entries(announces).map(([kind, names]) => row(kind, names.join(", "), ctx));
  const note =
    rows.length === 0 ? "Its contributions are known" : "It has not run yet. All its contributions are known";
  return [...rows, ctx.paint.dim(`  ${note} after it was enabled.`)];
}

/** Lists the permissions and variables that the user has to approve. */
function permissionRows(
  { permissions, variables }: Pick<Inspected, "permissions" | "variables">,
  ctx: CliContext,
): readonly string[] {
  const { may } = permissions;
  const defaults = "read its own folder, write its data folder and place a skill";
  return [
    row(may.length === 0 ? "may only" : "may always", defaults, ctx),
    ...(may.length === 0 ? [] : [row("may also", may.join("; "), ctx)]),
    ...variables.map(({ name, prompt, url, isSet }) => {
      const about = [prompt, url].filter((text) => text !== undefined).join("  ");
      const state = isSet ? ctx.paint.good("(set; it sees the value)") : ctx.paint.warn("(not set)");
      return paintedRow("needs", `${name} ${state}  ${escapeInvisible(about)}`.trimEnd(), ctx);
    }),
  ];
}

function headLine(
  { key, version, description }: { readonly key: string; readonly version: string; readonly description: string },
  { paint }: CliContext,
): string {
  const number = version === "" ? "" : ` v${escapeInvisible(version)}`;
  return `${paint.bold(escapeInvisible(key))}${number}  ${escapeInvisible(oneLine(description, 300))}`.trimEnd();
}

export function stateText(state: Shown["state"], { paint }: CliContext): string {
  if (state === "active") return paint.good(state);
  return state === "broken" || state === "unavailable" ? paint.bad(state) : paint.warn(state);
}

function verdictText({ verdict, findings }: Inspected["scan"], { paint }: CliContext): string {
  const good = findings.length === 0 ? "nothing suspicious" : "nothing dangerous, but read the notes below";
  if (verdict === "safe") return `${paint.good(good)} ${paint.dim("(advice; you decide)")}`;
  const shown = verdict === "dangerous" ? paint.bad(verdict) : paint.warn(verdict);
  return `${shown} ${paint.dim("(advice; you decide)")}`;
}

function row(name: string, text: string, ctx: CliContext): string {
  return paintedRow(name, escapeInvisible(text), ctx);
}

/** Joins the parts; `text` must already be without control characters. */
function paintedRow(name: string, text: string, { paint }: CliContext): string {
  return `  ${paint.dim(name)} ${text}`;
}

const maxFindings = 12;
const maxFiles = 30;
const maxDiffLines = 120;
