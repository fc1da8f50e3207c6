import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Environment } from "../../src/contracts/environment/environment.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";
import type { IsolationRules } from "../../src/safety/isolation.ts";
import { neverAborted } from "./environment-conformance.ts";
import { localDeps, removeProcesses } from "./local-deps.ts";
import { tempHome } from "./temp-home.ts";
import { testIsolation } from "./test-isolation.ts";

/** The folders of a test. In the sandbox only `work`, `tmp` and `person/.cache` can be written. */
interface Place {
  readonly root: string;
  readonly person: string;
  readonly work: string;
}

/** A sandboxed process swaps a folder with a link repeatedly while other commands start. */
interface MountRace {
  /** Shell commands that the attacker runs first, confined. */
  readonly prepare: (place: Place) => string;
  /** The folder that changes, and the target of the link that replaces it. */
  readonly folder: (place: Place) => string;
  readonly target: (place: Place) => string;
  /** The sandbox of commands that start meanwhile, if it differs from the attacker's. */
  readonly victim?: (place: Place) => Partial<IsolationRules>;
}

const home = ({ person }: Place) => person;
const cache = ({ person }: Place) => join(person, ".cache", "huggingface");
const git = ({ work }: Place) => join(work, ".git");
const withToken = (place: Place) => `mkdir -p ${cache(place)} && echo x >${cache(place)}/token`;
const withHooks = (place: Place) => `mkdir -p ${git(place)}/hooks`;

export const mountRaces: Readonly<Record<string, MountRace>> = {
  "a package cache becomes the home folder": { prepare: withToken, folder: cache, target: home },
  "a package cache becomes the home folder, by a relative link": {
    prepare: withToken,
    folder: cache,
    target: () => "../..",
  },
  "a package cache becomes the folder of keys": {
    prepare: withToken,
    folder: cache,
    target: ({ person }) => join(person, ".ssh"),
  },
  ".git becomes the home folder": { prepare: withHooks, folder: git, target: home },
  ".git becomes the home folder, by a relative link": {
    prepare: withHooks,
    folder: git,
    target: () => "../anna",
  },
  ".git/hooks becomes the folder of keys": {
    prepare: withHooks,
    folder: (place) => join(git(place), "hooks"),
    target: ({ person }) => join(person, ".ssh"),
  },
  ".git/hooks becomes a folder below a hidden one": {
    prepare: withHooks,
    folder: (place) => join(git(place), "hooks"),
    target: ({ person }) => join(person, ".gnupg", "private"),
  },
  ".git lands on a folder of programs": {
    prepare: (place) => `${withHooks(place)}; echo forged >${git(place)}/tool`,
    folder: git,
    target: () => "../anna/bin",
  },
  "the repository of a worktree becomes the home folder": {
    prepare: ({ root, work }) => {
      const own = `${root}/tmp/repo/worktrees/w`;
      return `mkdir -p ${own} ${root}/tmp/repo/objects ${root}/tmp/repo/refs && echo "gitdir: ${own}" >${work}/.git &&
        echo ${work}/.git >${own}/gitdir && echo ../.. >${own}/commondir`;
    },
    folder: ({ root }) => join(root, "tmp", "repo"),
    target: home,
    victim: () => ({ tempFolders: [] }),
  },
  "the workspace of another session becomes the home folder": {
    prepare: ({ work }) => `mkdir -p ${work}/sub`,
    folder: ({ work }) => join(work, "sub"),
    target: home,
    victim: ({ work }) => ({ workspace: join(work, "sub") }),
  },
  "the workspace of another session becomes the home folder, by a relative link": {
    prepare: ({ work }) => `mkdir -p ${work}/sub`,
    folder: ({ work }) => join(work, "sub"),
    target: () => "../anna",
    victim: ({ work }) => ({ workspace: join(work, "sub") }),
  },
  "a cache inside a cache becomes the home folder": {
    prepare: ({ person }) => `mkdir -p ${person}/.cache/pip`,
    folder: ({ person }) => join(person, ".cache", "pip"),
    target: home,
    victim: ({ person }) => ({ person: personOf(person, { PIP_CACHE_DIR: join(person, ".cache", "pip") }) }),
  },
  "a writable folder of the settings becomes the home folder": {
    prepare: ({ work }) => `mkdir -p ${work}/data`,
    folder: ({ work }) => join(work, "data"),
    target: home,
    victim: ({ root, work }) => ({ workspace: join(root, "other"), writable: [join(work, "data")] }),
  },
  "a visible folder of the settings becomes the folder of keys": {
    prepare: ({ work }) => `mkdir -p ${work}/shown`,
    folder: ({ work }) => join(work, "shown"),
    target: ({ person }) => join(person, ".gnupg", "private"),
    victim: ({ work }) => ({ visible: [join(work, "shown")] }),
  },
  "a linked folder of skills becomes the folder of keys": {
    prepare: ({ work }) => `mkdir -p ${work}/skills`,
    folder: ({ work }) => join(work, "skills"),
    target: ({ person }) => join(person, ".ssh"),
  },
};

export interface RaceOutcome {
  readonly tries: number;
  /** Files and keys that commands reached although the sandbox denies them. */
  readonly escapes: readonly string[];
  /** Errors of commands that were refused because a folder changed all the time. */
  readonly refused: readonly string[];
  /** Outputs of bubblewrap that reached the caller as if the command had printed them. */
  readonly broken: readonly string[];
}

/** Starts commands while a confined process swaps a folder for a link. */
export async function raceMounts(name: string, tries: number): Promise<RaceOutcome> {
  const race = mountRaces[name];
  assert.ok(race, name);
  await using folder = await tempHome();
  const root = folder.path;
  const place: Place = { root, person: join(root, "anna"), work: join(root, "work") };
  await build(place);
  const attacker = await openConfined(place, {});
  const victim = await openConfined(place, race.victim?.(place) ?? {});
  const escapes: string[] = [];
  const refused: string[] = [];
  const broken: string[] = [];
  try {
    const [changing, target] = [race.folder(place), race.target(place)];
    const script = `${race.prepare(place)}; exec python3 -c '${swapper}' ${changing} ${target}`;
    const owner = { program: "test", session: "session", principal: "person", isKept: false };
    const spawned = await attacker.spawn(script, { owner }, neverAborted());
    assert.ok(spawned.ok, JSON.stringify(spawned));
    while (!existsSync(`${changing}.swap`)) await new Promise((resolve) => setTimeout(resolve, 5));
    for (let index = 0; index < tries; index++) {
      const ran = await victim.exec(probe(changing, place), { signal: neverAborted(), timeoutMs: 20_000, cwd: root });
      if (ran.ok) {
        const output = Buffer.concat([ran.value.head, ran.value.tail]).toString();
        escapes.push(...escapesIn(place, output));
        if (output.includes("bwrap: ")) broken.push(output);
      } else refused.push(`${ran.error.message} ${ran.error.hint ?? ""}`);
    }
    await spawned.value.remove(neverAborted());
  } finally {
    await attacker[Symbol.asyncDispose]();
    await victim[Symbol.asyncDispose]();
    await removeProcesses(root);
  }
  return { tries, escapes, refused, broken };
}

/** Exchanges its first argument with a link to the second one atomically, as fast as possible. */
const swapper = `
import ctypes, os, sys
folder, target = sys.argv[1:]
link = folder + ".swap"
os.symlink(target, link)
rename = ctypes.CDLL(None).renameat2
a, b = folder.encode(), link.encode()
while True: rename(-100, a, -100, b, 2)
`;

async function build({ root, person, work }: Place): Promise<void> {
  const folders = [".ssh", ".gnupg/private", ".cache", "bin", "hooks"].map((name) => join(person, name));
  for (const path of [...folders, work, join(root, "tmp"), join(root, "other"), join(root, "hermes")])
    await mkdir(path, { recursive: true });
  await writeFile(join(person, ".ssh", "id_rsa"), "PRIVATE KEY\n");
  await writeFile(join(person, ".gnupg", "private", "id_rsa"), "PRIVATE KEY\n");
  await writeFile(join(person, "bin", "tool"), "genuine\n");
  await symlink(join(work, "skills"), join(root, "hermes", "skills"));
}

/** Tries to write a file and to read a key through the swapped folder and next to it. */
function probe(folder: string, { root, person }: Place): string {
  const places = [folder, `${folder}/..`, `${folder}.swap`, person, join(root, "hermes", "skills")].join(" ");
  return `for p in ${places}; do touch $p/planted; cat $p/.ssh/id_rsa $p/id_rsa; done 2>/dev/null; cat ${person}/bin/tool`;
}

function escapesIn({ person }: Place, output: string): readonly string[] {
  const planted = [person, join(person, ".ssh"), join(person, ".gnupg", "private"), join(person, "bin")]
    .map((folder) => join(folder, "planted"))
    .filter((path) => existsSync(path));
  for (const path of planted) rmSync(path);
  return [
    ...planted.map((path) => `wrote ${path}`),
    ...(output.includes("PRIVATE KEY") ? ["read a key"] : []),
    ...(/^(?:genuine\n|bwrap: )/mu.test(output) ? [] : [`saw other programs: ${output}`]),
  ];
}

function personOf(person: string, env: Readonly<Record<string, string>> = {}): IsolationRules["person"] {
  return { home: person, userId: process.getuid?.() ?? 0, env };
}

async function openConfined({ root, person, work }: Place, changes: Partial<IsolationRules>): Promise<Environment> {
  const isolation = testIsolation({
    person: personOf(person),
    workspace: work,
    tempFolders: [join(root, "tmp")],
    hermes: [{ home: join(root, "hermes"), visible: () => ["skills"] }],
    ...changes,
  });
  const deps = { ...localDeps(root, root), env: { PATH: process.env["PATH"], HOME: person } };
  const opened = await createLocalFactory({ ...deps, isolation }).open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}
