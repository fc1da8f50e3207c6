import { lstat, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { SkillEntry, SkillFault, SkillHead } from "../../contracts/knowledge/skill.ts";
import { diffOfStates, stateOfBytes } from "../file-states.ts";
import { readSkillText, skillNameFault } from "../frontmatter.ts";
import type { SkillCollection, CollectedSkill } from "../skill-collection.ts";
import { hashOfEntries, readSkillEntries } from "../skill-folder.ts";
import type { SkillKeeper } from "../skill-keeper.ts";
import { type HubNote, type HubState, type InstalledSkill, hubFolder } from "./hub-lock.ts";
import type { FetchedSkill, HubSource, OfferedSkill } from "./hub-source.ts";

export interface HubFinding {
  readonly severity: string;
  readonly rule: string;
  readonly where: string;
  readonly excerpt?: string;
}

/** The result of a scan, and the decision for the source's trust level. */
export interface HubVerdict {
  readonly trust: string;
  readonly verdict: string;
  /** `force` means that the installation needs the user's --force. */
  readonly decision: "allow" | "ask" | "force" | "block";
  readonly findings: readonly HubFinding[];
}

/** A fetched and scanned skill in quarantine. */
export interface InspectedSkill {
  readonly offer: OfferedSkill;
  readonly name: string;
  readonly description: string;
  readonly hash: string;
  readonly folder: string;
  readonly permissions: SkillPermissions;
  readonly verdict: HubVerdict;
  readonly entries: readonly SkillEntry[];
  /** The difference from the installed skill of that name; empty if none is installed. */
  readonly diff: string;
}

export interface HubDeps {
  /** The folder of skills of the home. */
  readonly skills: string;
  readonly sources: readonly HubSource[];
  readonly state: HubState;
  readonly keeper: SkillKeeper;
  shelf(): Promise<SkillCollection>;
  judge(entries: readonly SkillEntry[], publisher: string): Promise<HubVerdict>;
  readonly clock: Clock;
}

export interface SkillUpdate {
  readonly installed: InstalledSkill;
  /** `gone` means that the source no longer has the skill. */
  readonly state: "current" | "newer" | "gone";
  readonly isEdited: boolean;
  readonly why?: string;
  readonly next?: InspectedSkill;
}

/** Searches, fetches, scans, installs and updates skills from external sources. */
export interface SkillHub {
  search(
    query: string,
    source: string | undefined,
    signal: AbortSignal,
  ): Promise<{
    readonly offers: readonly OfferedSkill[];
    readonly faults: readonly { readonly source: string; readonly message: string }[];
  }>;
  inspect(id: string, as: string | undefined, signal: AbortSignal): Promise<Result<InspectedSkill>>;
  /** Installs exactly the inspected skill. With `force`, even if the decision is `force`. */
  install(skill: InspectedSkill, force: boolean, signal: AbortSignal): Promise<Result<InstalledSkill>>;
  installed(): readonly InstalledSkill[];
  check(name: string | undefined, signal: AbortSignal): Promise<readonly SkillUpdate[]>;
  uninstall(name: string, signal: AbortSignal): Promise<Result<InstalledSkill>>;
  /** Scans all installed skills again. */
  audit(): Promise<
    readonly { readonly installed: InstalledSkill; readonly verdict: HubVerdict; readonly isEdited: boolean }[]
  >;
}

export function createSkillHub(deps: HubDeps): SkillHub {
  const { skills, sources, state, keeper, clock } = deps;

  const note = (what: HubNote["what"], { name, id, hash }: Pick<InstalledSkill, "name" | "id" | "hash">) =>
    state.note({ at: new Date(clock.now()).toISOString(), what, name, id, hash });

  async function findShelved(name: string): Promise<CollectedSkill | undefined> {
    return (await deps.shelf()).skills.find((each) => each.name === name && each.place.root.kind === "home");
  }

  async function inspected({ offer, entries }: FetchedSkill, as: string | undefined): Promise<Result<InspectedSkill>> {
    const file = entries.find(({ path }) => path === "SKILL.md");
    if (file?.kind !== "file") return err({ message: `${offer.id} has no SKILL.md` });
    const read = await readSkillText(Buffer.from(file.bytes).toString("utf8"), offer.name);
    if (!read.ok) return err({ message: `${offer.id}: ${read.error}` });
    const { head } = read.value;
    const name = as ?? head.name;
    const fault = skillNameFault(name);
    if (fault !== undefined) return err({ message: `${fault} Choose another with --name.` });
    const named = as === undefined || as === head.name ? entries : renamed(entries, head.name, as);
    const verdict = await deps.judge(named, offer.publisher);
    const folder = await putInQuarantine(skills, name, named);
    const now = await findShelved(name);
    return ok({
      offer,
      name,
      description: head.description,
      hash: hashOfEntries(named),
      folder,
      permissions: permissionsOf(head, named),
      verdict,
      entries: named,
      diff: now ? diffOf(readSkillEntries(now.folder), named) : "",
    });
  }

  async function inspect(id: string, as: string | undefined, signal: AbortSignal): Promise<Result<InspectedSkill>> {
    const source = sources.find((each) => each.owns(id));
    if (!source) {
      const forms =
        "github:owner/repository/path, clawhub:slug, claude:owner/repository#skill, lobehub:name, well-known:https://site#name, git:URL#path, an address of a SKILL.md, or a folder";
      return err({ message: `${JSON.stringify(id)} is not a skill id. Use ${forms}` });
    }
    const fetched = await source.fetch(id, signal);
    return fetched.ok ? inspected(fetched.value, as) : fetched;
  }

  /** Whether the skill was edited since its installation. */
  async function isEdited({ name, hash }: InstalledSkill): Promise<boolean> {
    const now = await findShelved(name);
    return now !== undefined && hashOfEntries(readSkillEntries(now.folder)) !== hash;
  }

  return {
    inspect,
    async search(query, requested, signal) {
      const selected = sources.filter(({ name }) => requested === undefined || name === requested);
      const answers = await Promise.all(
        selected.map(async (source) => ({ source: source.name, answer: await source.search(query, signal) })),
      );
      return {
        offers: answers.flatMap(({ answer }) => (answer.ok ? answer.value : [])),
        faults: answers.flatMap(({ source, answer }) => (answer.ok ? [] : [{ source, message: answer.error.message }])),
      };
    },
    async install(skill, force, signal) {
      const { name, offer, hash, verdict, entries, folder } = skill;
      const { decision } = verdict;
      if (decision === "block" || (decision === "force" && !force)) {
        const how = decision === "force" ? "; --force installs it anyway" : ", and cannot be forced";
        return err({
          message: `${name} is not installed: it looks ${verdict.verdict} and comes from ${offer.publisher} (${verdict.trust})${how}`,
        });
      }
      const before = await findShelved(name);
      const entry = state.installed().find((each) => each.name === name);
      if (before && !entry) {
        return err({
          message: `you already have your own skill ${name}; install it under another name with --name`,
        });
      }
      const path = entry?.path ?? before?.place.path ?? name;
      const placed = await keeper.restore(path, entries, signal);
      if (!placed.ok) return err({ message: placed.error.message });
      const installed: InstalledSkill = {
        name,
        id: offer.id,
        publisher: offer.publisher,
        trust: verdict.trust,
        verdict: verdict.verdict,
        hash,
        path,
        ...(offer.version !== undefined && { version: offer.version }),
        installedAt: clock.now(),
      };
      await state.keep(installed);
      await note(entry ? "updated" : "installed", installed);
      await leaveQuarantine(folder);
      return ok(installed);
    },
    installed: state.installed,
    async check(name, signal) {
      const requested = state.installed().filter((each) => name === undefined || each.name === name);
      return Promise.all(
        requested.map(async (installed): Promise<SkillUpdate> => {
          const edited = await isEdited(installed).catch(() => false);
          const next = await inspect(installed.id, installed.name, signal);
          if (!next.ok) return { installed, state: "gone", isEdited: edited, why: next.error.message };
          const isNewer = next.value.hash !== installed.hash;
          return { installed, state: isNewer ? "newer" : "current", isEdited: edited, next: next.value };
        }),
      );
    },
    async uninstall(name, signal) {
      const installed = state.installed().find((each) => each.name === name);
      if (!installed)
        return err({
          message: `${name} was not installed from a source; \`hermes skills list\` shows the origin of skills`,
        });
      if (await findShelved(name)) {
        const removed: Result<unknown, SkillFault> = await keeper.change(
          { action: "delete", name },
          { author: "user" },
          signal,
        );
        if (!removed.ok) return err({ message: removed.error.message });
      }
      await state.forget(name);
      await note("uninstalled", installed);
      return ok(installed);
    },
    async audit() {
      const all = await Promise.all(
        state.installed().map(async (installed) => {
          const now = await findShelved(installed.name);
          if (!now) return [];
          try {
            const entries = readSkillEntries(now.folder);
            const verdict = await deps.judge(entries, installed.publisher);
            return [{ installed, verdict, isEdited: hashOfEntries(entries) !== installed.hash }];
          } catch (thrown) {
            const findings = [{ severity: "critical", rule: "unreadable", where: reasonOf(thrown) }];
            return [
              {
                installed,
                verdict: { trust: installed.trust, verdict: "dangerous", decision: "block", findings } as const,
                isEdited: true,
              },
            ];
          }
        }),
      );
      return all.flat();
    },
  };
}

/** Renames a skill, including the name in its frontmatter. */
function renamed(entries: readonly SkillEntry[], from: string, to: string): readonly SkillEntry[] {
  return entries.map((entry) => {
    if (entry.kind !== "file" || entry.path !== "SKILL.md") return entry;
    const text = Buffer.from(entry.bytes).toString("utf8");
    const head = /^(\uFEFF?---[\s\S]*?^)name:[^\n]*$/mu;
    return {
      ...entry,
      bytes: Buffer.from(head.test(text) ? text.replace(head, `$1name: ${to}`) : text.replace(from, to)),
    };
  });
}

function diffOf(before: readonly SkillEntry[], after: readonly SkillEntry[]): string {
  const states = (entries: readonly SkillEntry[], others: readonly SkillEntry[]) =>
    Object.fromEntries([
      ...others.map(({ path }) => [path, null] as const),
      ...entries.flatMap((entry) =>
        entry.kind === "file" ? [[entry.path, stateOfBytes(entry.bytes, false)] as const] : [],
      ),
    ]);
  return diffOfStates(states(before, after), states(after, before));
}

/** Requirements and contents of a skill, shown before its installation. */
interface SkillPermissions {
  readonly tools: readonly string[];
  /** Environment variables that the skill's commands would see. */
  readonly variables: readonly string[];
  readonly credentialFiles: readonly string[];
  readonly programs: readonly string[];
  readonly scripts: readonly string[];
  /** Hosts that the skill's texts name. */
  readonly hosts: readonly string[];
  readonly files: readonly string[];
}

function permissionsOf(head: SkillHead, entries: readonly SkillEntry[]): SkillPermissions {
  const files = entries.map(({ path }) => path);
  const texts = entries.flatMap((entry) => (entry.kind === "file" ? Buffer.from(entry.bytes).toString("utf8") : []));
  const hosts = texts.flatMap((text) =>
    Array.from(text.matchAll(/https?:\/\/([\w.-]+)/giu), ([, host = ""]) => host.toLowerCase()),
  );
  return {
    tools: head.allowedTools,
    variables: head.variables.map(({ name }) => name),
    credentialFiles: head.credentialFiles.map(({ path }) => path),
    programs: head.commands,
    scripts: entries.flatMap((entry) => (entry.kind === "file" && isScript(entry) ? [entry.path] : [])),
    hosts: [...new Set(hosts)].toSorted(),
    files,
  };
}

function isScript({ path, bytes, isExecutable }: Extract<SkillEntry, { readonly kind: "file" }>): boolean {
  return isExecutable === true || path.startsWith("scripts/") || (bytes[0] === 0x23 && bytes[1] === 0x21);
}

/** Stores the fetched skill without execute permission until the user decides. */
async function putInQuarantine(skills: string, name: string, entries: readonly SkillEntry[]): Promise<string> {
  const root = join(skills, hubFolder, "quarantine");
  await makeFolder(root, 0o700);
  await sweep(root);
  const folder = join(root, name);
  await rm(folder, { recursive: true, force: true });
  for (const entry of entries) {
    if (entry.kind !== "file") continue;
    const file = join(folder, entry.path);
    await makeFolder(dirname(file), 0o700);
    const written = await writeFileAtomic(file, entry.bytes, { mode: 0o600 });
    if (!written.ok) throw new Error(written.error.message);
  }
  return folder;
}

async function leaveQuarantine(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Deletes old skills without a decision and keeps the newest. */
async function sweep(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  if (names.length <= maxKept) return;
  const matches = await Promise.all(names.map(async (name) => ({ name, at: (await lstat(join(root, name))).mtimeMs })));
  const old = matches.toSorted((one, other) => other.at - one.at).slice(maxKept);
  await Promise.all(old.map(({ name }) => rm(join(root, name), { recursive: true, force: true })));
}

const maxKept = 20;
