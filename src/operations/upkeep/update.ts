import { join, resolve } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { takeFileLock } from "../../base/files/file-lock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { version as runningVersion } from "../../base/version.ts";
import { resolveHome } from "../../config/home.ts";
import { loadConfig } from "../../config/load.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationContext, OperationFault } from "../../contracts/host/operation.ts";
import {
  findInstallation,
  type Installation,
  programRoot,
  versionsFolder,
} from "../../installation/find-installation.ts";
import type { CloneFault, CloneOptions } from "../../installation/update-clone.ts";
import { type ConfigPlace, readOperation, writeOperation } from "../operation.ts";

const branch = optional(string("In a clone: the branch of origin to update to; default: its upstream"));

export const operations = {
  status: readOperation({
    summary: "Show how Hermes is installed, and the versions that an update or a rollback can switch between",
    needs: [],
    run: async () => ok(await installationStatus()),
  }),

  check: readOperation({
    summary: "Check for a newer version; changes nothing",
    input: object({ branch }),
    needs: ["configPlace"],
    async run(input, { configPlace }, ctx): Promise<Result<UpdateCheck, OperationFault>> {
      const installation = findInstallation(programRoot());
      if (installation.kind === "clone") {
        const { inspectClone } = await import("../../installation/update-clone.ts");
        const state = await inspectClone(installation.root, cloneOptions(input.branch, configPlace, ctx));
        if (!state.ok) return cloneFault(state.error);
        const { behind, target } = state.value;
        return ok({ kind: "clone", version: runningVersion, isNewer: behind > 0, newest: target.slice(0, 10), behind });
      }
      const { newestRelease, isNewerVersion } = await import("../../installation/find-release.ts");
      const newest = await newestRelease(npmOptions(installation.root, configPlace, ctx));
      if (!newest.ok)
        return err({ message: `Cannot check for a newer version: ${newest.error.message}.`, hint: fromFileHint });
      const isNewer = isNewerVersion(newest.value, runningVersion);
      return ok({ kind: installation.kind, version: runningVersion, isNewer, newest: newest.value });
    },
  }),

  apply: writeOperation({
    summary:
      "Install a newer version beside this one, check it, and switch to it; after a failure the current version stays in use",
    input: object({
      file: optional(string("A package file made with npm pack; default: the newest published version")),
      force: optional(flag("Install even if the version is the same or older")),
      branch,
    }),
    needs: ["configPlace"],
    async run(
      { file, force = false, branch: named },
      { configPlace },
      ctx,
    ): Promise<Result<UpdateOutcome, OperationFault>> {
      const installation = findInstallation(programRoot());
      if (installation.kind === "dependency") return ofProject(installation.project);
      if (installation.kind === "package") return updatePackage(installation.root, file, force, configPlace, ctx);
      if (file !== undefined)
        return err({
          message: `${installation.root} is a clone; a package file does not update it.`,
          hint: "git pull",
          kind: "input",
        });
      const { inspectClone, updateClone } = await import("../../installation/update-clone.ts");
      const options = cloneOptions(named, configPlace, ctx);
      const state = await inspectClone(installation.root, options);
      if (!state.ok) return cloneFault(state.error);
      const { behind, commit, target } = state.value;
      if (behind === 0) return ok({ changed: false, from: commit.slice(0, 10), to: commit.slice(0, 10) });
      const updated = await updateClone(installation.root, state.value, options);
      if (!updated.ok) return cloneFault(updated.error);
      return ok({ changed: true, from: commit.slice(0, 10), to: target.slice(0, 10) });
    },
  }),

  rollback: writeOperation({
    summary: "Switch back to the version before the last update",
    needs: ["configPlace"],
    async run(_input, { configPlace }, ctx): Promise<Result<UpdateOutcome, OperationFault>> {
      const installation = findInstallation(programRoot());
      if (installation.kind === "dependency") return ofProject(installation.project);
      if (installation.kind === "clone")
        return err({
          message: "To return to an earlier version of a clone, use git.",
          hint: `git -C ${installation.root} reset --keep ORIG_HEAD`,
          kind: "input",
        });
      const { root } = installation;
      return locked(root, ctx, async () => {
        const { readVersions } = await import("../../installation/installed-versions.ts");
        const { active, previous } = readVersions(root);
        if (!previous) return err({ message: "There is no earlier version to return to." });
        return switchTo(root, previous.name, { from: active.version, to: previous.version }, configPlace, ctx);
      });
    },
  }),
};

interface UpdateCheck {
  readonly kind: Installation["kind"];
  readonly version: string;
  readonly isNewer: boolean;
  /** A version, or a commit of a clone. */
  readonly newest: string;
  /** Commits that a clone lacks. */
  readonly behind?: number;
}

interface UpdateOutcome {
  readonly changed: boolean;
  readonly from: string;
  readonly to: string;
  /** Versions that were removed from the disk. */
  readonly removed?: readonly string[];
}

const fromFileHint = "`hermes update FILE` installs a package file (made with npm pack).";

async function installationStatus() {
  const installation = findInstallation(programRoot());
  const base = {
    kind: installation.kind,
    root: installation.root,
    version: runningVersion,
    node: process.versions.node,
  };
  if (installation.kind !== "package") return { ...base, versions: [] };
  const { readVersions } = await import("../../installation/installed-versions.ts");
  const { active, previous, all } = readVersions(installation.root);
  return {
    ...base,
    versions: all.map((each) => ({ ...each, isActive: each === active, isPrevious: each === previous })),
  };
}

async function updatePackage(
  root: string,
  file: string | undefined,
  isForced: boolean,
  place: ConfigPlace,
  ctx: OperationContext,
): Promise<Result<UpdateOutcome, OperationFault>> {
  const { isNewerVersion, newestRelease, fetchRelease } = await import("../../installation/find-release.ts");
  return locked(root, ctx, async () => {
    const { readVersions } = await import("../../installation/installed-versions.ts");
    const { active } = readVersions(root);
    const npm = npmOptions(root, place, ctx);
    let archive = file === undefined ? undefined : resolve(ctx.cwd, file);
    await using stack = new AsyncDisposableStack();
    if (archive === undefined) {
      const newest = await newestRelease(npm);
      if (!newest.ok)
        return err({ message: `Cannot check for a newer version: ${newest.error.message}.`, hint: fromFileHint });
      if (!isForced && !isNewerVersion(newest.value, active.version))
        return ok({ changed: false, from: active.version, to: active.version });
      const { makeTempFolder } = await import("../../base/files/temp-folder.ts");
      const folder = makeTempFolder(join(root, versionsFolder), "fetch");
      const { rm } = await import("node:fs/promises");
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      ctx.report({ message: `Fetching version ${newest.value} …` });
      const fetched = await fetchRelease(newest.value, folder, { ...npm, cwd: folder });
      if (!fetched.ok) return err({ message: `Cannot fetch version ${newest.value}: ${fetched.error.message}.` });
      archive = fetched.value;
    }
    const { readPackageFile } = await import("../../installation/package-file.ts");
    const described = await readPackageFile(archive);
    if (!described.ok) return err(described.error);
    const { name, version } = described.value;
    if (active.name === name) return ok({ changed: false, from: version, to: version });
    if (!isForced && !isNewerVersion(version, active.version)) {
      const what = version === active.version ? "the version in use" : `older than ${active.version}`;
      return err({
        message: `${version} is ${what}. The old version stays in use.`,
        hint: "Pass --force to install it.",
        kind: "input",
      });
    }
    const { addVersion } = await import("../../installation/add-version.ts");
    const added = await addVersion(root, archive, {
      env: await environmentOf(place),
      hasValidSettings: (await loadConfig(place)).ok,
      signal: ctx.signal,
      clock: ctx.clock,
      report: (message) => ctx.report({ message }),
    });
    if (!added.ok) return err({ message: `${capital(added.error.message)}\nThe old version stays in use.` });
    return await switchTo(root, added.value.name, { from: active.version, to: version }, place, ctx);
  });
}

/** Switches, starts the launcher once, and switches back if it does not start. */
async function switchTo(
  root: string,
  name: string,
  { from, to }: { readonly from: string; readonly to: string },
  place: ConfigPlace,
  ctx: OperationContext,
): Promise<Result<UpdateOutcome, OperationFault>> {
  const { activateVersion, hasProcesses, pruneVersions, readVersions } =
    await import("../../installation/installed-versions.ts");
  const { runProgram } = await import("../../base/process/run-program.ts");
  const before = readVersions(root).active;
  const activated = await activateVersion(root, name);
  if (!activated.ok) return err({ message: `Cannot switch to ${to}: ${activated.error.message}` });
  const { signal, clock } = ctx;
  const started = await runProgram({
    program: join(root, "hermes"),
    args: ["--version"],
    env: place.env,
    signal,
    clock,
    timeoutMs: 120_000,
  });
  if (started.how !== "exit" || started.code !== 0 || started.stdout.trim() !== `hermes ${to}`) {
    await activateVersion(root, before.name);
    return err({ message: `${to} does not start through the launcher. ${from} is in use again.` });
  }
  const removed = await pruneVersions(root, clock.now(), hasProcesses);
  return ok({ changed: true, from, to, removed });
}

async function locked<T>(
  root: string,
  { signal, clock }: OperationContext,
  run: () => Promise<Result<T, OperationFault>>,
): Promise<Result<T, OperationFault>> {
  const versions = join(root, versionsFolder);
  try {
    await makeFolder(versions, 0o755);
  } catch (thrown) {
    const hint = "Run the update as the user who installed Hermes, for example with sudo.";
    return err({ message: describeFault(thrown, versions).message, hint });
  }
  const lock = await takeFileLock(join(versions, "update"), { signal, clock, timeoutMs: 1_000 });
  if (!lock.ok)
    return err({ message: lock.error.code === "ETIMEDOUT" ? "Another update is running." : lock.error.message });
  using _lock = lock.value;
  return await run();
}

function ofProject(project: string) {
  return err({
    message: `Hermes is a dependency of ${project}, whose package.json names its version.`,
    hint: "Update it there: npm install hermes-agent-ts@latest, or with a package file.",
    kind: "input" as const,
  });
}

function cloneOptions(
  named: string | undefined,
  { env }: ConfigPlace,
  { signal, clock, report }: OperationContext,
): CloneOptions {
  return {
    env,
    signal,
    clock,
    ...(named !== undefined && { branch: named }),
    report: (message) => report({ message }),
  };
}

function cloneFault({ message, hint, isBlocked }: CloneFault) {
  return err({ message, ...(hint !== undefined && { hint }), ...(isBlocked && { kind: "input" as const }) });
}

function npmOptions(cwd: string, { env }: ConfigPlace, { signal, clock }: OperationContext) {
  return { cwd, env, signal, clock };
}

/** The checks of the new version read the settings of the current home. */
async function environmentOf(place: ConfigPlace) {
  const home = await resolveHome(place.env, place.cwd, place.profile);
  return { ...place.env, ...(home.ok && { HERMES_HOME: home.value.path }) };
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
