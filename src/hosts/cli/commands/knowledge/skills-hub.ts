import { oneLine, plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { askLine } from "../../questions/ask-line.ts";
import { table } from "../../table.ts";

const id = {
  name: "id",
  summary:
    "the id that the search prints: github:owner/repository/path, clawhub:slug, git:URL#path; or an address or a folder",
};
const name = { name: "name", summary: "the skill" };
const yes = { flags: "-y, --yes", summary: "do not ask" };
const nothingInstalled = "No skill was installed from a hub.";

/** Published skills: search, inspect, install, update. */
export const commands: readonly CliCommand[] = [
  {
    path: ["skills", "search"],
    summary: "Search for published skills",
    args: [{ name: "words", summary: "what the skill is about", rest: true }],
    options: [
      {
        flags: "--source <name>",
        summary: "only this source: github, clawhub, claude-marketplace, lobehub, well-known, git, folder",
      },
    ],
    run: search,
  },
  {
    path: ["skills", "browse"],
    summary: "List published skills",
    options: [{ flags: "--source <name>", summary: "only this source" }],
    run: search,
  },
  {
    path: ["skills", "inspect"],
    summary: "Fetch and scan a skill, and show what it requires; installs nothing",
    args: [id],
    async run(input, ctx) {
      const skill = await ctx.run("hub.inspect", { id: input.arg("id") });
      return { data: skill, text: inspectedText(skill, ctx) };
    },
  },
  {
    path: ["skills", "install"],
    summary: "Install a published skill",
    details:
      "Fetches the skill into quarantine and scans it; shows what it requires and what the scan reports, then asks. Installs exactly the content shown, checked by its hash. " +
      "A community skill that looks risky needs --force; one that looks dangerous cannot be forced.",
    args: [id],
    options: [
      { flags: "--name <name>", summary: "install under this name" },
      { flags: "--force", summary: "even if it looks risky" },
      yes,
    ],
    async run(input, ctx) {
      const request = { id: input.arg("id"), name: input.option("name") };
      const skill = await ctx.run("hub.inspect", request);
      const force = input.flag("force");
      const isBlocked = skill.decision === "block" || (skill.decision === "force" && !force);
      if (!isBlocked) await confirm(`${inspectedText(skill, ctx)}\nInstall ${skill.name}?`, input, ctx);
      else if (!ctx.json) ctx.io.warn(`${inspectedText(skill, ctx)}\n`);
      const data = await ctx.run("hub.install", { ...request, hash: skill.hash, force });
      return { data, text: `Installed ${data.installed.name}. Use it with /${data.installed.name} in a session.` };
    },
  },
  {
    path: ["skills", "update"],
    summary: "Update installed skills; your changes stay",
    args: [{ ...name, optional: true }],
    options: [
      { flags: "--check", summary: "only report newer versions" },
      { flags: "--force", summary: "also update skills that you changed; `hermes skills undo` restores your version" },
      yes,
    ],
    run: update,
  },
  {
    path: ["skills", "uninstall"],
    summary: "Remove an installed skill",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run("hub.uninstall", { name: input.arg("name") });
      return { data, text: `Removed ${data.uninstalled}. \`hermes skills undo ${data.uninstalled}\` restores it.` };
    },
  },
  {
    path: ["skills", "audit"],
    summary: "Scan all installed skills again, and show the log of installs",
    async run(_input, ctx) {
      const { skills, log } = await ctx.run("hub.audit", {});
      const lines = skills.flatMap((skill) => [
        `${ctx.paint.bold(skill.name)}  ${verdictText(skill, ctx)}  ${skill.id}${skill.edited ? "  changed since it was installed" : ""}`,
        ...findingLines(skill),
      ]);
      const notes = log
        .slice(-20)
        .map((each) =>
          ctx.paint.dim(`${each.at}  ${each.what} ${escapeInvisible(each.name)} ${escapeInvisible(each.id)}`),
        );
      return {
        data: { skills: skills.map(({ decision: _decision, ...skill }) => skill), log },
        text: [...lines, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n") || nothingInstalled,
        exitCode: skills.some(({ decision }) => decision === "block") ? 1 : 0,
      };
    },
  },
  {
    path: ["skills", "publish"],
    summary: "Publish a skill of yours to a tap: a folder, or a git repository",
    args: [name],
    options: [
      { flags: "--to <tap>", summary: "a folder, or git:URL" },
      { flags: "--force", summary: "even if it looks risky" },
    ],
    async run(input, ctx) {
      const to = input.option("to");
      if (to === undefined) throw new CommandFailed("Pass the target: --to FOLDER or --to git:URL.", undefined, 2);
      const data = await ctx.run("hub.publish", { name: input.arg("name"), to, force: input.flag("force") });
      return { data, text: `Published ${data.published}: ${data.to}` };
    },
  },
  {
    path: ["skills", "snapshot", "export"],
    summary: "Write the installed skills with their hashes to a file",
    args: [{ name: "file", summary: "a JSON file" }],
    async run(input, ctx) {
      const data = await ctx.run("hub.exportSnapshot", { file: input.arg("file") });
      return { data, text: `${plural(data.skills, "skill")} in ${data.file}.` };
    },
  },
  {
    path: ["skills", "snapshot", "import"],
    summary: "Install the skills of a snapshot, each only if it is unchanged",
    args: [{ name: "file", summary: "a JSON file" }],
    options: [yes],
    run: importSnapshot,
  },
  {
    path: ["skills", "tap", "list"],
    summary: "List the taps: additional sources of skills",
    async run(_input, ctx) {
      const data = await ctx.run("hub.taps", {});
      const own = data.settings.map((tap) => `${tap} ${ctx.paint.dim("(settings)")}`);
      return { data, text: [...own, ...data.taps].join("\n") };
    },
  },
  {
    path: ["skills", "tap", "add"],
    summary: "Add a tap: owner/repository, git:URL, a site, a folder",
    args: [{ name: "tap", summary: "the tap" }],
    async run(input, ctx) {
      const data = await ctx.run("hub.addTap", { tap: input.arg("tap") });
      return { data, text: `Searches now include ${data.added}.` };
    },
  },
  {
    path: ["skills", "tap", "remove"],
    summary: "Remove a tap",
    args: [{ name: "tap", summary: "the tap" }],
    async run(input, ctx) {
      const data = await ctx.run("hub.removeTap", { tap: input.arg("tap") });
      return { data, text: `Searches no longer include ${data.removed}.` };
    },
  },
];

async function search(input: CliInput, ctx: CliContext): Promise<Reply> {
  const words = input.rest("words").join(" ");
  const data = await ctx.run("hub.search", { words, source: input.option("source") });
  for (const { source, message } of data.faults)
    ctx.io.warn(`${ctx.paint.warn("warning:")} ${source}: ${escapeInvisible(message)}\n`);
  const rows = data.skills.map((each) => [
    ctx.paint.bold(escapeInvisible(each.id)),
    escapeInvisible(oneLine(each.description, 200)),
  ]);
  return {
    data,
    text: rows.length === 0 ? "No matches." : table(rows, ctx.io.columns),
    exitCode: rows.length === 0 && data.faults.length > 0 ? 1 : 0,
  };
}

async function update(input: CliInput, ctx: CliContext): Promise<Reply> {
  const { skills } = await ctx.run("hub.check", { name: input.optionalArg("name") });
  const lines: string[] = [];
  const results: { name: string; state: string; edited: boolean; updated: boolean }[] = [];
  let hasFailed = false;
  for (const { name: skill, id: source, state, edited, why = "", next } of skills) {
    const result = { name: skill, state, edited, updated: false };
    results.push(result);
    if (state !== "newer" || !next || input.flag("check")) {
      const states = {
        gone: `cannot be fetched: ${escapeInvisible(why)}`,
        newer: "has a newer version",
        same: "is up to date",
      };
      const words = states[state === "gone" || state === "newer" ? state : "same"];
      lines.push(`${skill} ${words}${edited ? " (changed by you)" : ""}`);
    } else if (edited && !input.flag("force")) {
      lines.push(
        `${skill} has a newer version, and you changed yours: it stays. --force installs the newer one; undo restores yours.`,
      );
    } else {
      await confirm(`${inspectedText(next, ctx)}\n${escapeInvisible(next.diff)}\nUpdate ${skill}?`, input, ctx);
      const failure = await ctx
        .run("hub.install", { id: source, name: skill, hash: next.hash })
        .then(() => undefined, failureText);
      result.updated = failure === undefined;
      hasFailed ||= failure !== undefined;
      lines.push(failure ?? `Updated ${skill}.`);
    }
  }
  return { data: { skills: results }, text: lines.join("\n") || nothingInstalled, exitCode: hasFailed ? 1 : 0 };
}

async function importSnapshot(input: CliInput, ctx: CliContext): Promise<Reply> {
  const { taps, skills } = await ctx.run("hub.readSnapshot", { file: input.arg("file") });
  for (const tap of taps) await ctx.run("hub.addTap", { tap });
  const lines: string[] = [];
  const installed: string[] = [];
  for (const { name: skill, id: source, hash, isInstalled } of skills) {
    if (isInstalled) {
      lines.push(`${skill} is installed already`);
      continue;
    }
    const inspected = await ctx.run("hub.inspect", { id: source, name: skill }).catch(failureText);
    if (typeof inspected === "string") lines.push(`${skill}: ${inspected}`);
    else if (inspected.hash !== hash)
      lines.push(`${skill} has changed since the snapshot; to install it anyway: hermes skills install ${source}`);
    else {
      await confirm(`${inspectedText(inspected, ctx)}\nInstall ${skill}?`, input, ctx);
      const failure = await ctx
        .run("hub.install", { id: source, name: skill, hash })
        .then(() => undefined, failureText);
      if (failure === undefined) installed.push(skill);
      lines.push(failure ?? `Installed ${skill}`);
    }
  }
  const isFailure = skills.length > installed.length && installed.length === 0;
  return {
    data: { installed, lines },
    text: lines.join("\n") || "The snapshot has no skills.",
    exitCode: isFailure && lines.some((line) => !line.endsWith("already")) ? 1 : 0,
  };
}

/** If one skill fails, the command continues with the others. */
function failureText(thrown: unknown): string {
  if (thrown instanceof CommandFailed) return escapeInvisible(thrown.message);
  throw thrown;
}

/** Any answer but yes declines. Without a terminal, --yes is required. */
async function confirm(question: string, input: CliInput, ctx: CliContext): Promise<void> {
  if (input.flag("yes")) return;
  if (ctx.json || !ctx.io.stdinIsTerminal)
    throw new CommandFailed(
      "Cannot ask without a terminal; nothing was installed.",
      "--yes installs it without a question.",
    );
  const answer = await askLine(ctx.io, `${question} [y/N] `, ctx.signal);
  if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailed("Nothing was installed.");
}

type Inspected = OutputOf<"hub.inspect">;

/** A published skill before its installation: description, requirements and scan results. */
function inspectedText(skill: Inspected, ctx: CliContext): string {
  const { permissions: wants, offer } = skill;
  const row = (what: string, list: readonly string[]) =>
    list.length === 0
      ? []
      : [`  ${ctx.paint.dim(what)} ${escapeInvisible(list.slice(0, 30).join(", "))}${list.length > 30 ? ", …" : ""}`];
  return [
    `${ctx.paint.bold(skill.name)}${offer.version === undefined ? "" : ` ${escapeInvisible(offer.version)}`}  ${escapeInvisible(oneLine(skill.description, 300))}`,
    `  ${ctx.paint.dim("from")} ${escapeInvisible(offer.id)} (${skill.trust})`,
    ...row("tools", wants.tools),
    ...row("variables", wants.variables),
    ...row("credential files", wants.credentialFiles),
    ...row("programs", wants.programs),
    ...row("scripts", wants.scripts),
    ...row("hosts", wants.hosts),
    ...row("files", wants.files),
    `  ${ctx.paint.dim("scan:")} ${verdictText(skill, ctx)}`,
    ...findingLines(skill),
  ].join("\n");
}

function verdictText({ verdict }: Pick<Inspected, "verdict">, { paint }: CliContext): string {
  return verdict === "safe" ? paint.good(verdict) : verdict === "caution" ? paint.warn(verdict) : paint.bad(verdict);
}

function findingLines({ findings }: Pick<Inspected, "findings">): readonly string[] {
  return findings
    .slice(0, 12)
    .map(
      ({ severity, rule, where, excerpt }) =>
        `    ${severity}: ${rule}, ${escapeInvisible(where)}${excerpt === undefined ? "" : `: ${escapeInvisible(oneLine(excerpt, 100))}`}`,
    );
}
