import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { systemClock } from "../../../base/clock.ts";
import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { isObject } from "../../../base/json.ts";
import { silentLog } from "../../../base/log/log.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import type { OpenedHub } from "../../../runtime/knowledge/open-hub.ts";
import type { OpenedSkills } from "../../../runtime/knowledge/open-skills.ts";
import { visible } from "../ask-approval.ts";
import { askLine } from "../ask-line.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../command.ts";
import { findingLines, inspectedData, inspectedText, verdictText } from "../skill-view.ts";
import { table } from "../table.ts";

const id = {
  name: "id",
  summary: "as the search shows it: github:owner/repository/path, clawhub:slug, git:URL#path, an address, a folder",
};
const name = { name: "name", summary: "the skill" };
const yes = { flags: "-y, --yes", summary: "do not ask" };

/** Skills of others: found, looked through, installed, kept up to date. */
export const commands: readonly CliCommand[] = [
  {
    path: ["skills", "search"],
    summary: "Search for skills of others",
    args: [{ name: "words", summary: "what it is about", rest: true }],
    options: [
      {
        flags: "--source <name>",
        summary: "only there: github, clawhub, claude-marketplace, lobehub, well-known, git, folder",
      },
    ],
    run: (input, ctx) => withHub(ctx, (hub) => search(hub, input.rest("words").join(" "), input, ctx)),
  },
  {
    path: ["skills", "browse"],
    summary: "List skills of others",
    options: [{ flags: "--source <name>", summary: "only there" }],
    run: (input, ctx) => withHub(ctx, (hub) => search(hub, "", input, ctx)),
  },
  {
    path: ["skills", "inspect"],
    summary: "Fetch a skill, look through it, and show what it asks for; nothing is installed",
    args: [id],
    run: (input, ctx) =>
      withHub(ctx, async ({ hub }) => {
        const skill = valueOf(await hub.inspect(input.arg("id"), undefined, ctx.signal));
        return { data: inspectedData(skill), text: inspectedText(skill, ctx) };
      }),
  },
  {
    path: ["skills", "install"],
    summary: "Install a skill of others",
    details:
      "It is fetched into quarantine and looked through; you see what it asks for and what was found, and decide. What is installed is exactly what was shown: its hash is kept. " +
      "A community skill that looks risky needs --force; one that looks dangerous cannot be forced.",
    args: [id],
    options: [
      { flags: "--name <name>", summary: "under this name" },
      { flags: "--force", summary: "also when it looks risky" },
      yes,
    ],
    run: (input, ctx) => withHub(ctx, (hub) => install(hub, input, ctx)),
  },
  {
    path: ["skills", "update"],
    summary: "Bring installed skills up to date; what you changed stays",
    args: [{ ...name, optional: true }],
    options: [
      { flags: "--check", summary: "only say what there is" },
      { flags: "--force", summary: "also those that you changed; `hermes skills undo` brings your version back" },
      yes,
    ],
    run: (input, ctx) => withHub(ctx, (hub) => update(hub, input, ctx)),
  },
  {
    path: ["skills", "uninstall"],
    summary: "Remove a skill that was installed",
    args: [name],
    run: (input, ctx) =>
      withHub(ctx, async ({ hub }) => {
        const gone = valueOf(await hub.uninstall(input.arg("name"), ctx.signal));
        return {
          data: { uninstalled: gone.name },
          text: `${gone.name} is gone. \`hermes skills undo ${gone.name}\` brings it back.`,
        };
      }),
  },
  {
    path: ["skills", "audit"],
    summary: "Look through all installed skills once more, and show what was done",
    run: (_input, ctx) => withHub(ctx, (hub) => audit(hub, ctx)),
  },
  {
    path: ["skills", "publish"],
    summary: "Put a skill of yours into a tap: a folder, or a git repository",
    args: [name],
    options: [
      { flags: "--to <tap>", summary: "a folder, or git:URL" },
      { flags: "--force", summary: "also when it looks risky" },
    ],
    run: (input, ctx) => withHub(ctx, (hub, skills) => publish(hub, skills, input, ctx)),
  },
  {
    path: ["skills", "snapshot", "export"],
    summary: "Write down what is installed, with its hashes",
    args: [{ name: "file", summary: "a JSON file" }],
    run: (input, ctx) =>
      withHub(ctx, async ({ hub, state }) => {
        const file = resolve(ctx.cwd, input.arg("file"));
        const data = {
          version: 1,
          taps: [...state.taps()],
          skills: hub.installed().map((each) => ({ name: each.name, id: each.id, hash: each.hash })),
        };
        const written = await writeFileAtomic(file, `${JSON.stringify(data, null, 2)}\n`);
        if (!written.ok) throw new CommandFailed(written.error.message);
        return {
          data: { file, skills: data.skills.length },
          text: `${plural(data.skills.length, "skill")} written down in ${file}.`,
        };
      }),
  },
  {
    path: ["skills", "snapshot", "import"],
    summary: "Install what a snapshot names, each only if it is still the same",
    args: [{ name: "file", summary: "a JSON file" }],
    options: [yes],
    run: (input, ctx) => withHub(ctx, (hub) => importSnapshot(hub, input, ctx)),
  },
  {
    path: ["skills", "tap", "list"],
    summary: "List where else is searched",
    run: (_input, ctx) =>
      withHub(ctx, async ({ state }) => {
        const own = (await ctx.config()).values.skills_hub.taps;
        return {
          data: { taps: [...state.taps()], settings: [...own] },
          text: [...own.map((tap) => `${tap} ${ctx.paint.dim("(settings)")}`), ...state.taps()].join("\n"),
        };
      }),
  },
  {
    path: ["skills", "tap", "add"],
    summary: "Search there too: owner/repository, git:URL, a site, a folder",
    args: [{ name: "tap", summary: "the place" }],
    run: (input, ctx) =>
      withHub(ctx, async ({ state }) => {
        const { tapKind } = await import("../../../runtime/knowledge/open-hub.ts");
        const given = input.arg("tap");
        const tap = /^[.~]?\.?\//u.test(given) || given === "." ? resolve(ctx.cwd, given) : given;
        if (tapKind(tap) === undefined)
          throw new CommandFailed(
            `${visible(given)} is no place for skills.`,
            "owner/repository, git:URL, https://site, or a folder",
            2,
          );
        await state.setTaps([...new Set([...state.taps(), tap])]);
        return { data: { added: tap }, text: `${tap} is searched from now on.` };
      }),
  },
  {
    path: ["skills", "tap", "remove"],
    summary: "Search there no more",
    args: [{ name: "tap", summary: "the place" }],
    run: (input, ctx) =>
      withHub(ctx, async ({ state }) => {
        const before = state.taps();
        const kept = before.filter((tap) => tap !== input.arg("tap"));
        if (kept.length === before.length)
          throw new CommandFailed(`${visible(input.arg("tap"))} is not searched.`, "hermes skills tap list");
        await state.setTaps(kept);
        return { data: { removed: input.arg("tap") }, text: `${input.arg("tap")} is searched no more.` };
      }),
  },
];

async function withHub(ctx: CliContext, run: (hub: OpenedHub, skills: OpenedSkills) => Promise<Reply>): Promise<Reply> {
  const { openSkills } = await import("../../../runtime/knowledge/open-skills.ts");
  const { openHub } = await import("../../../runtime/knowledge/open-hub.ts");
  const config = await ctx.config();
  const say = (sentence: string) => ctx.io.warn(`${ctx.paint.dim(`hermes: ${visible(sentence)}`)}\n`);
  await using skills = openSkills(config, { cwd: ctx.cwd, clock: systemClock, log: silentLog, say });
  return await run(openHub(config, skills, { cwd: ctx.cwd, clock: systemClock }), skills);
}

function valueOf<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: { readonly message: string } },
): T {
  if (result.ok) return result.value;
  throw new CommandFailed(`${visible(result.error.message)}.`);
}

async function search({ hub }: OpenedHub, words: string, input: CliInput, ctx: CliContext): Promise<Reply> {
  const { offers, faults } = await hub.search(words, input.option("source"), ctx.signal);
  for (const { source, message } of faults)
    ctx.io.warn(`${ctx.paint.warn("warning:")} ${source}: ${visible(message)}\n`);
  const rows = offers.map((each) => [ctx.paint.bold(visible(each.id)), visible(oneLine(each.description, 200))]);
  return {
    data: { skills: offers.map((each) => ({ ...each })), faults: faults.map((each) => ({ ...each })) },
    text: rows.length === 0 ? "Nothing was found." : table(rows, ctx.io.columns),
    exitCode: offers.length === 0 && faults.length > 0 ? 1 : 0,
  };
}

async function install({ hub }: OpenedHub, input: CliInput, ctx: CliContext): Promise<Reply> {
  const skill = valueOf(await hub.inspect(input.arg("id"), input.option("name"), ctx.signal));
  const { decision } = skill.verdict;
  const isBlocked = decision === "block" || (decision === "force" && !input.flag("force"));
  if (!isBlocked) await confirm(`${inspectedText(skill, ctx)}\nInstall ${skill.name}?`, input, ctx);
  else if (!ctx.json) ctx.io.warn(`${inspectedText(skill, ctx)}\n`);
  const installed = valueOf(await hub.install(skill, input.flag("force"), ctx.signal));
  return {
    data: { installed: { ...installed } },
    text: `${installed.name} is installed. Use it with /${installed.name} in a conversation.`,
  };
}

async function update({ hub }: OpenedHub, input: CliInput, ctx: CliContext): Promise<Reply> {
  const wanted = input.optionalArg("name");
  const found = await hub.check(wanted, ctx.signal);
  if (wanted !== undefined && found.length === 0)
    throw new CommandFailed(`${visible(wanted)} was not installed from elsewhere.`);
  const lines: string[] = [];
  const results: { name: string; state: string; edited: boolean; updated: boolean }[] = [];
  let hasFailed = false;
  for (const { installed, state, isEdited, why, next } of found) {
    const result = { name: installed.name, state, edited: isEdited, updated: false };
    results.push(result);
    if (state !== "newer" || !next || input.flag("check")) {
      const words =
        state === "gone"
          ? `cannot be fetched: ${visible(why ?? "")}`
          : state === "newer"
            ? "has a newer version"
            : "is up to date";
      lines.push(`${installed.name} ${words}${isEdited ? " (changed by you)" : ""}`);
      continue;
    }
    if (isEdited && !input.flag("force")) {
      lines.push(
        `${installed.name} has a newer version, and you changed yours: it stays. --force takes the newer one; undo brings yours back.`,
      );
      continue;
    }
    await confirm(`${inspectedText(next, ctx)}\n${visible(next.diff)}\nUpdate ${installed.name}?`, input, ctx);
    const done = await hub.install(next, false, ctx.signal);
    result.updated = done.ok;
    hasFailed ||= !done.ok;
    lines.push(done.ok ? `${installed.name} is updated.` : visible(done.error.message));
  }
  return {
    data: { skills: results },
    text: lines.join("\n") || "Nothing was installed from elsewhere.",
    exitCode: hasFailed ? 1 : 0,
  };
}

async function audit({ hub, state }: OpenedHub, ctx: CliContext): Promise<Reply> {
  const found = await hub.audit();
  const notes = await state.notes();
  const lines = found.flatMap(({ installed, verdict, isEdited }) => [
    `${ctx.paint.bold(installed.name)}  ${verdictText(verdict, ctx)}  ${installed.id}${isEdited ? "  changed since it was installed" : ""}`,
    ...findingLines(verdict),
  ]);
  const log = notes
    .slice(-20)
    .map((each) => ctx.paint.dim(`${each.at}  ${each.what} ${visible(each.name)} ${visible(each.id)}`));
  return {
    data: {
      skills: found.map(({ installed, verdict, isEdited }) => ({
        ...installed,
        verdict: verdict.verdict,
        edited: isEdited,
        findings: verdict.findings.map((each) => ({ ...each })),
      })),
      log: notes.map((each) => ({ ...each })),
    },
    text: [...lines, ...(log.length > 0 ? ["", ...log] : [])].join("\n") || "Nothing was installed from elsewhere.",
    exitCode: found.some(({ verdict }) => verdict.decision === "block") ? 1 : 0,
  };
}

async function publish({ hub }: OpenedHub, skills: OpenedSkills, input: CliInput, ctx: CliContext): Promise<Reply> {
  const to = input.option("to");
  if (to === undefined) throw new CommandFailed("Say where: --to FOLDER or --to git:URL.", undefined, 2);
  const skill = (await skills.shelf()).skills.find((each) => each.name === input.arg("name"));
  if (!skill) throw new CommandFailed(`There is no skill ${visible(input.arg("name"))}.`, "hermes skills list");
  const looked = valueOf(await hub.inspect(skill.folder, undefined, ctx.signal));
  const { verdict } = looked.verdict;
  if (verdict === "dangerous" || (verdict === "caution" && !input.flag("force"))) {
    throw new CommandFailed(
      `${skill.name} is not published: it looks ${looked.verdict.verdict}.\n${findingLines(looked.verdict).join("\n")}`,
    );
  }
  const { publishSkill } = await import("../../../runtime/knowledge/publish-skill.ts");
  const tap = to.startsWith("git:") ? to : resolve(ctx.cwd, to);
  const where = valueOf(await publishSkill(skill, tap, await ctx.config(), ctx.signal));
  return { data: { published: skill.name, to: where }, text: `${skill.name} is published: ${where}` };
}

async function importSnapshot({ hub, state }: OpenedHub, input: CliInput, ctx: CliContext): Promise<Reply> {
  const file = resolve(ctx.cwd, input.arg("file"));
  const wanted = snapshotIn(await readFile(file, "utf8").catch(() => ""));
  if (!wanted) throw new CommandFailed(`${file} is no snapshot of skills.`);
  await state.setTaps([...new Set([...state.taps(), ...wanted.taps])]);
  const lines: string[] = [];
  const installed: string[] = [];
  for (const each of wanted.skills) {
    if (hub.installed().some(({ name: known, hash }) => known === each.name && hash === each.hash)) {
      lines.push(`${each.name} is there already`);
      continue;
    }
    const skill = await hub.inspect(each.id, each.name, ctx.signal);
    if (!skill.ok) lines.push(`${each.name}: ${visible(skill.error.message)}`);
    else if (skill.value.hash !== each.hash)
      lines.push(
        `${each.name} is not what it was when the snapshot was made; install it yourself if you want it: hermes skills install ${each.id}`,
      );
    else {
      await confirm(`${inspectedText(skill.value, ctx)}\nInstall ${each.name}?`, input, ctx);
      const done = await hub.install(skill.value, false, ctx.signal);
      if (done.ok) installed.push(each.name);
      lines.push(done.ok ? `${each.name} is installed` : visible(done.error.message));
    }
  }
  const left = wanted.skills.length - installed.length;
  return {
    data: { installed, lines },
    text: lines.join("\n") || "It names no skill.",
    exitCode: left > 0 && installed.length === 0 && lines.some((line) => !line.endsWith("already")) ? 1 : 0,
  };
}

function snapshotIn(text: string):
  | {
      readonly taps: readonly string[];
      readonly skills: readonly { readonly name: string; readonly id: string; readonly hash: string }[];
    }
  | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !Array.isArray(value["skills"])) return undefined;
  const taps = Array.isArray(value["taps"]) ? value["taps"].filter((tap) => typeof tap === "string") : [];
  const skills = value["skills"].flatMap((each) =>
    isObject(each) &&
    typeof each["name"] === "string" &&
    typeof each["id"] === "string" &&
    typeof each["hash"] === "string"
      ? [{ name: each["name"], id: each["id"], hash: each["hash"] }]
      : [],
  );
  return { taps, skills };
}

/** Anything but yes is a no. Where nobody can be asked, `--yes` has to say it. */
async function confirm(question: string, input: CliInput, ctx: CliContext): Promise<void> {
  if (input.flag("yes")) return;
  if (ctx.json || !ctx.io.stdinIsTerminal)
    throw new CommandFailed("Nobody is here to ask; nothing was installed.", "--yes installs it without a question.");
  const answer = await askLine(ctx.io, `${question} [y/N] `, ctx.signal);
  if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailed("Nothing was installed.");
}
