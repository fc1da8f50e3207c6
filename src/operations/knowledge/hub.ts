import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { isObject, parsedObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { makeScratchFolder } from "../../config/scratch-folder.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { InspectedSkill, OpenedHub } from "../../runtime/knowledge/open-hub.ts";
import { readOperation, writeOperation } from "../operation.ts";

const id = string("github:owner/repository/path, clawhub:slug, git:URL#path, an address, or a folder");
const name = string("the skill");
const file = string("a JSON file");
const tap = string("owner/repository, git:URL, https://site, or a folder");

/** Published skills: search, inspect, install, update. */
export const operations = {
  search: readOperation({
    summary: "Search for published skills; without words, list them",
    input: object({
      words: optional(string("what the skill is about")),
      source: optional(
        string("only this source: github, clawhub, claude-marketplace, lobehub, well-known, git, folder"),
      ),
    }),
    needs: ["hub"],
    async run({ words = "", source }, { hub: { hub } }, { signal }) {
      const { offers, faults } = await hub.search(words, source, signal);
      return ok({ skills: offers, faults });
    },
  }),

  inspect: readOperation({
    summary: "Fetch and scan a skill, and show what it requires; installs nothing",
    input: object({ id, name: optional(string("the name to install it under")) }),
    needs: ["hub"],
    async run({ id: source, name: as }, { hub }, { signal }) {
      const skill = await inspect(hub, source, as, signal);
      return skill.ok ? ok(inspectedData(skill.value)) : sentence(skill.error);
    },
  }),

  install: writeOperation({
    summary: "Install a published skill if it is unchanged since its inspection",
    input: object({
      id,
      hash: string("the hash that `hub.inspect` returned"),
      name: optional(string("the name to install it under")),
      force: optional(flag("even if it looks risky")),
    }),
    needs: ["hub"],
    async run({ id: source, hash, name: as, force = false }, { hub: opened }, { signal }) {
      const { hub, inspected } = opened;
      const earlier = inspected.get(`${source} ${as ?? ""}`);
      const skill = earlier?.hash === hash ? ok(earlier) : await inspect(opened, source, as, signal);
      if (!skill.ok) return sentence(skill.error);
      if (skill.value.hash !== hash) return err({ message: `${source} has changed since it was inspected.` });
      const installed = await hub.install(skill.value, force, signal);
      return installed.ok ? ok({ installed: installed.value }) : sentence(installed.error);
    },
  }),

  check: readOperation({
    summary: "Check installed skills for newer versions",
    input: object({ name: optional(name) }),
    needs: ["hub"],
    async run({ name: requested }, { hub: { hub, inspected } }, { signal }) {
      const checked = await hub.check(requested, signal);
      for (const { installed, next } of checked) if (next) inspected.set(`${installed.id} ${installed.name}`, next);
      if (requested !== undefined && checked.length === 0)
        return err({ message: `${requested} was not installed from a hub.` });
      return ok({
        skills: checked.map(({ installed, state, isEdited, why, next }) => ({
          name: installed.name,
          id: installed.id,
          state,
          edited: isEdited,
          ...(why !== undefined && { why }),
          ...(next && { next: inspectedData(next) }),
        })),
      });
    },
  }),

  uninstall: writeOperation({
    summary: "Remove an installed skill",
    input: object({ name }),
    needs: ["hub"],
    async run({ name: skill }, { hub: { hub } }, { signal }) {
      const removed = await hub.uninstall(skill, signal);
      return removed.ok ? ok({ uninstalled: removed.value.name }) : sentence(removed.error);
    },
  }),

  audit: readOperation({
    summary: "Scan all installed skills again, and show the log of installs",
    needs: ["hub"],
    async run(_input, { hub: { hub, state } }) {
      const audited = await hub.audit();
      return ok({
        skills: audited.map(({ installed, verdict, isEdited }) => ({
          ...installed,
          verdict: verdict.verdict,
          decision: verdict.decision,
          edited: isEdited,
          findings: verdict.findings,
        })),
        log: await state.notes(),
      });
    },
  }),

  publish: writeOperation({
    summary: "Publish a skill of yours to a tap: a folder, or a git repository",
    input: object({
      name,
      to: string("a folder, or git:URL"),
      force: optional(flag("even if it looks risky")),
    }),
    needs: ["config", "hub", "skills"],
    async run({ name: requested, to, force = false }, { config, hub: { hub }, skills }, { signal, cwd }) {
      const { shelf } = await skills.opened();
      const skill = (await shelf()).skills.find((each) => each.name === requested);
      if (!skill) return err({ message: `There is no skill ${requested}.`, hint: "hermes skills list" });
      const inspected = await hub.inspect(skill.folder, undefined, signal);
      if (!inspected.ok) return sentence(inspected.error);
      const { verdict, findings } = inspected.value.verdict;
      if (verdict === "dangerous" || (verdict === "caution" && !force)) {
        const lines = findings.slice(0, 12).map(({ severity, rule, where }) => `  ${severity}: ${rule}, ${where}`);
        return err({ message: [`${requested} is not published: it looks ${verdict}.`, ...lines].join("\n") });
      }
      const { publishSkill } = await import("../../skills/hub/publish-skill.ts");
      const tap = to.startsWith("git:") ? to : resolve(cwd, to);
      const makeFolder = (kind: string) => makeScratchFolder(config.home.path, kind);
      const where = await publishSkill(skill, tap, { env: config.env, makeFolder }, signal);
      return where.ok ? ok({ published: requested, to: where.value }) : sentence(where.error);
    },
  }),

  exportSnapshot: writeOperation({
    summary: "Write the installed skills with their hashes to a file",
    input: object({ file }),
    needs: ["hub"],
    async run({ file: given }, { hub: { hub, state } }, { cwd }) {
      const path = resolve(cwd, given);
      const skills = hub.installed().map((each) => ({ name: each.name, id: each.id, hash: each.hash }));
      const data = { version: 1, taps: state.taps(), skills };
      const written = await writeFileAtomic(path, `${JSON.stringify(data, null, 2)}\n`);
      return written.ok ? ok({ file: path, skills: skills.length }) : written;
    },
  }),

  readSnapshot: readOperation({
    summary: "Read a snapshot and report which of its skills are installed already",
    input: object({ file }),
    needs: ["hub"],
    async run({ file: given }, { hub: { hub } }, { cwd }) {
      const path = resolve(cwd, given);
      const snapshot = snapshotIn(await readFile(path, "utf8").catch(() => ""));
      if (!snapshot) return err({ message: `${path} is not a snapshot of skills.` });
      const isInstalled = ({ name: skill, hash }: { readonly name: string; readonly hash: string }) =>
        hub.installed().some((each) => each.name === skill && each.hash === hash);
      return ok({
        taps: snapshot.taps,
        skills: snapshot.skills.map((each) => ({ ...each, isInstalled: isInstalled(each) })),
      });
    },
  }),

  taps: readOperation({
    summary: "List the taps: additional sources of skills",
    needs: ["config", "hub"],
    run: async (_input, { config, hub: { state } }) =>
      ok({ taps: state.taps(), settings: config.values.skills_hub.taps }),
  }),

  addTap: writeOperation({
    summary: "Add a tap",
    input: object({ tap }),
    needs: ["hub"],
    async run({ tap: given }, { hub: { state } }, { cwd }) {
      const { tapKind } = await import("../../skills/hub/tap-kind.ts");
      const place = /^[.~]?\.?\//u.test(given) || given === "." ? resolve(cwd, given) : given;
      if (tapKind(place) === undefined)
        return err({
          message: `${given} is not a tap.`,
          hint: "Use owner/repository, git:URL, https://site, or a folder.",
          kind: "input",
        });
      await addTaps(state, [place]);
      return ok({ added: place });
    },
  }),

  removeTap: writeOperation({
    summary: "Remove a tap",
    input: object({ tap }),
    needs: ["hub"],
    async run({ tap: given }, { hub: { state } }) {
      const before = state.taps();
      const kept = before.filter((each) => each !== given);
      if (kept.length === before.length)
        return err({ message: `${given} is not in the list of taps.`, hint: "hermes skills tap list" });
      await state.setTaps(kept);
      return ok({ removed: given });
    },
  }),
};

/** Caches the inspected skill, so that an install does not fetch it again. */
async function inspect({ hub, inspected }: OpenedHub, source: string, as: string | undefined, signal: AbortSignal) {
  const skill = await hub.inspect(source, as, signal);
  if (skill.ok) inspected.set(`${source} ${as ?? ""}`, skill.value);
  return skill;
}

async function addTaps(state: OpenedHub["state"], taps: readonly string[]): Promise<void> {
  await state.setTaps([...new Set([...state.taps(), ...taps])]);
}

/** Adds the full stop that messages of the hub lack. */
function sentence({ message }: { readonly message: string }) {
  return err({ message: `${message}.` });
}

/** A skill before its installation: description, requirements and scan results. */
function inspectedData({ offer, name: skill, description, hash, permissions, verdict, diff }: InspectedSkill) {
  return { offer, name: skill, description, hash, permissions, ...verdict, diff };
}

function snapshotIn(json: string) {
  const { taps, skills } = parsedObject(json);
  if (!Array.isArray(skills)) return undefined;
  return {
    taps: Array.isArray(taps) ? taps.filter((each) => typeof each === "string") : [],
    skills: skills.flatMap((each: unknown) =>
      isObject(each) &&
      typeof each["name"] === "string" &&
      typeof each["id"] === "string" &&
      typeof each["hash"] === "string"
        ? [{ name: each["name"], id: each["id"], hash: each["hash"] }]
        : [],
    ),
  };
}
