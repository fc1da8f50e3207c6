import { existsSync, statSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

import { randomHex } from "../../base/digest.ts";
import { expandHome } from "../../base/files/path.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { version as runningVersion } from "../../base/version.ts";
import { copyDistribution, type Distribution, readDistribution, treeFault } from "../../config/distribution.ts";
import { ensureHome, homeFiles, isProfileName, originalFiles, profilePath, userFolder } from "../../config/home.ts";
import { readProfileFacts, writeProfileFacts } from "../../config/profile-facts.ts";
import { createProfile } from "../../config/profiles.ts";
import { makeScratchFolder } from "../../config/scratch-folder.ts";
import { readYaml } from "../../config/yaml/read-yaml.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { OperationContext, OperationFault } from "../../contracts/host/operation.ts";
import { isNewerVersion } from "../../installation/find-release.ts";
import { type ConfigPlace, readOperation, writeOperation } from "../operation.ts";
import { configOutcome } from "./config-fault.ts";
import { profileOf, profileRoot } from "./profile-details.ts";

const source = string("A git URL, or a folder with distribution.yaml");

export const profileDistributions = {
  export: writeOperation({
    summary: "Write a profile to a file, without secrets and history",
    input: object({
      name: optional(string("The profile; default: the active one")),
      file: string("The file to write"),
    }),
    needs: ["configPlace"],
    async run({ name, file }, { configPlace }, ctx) {
      const profile = await profileOf(configPlace, name);
      if (!profile.ok) return profile;
      const { writeBackup } = await import("../../backup/write-backup.ts");
      const { env, credentials, mcpSignIns, mcpServeToken } = homeFiles;
      const written = await writeBackup({
        home: profile.value.path,
        file: resolve(ctx.cwd, expandHome(file, userFolder(configPlace.env))),
        rules: {
          skipped: new Set<string>([
            ...Object.values(homeFiles).filter((entry) => !exported.has(entry)),
            "session-locks",
            "sessions-search.db",
          ]),
          skippedIfQuick: new Set(),
          secrets: new Set([env, credentials, mcpSignIns, mcpServeToken]),
          profiles: "",
          foreign: new Set(originalFiles),
        },
        isQuick: false,
        facts: { createdAt: ctx.clock.now(), version: runningVersion, profile: profile.value.name, label: "profile" },
        signal: ctx.signal,
      });
      return written.ok
        ? ok({ name: profile.value.name, files: written.value.manifest.files.length, bytes: written.value.bytes })
        : written;
    },
  }),

  import: writeOperation({
    summary: "Create a profile from an exported file",
    input: object({ file: string("The file"), name: optional(string("Its name; default: the name it had")) }),
    needs: ["configPlace"],
    async run({ file, name }, { configPlace }, ctx) {
      const { root } = profileRoot(configPlace);
      const { readBackup } = await import("../../backup/read-backup.ts");
      return drafted(root, async (draft) => {
        const read = await readBackup(
          resolve(ctx.cwd, expandHome(file, userFolder(configPlace.env))),
          draft,
          ctx.signal,
        );
        if (!read.ok) return read;
        const { profile, label } = read.value.manifest;
        if (label !== "profile")
          return err({
            message: `${file} is a backup of a home, not an exported profile.`,
            hint: "hermes restore",
            kind: "input",
          });
        return ok({ name: name ?? profile });
      });
    },
  }),

  inspectDistribution: readOperation({
    summary: "Describe a distribution before it is installed: its content and requirements",
    input: object({ source }),
    needs: ["configPlace"],
    async run({ source: from }, { configPlace }, ctx) {
      await using fetched = await fetchSource(from, configPlace, ctx);
      if (!fetched.result.ok) return fetched.result;
      return await describe(fetched.result.value, configPlace);
    },
  }),

  install: writeOperation({
    summary: "Create a profile from a distribution, without its safety settings",
    input: object({
      source,
      name: optional(string("The profile; default: the name in the distribution")),
      force: optional(flag("Replace the files of an existing profile")),
    }),
    needs: ["configPlace"],
    async run({ source: from, name, force = false }, { configPlace }, ctx) {
      await using fetched = await fetchSource(from, configPlace, ctx);
      if (!fetched.result.ok) return fetched.result;
      const { folder, manifest, source: kept } = fetched.result.value;
      const profile = name ?? manifest.name;
      const { root } = profileRoot(configPlace);
      if (!isProfileName(profile))
        return err({
          message: `${JSON.stringify(profile)} is not a profile name.`,
          hint: "Choose one with --name.",
          kind: "input",
        });
      const path = profilePath(root, profile);
      if (!existsSync(path)) {
        const created = configOutcome(await createProfile(root, profile, undefined));
        if (!created.ok) return created;
      } else if (!force)
        return err({
          message: `The profile ${profile} exists already.`,
          hint: "--force replaces its files; --name chooses another name.",
          kind: "input",
        });
      return await place(folder, path, manifest, manifest.owned, kept, profile);
    },
  }),

  update: writeOperation({
    summary: "Update a profile from its distribution; settings stay unless requested",
    input: object({
      name: optional(string("The profile; default: the active one")),
      forceConfig: optional(flag("Also replace config.yaml")),
    }),
    needs: ["configPlace"],
    async run({ name, forceConfig = false }, { configPlace }, ctx) {
      const profile = await profileOf(configPlace, name);
      if (!profile.ok) return profile;
      const { source: from } = await readProfileFacts(profile.value.path);
      if (from === undefined) return err({ message: `${profile.value.name} was not installed from a distribution.` });
      await using fetched = await fetchSource(from, configPlace, ctx);
      if (!fetched.result.ok) return fetched.result;
      const { folder, manifest } = fetched.result.value;
      const owned = manifest.owned.filter((path) => forceConfig || path !== homeFiles.config);
      return await place(folder, profile.value.path, manifest, owned, from, profile.value.name);
    },
  }),
};

/** Entries of a home that an exported profile has. */
const exported: ReadonlySet<string> = new Set([
  homeFiles.config,
  homeFiles.soul,
  homeFiles.skills,
  homeFiles.skillBundles,
  homeFiles.agents,
  homeFiles.memories,
  homeFiles.tools,
  homeFiles.profileFacts,
]);

interface Fetched {
  readonly folder: string;
  readonly manifest: Distribution;
  /** The source, as stored for updates. */
  readonly source: string;
}

async function fetchSource(from: string, configPlace: ConfigPlace, { cwd, signal }: OperationContext) {
  const { env } = configPlace;
  const path = resolve(cwd, expandHome(from, userFolder(env)));
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const stack = new AsyncDisposableStack();
  const result = await (async (): Promise<Result<Fetched, OperationFault>> => {
    let folder = path;
    if (!isFolder) {
      const { cloneRepository } = await import("../../skills/hub/clone-repository.ts");
      const cloned = await cloneRepository(from, {
        env,
        signal,
        makeFolder: (kind) => makeScratchFolder(profileRoot(configPlace).root, kind),
      });
      if (!cloned.ok) return err({ message: `${from} is neither a folder nor a repository: ${cloned.error.message}` });
      stack.use(cloned.value);
      folder = cloned.value.folder;
    }
    const manifest = configOutcome(await readDistribution(folder));
    if (!manifest.ok) return manifest;
    const { requires, owned } = manifest.value;
    if (requires !== "" && isNewerVersion(requires, runningVersion))
      return err({
        message: `${manifest.value.name} needs Hermes ${requires} or newer; this is ${runningVersion}.`,
        hint: "hermes update",
      });
    const fault = await treeFault(folder, owned);
    if (fault !== undefined) return err({ message: `The distribution cannot be used: ${fault}.` });
    return ok({ folder, manifest: manifest.value, source: isFolder ? path : from });
  })();
  return { result, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function describe({ folder, manifest }: Fetched, { env }: ConfigPlace) {
  const config = await readYaml(join(folder, homeFiles.config));
  const tree = config.ok ? (config.value?.tree ?? {}) : {};
  const servers = tree["mcp_servers"];
  const { ownerSections } = await import("../../config/distribution.ts");
  return ok({
    ...manifest,
    brings: manifest.owned.filter((path) => existsSync(join(folder, path))),
    servers: typeof servers === "object" && servers !== null ? Object.keys(servers) : [],
    leftOut: manifest.owned.includes(homeFiles.config)
      ? ownerSections.filter((section) => Object.hasOwn(tree, section))
      : [],
    missing: manifest.variables.filter((variable) => !env[variable]),
  });
}

async function place(
  folder: string,
  home: string,
  manifest: Distribution,
  owned: readonly string[],
  from: string,
  profile: string,
) {
  const copied = configOutcome(await copyDistribution(folder, home, owned));
  if (!copied.ok) return copied;
  const facts = await readProfileFacts(home);
  const { description, version } = manifest;
  const written = configOutcome(
    await writeProfileFacts(home, { ...facts, ...(description !== "" && { description }), version, source: from }),
  );
  if (!written.ok) return written;
  return ok({ name: profile, path: home, version, leftOut: copied.value, variables: manifest.variables });
}

/** Fills a draft folder and renames it, so that the new profile appears complete or not at all. */
async function drafted(
  root: string,
  fill: (draft: string) => Promise<Result<{ readonly name: string }, OperationFault>>,
) {
  const profiles = join(root, homeFiles.profiles);
  const ensured = configOutcome(await ensureHome(profiles));
  if (!ensured.ok) return ensured;
  const draft = join(profiles, `.draft-${randomHex(6)}`);
  try {
    await mkdir(draft, { mode: 0o700 });
    const filled = await fill(draft);
    if (!filled.ok) return filled;
    const { name } = filled.value;
    if (!isProfileName(name) || name === "default")
      return err({
        message: `${JSON.stringify(name)} is not a name for a new profile.`,
        hint: "Choose one with --name.",
        kind: "input" as const,
      });
    if (existsSync(profilePath(root, name)))
      return err({
        message: `The profile ${name} exists already.`,
        hint: "Choose another name with --name.",
        kind: "input" as const,
      });
    await rename(draft, profilePath(root, name));
    return ok({ name, path: profilePath(root, name) });
  } catch (thrown) {
    return err({ message: reasonOf(thrown) });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
