import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { applyPatchFile } from "../../src/agents/worktrees/apply-patch-file.ts";
import { createGit } from "../../src/agents/worktrees/git.ts";
import { createSessionWorktree } from "../../src/agents/worktrees/session-worktree.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openFolder } from "../../src/base/files/open-beneath.ts";
import { isInside } from "../../src/base/files/path.ts";
import { asId, type CallId } from "../../src/base/ids.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { err } from "../../src/base/result.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";
import { createSpillFolder, defaultSpillLimits } from "../../src/environments/output/spill-folder.ts";
import { createRealPaths } from "../../src/environments/real-paths.ts";
import { createFileReads } from "../../src/kernel/file-reads.ts";
import { localFolder } from "../../src/kernel/prompt/context-folder.ts";
import { collectSkills } from "../../src/skills/skill-collection.ts";
import { createSkillKeeper } from "../../src/skills/skill-keeper.ts";
import { createSpillStore } from "../../src/store/spill-store.ts";
import patchTool from "../../src/tools/files/patch.tool.ts";
import readTool from "../../src/tools/files/read-file.tool.ts";
import writeTool from "../../src/tools/files/write-file.tool.ts";
import visionTool from "../../src/tools/media/vision-analyze.tool.ts";
import { checkpointRig } from "./checkpoint-rig.ts";
import { call, dispatchRig } from "./dispatch-rig.ts";
import { localDeps } from "./local-deps.ts";
import { type RaceOutcome, raceAgainstSwaps } from "./swapped-folder.ts";

const never = new AbortController().signal;

/** All code that uses files of a folder that something confined can change, by name. */
export const raceCases: Readonly<Record<string, (tries: number) => Promise<RaceOutcome>>> = {
  write_file: (tries) =>
    withTools(tries, (run, index) => run("write_file", { path: `folder/f${index}.txt`, content: "x\n" })),
  "write_file in new folders": (tries) =>
    withTools(tries, (run, index) => run("write_file", { path: `folder/new${index}/deep/f.txt`, content: "x\n" })),
  "write_file over a file": (tries) =>
    withTools(tries, (run, index) => run("write_file", { path: "folder/secret.txt", content: `${index}\n` })),
  "patch that adds, moves and deletes": (tries) =>
    withTools(tries, (run, index) =>
      run("patch", {
        patch: [
          "*** Begin Patch",
          `*** Add File: folder/p${index}.txt`,
          "+x",
          ...(index % 2 === 0
            ? ["*** Move File: folder/secret.txt -> moved.txt"]
            : ["*** Delete File: folder/secret.txt"]),
          "*** End Patch",
        ].join("\n"),
      }),
    ),
  read_file: (tries) => withTools(tries, (run) => run("read_file", { path: "folder/secret.txt" })),
  vision_analyze: (tries) =>
    withTools(tries, (run) => run("vision_analyze", { image_url: "folder/secret.txt", question: "?" })),
  "restore of a checkpoint": (tries) => withCheckpoints(tries),
  "long results": (tries) =>
    raceAgainstSwaps(tries, async ({ folder }) => {
      const store = createSpillStore({ folder, maxTotalBytes: 100_000 });
      return async (index) => ({ isDone: (await store.spill(asId<CallId>(`call_${index}`), "long", never)).ok });
    }),
  "long outputs": (tries) =>
    raceAgainstSwaps(tries, async ({ folder }) => {
      const spills = createSpillFolder(folder, defaultSpillLimits, systemClock);
      return async () => {
        const created = await spills.create().catch(() => undefined);
        await created?.handle.close();
        return { isDone: created !== undefined };
      };
    }),
  "changes of skills": (tries) => withSkills(tries),
  // These cases start several programs for each try.
  "patch of a child agent": (tries) => withPatches(Math.ceil(tries / 5)),
  "worktree of a session": (tries) => withWorktrees(Math.ceil(tries / 5)),
  "files of rules": (tries) =>
    raceAgainstSwaps(tries, async ({ folder, root }) => {
      writeFileSync(join(folder, "secret.txt"), "rules of the project");
      return async () => {
        const file = await localFolder.read(join(folder, "secret.txt"));
        const isInProject = file !== undefined && isInside(root, file.real);
        return { isDone: isInProject, read: isInProject ? file.text : "" };
      };
    }),
};

/** The patch of a child agent adds a file, changes one and deletes one. */
async function withPatches(tries: number): Promise<RaceOutcome> {
  return await raceAgainstSwaps(tries, async ({ home, root, folder }) => {
    startRepository(root);
    const git = createGit({ PATH: process.env["PATH"], HOME: home });
    const patch = join(home, "child.patch");
    return async (index) => {
      writeInside(folder, "secret.txt", "of the project\n");
      writeFileSync(
        patch,
        [
          `diff --git a/folder/new${index}.txt b/folder/new${index}.txt`,
          "new file mode 100644",
          "--- /dev/null",
          `+++ b/folder/new${index}.txt`,
          "@@ -0,0 +1 @@",
          "+x",
          "diff --git a/folder/secret.txt b/folder/secret.txt",
          ...(index % 2 === 0
            ? ["--- a/folder/secret.txt", "+++ b/folder/secret.txt", "@@ -1 +1 @@", "-of the project", "+changed"]
            : [
                "deleted file mode 100644",
                "--- a/folder/secret.txt",
                "+++ /dev/null",
                "@@ -1 +0,0 @@",
                "-of the project",
              ]),
          "",
        ].join("\n"),
      );
      const applied = await applyPatchFile(patch, { cwd: root, isTrial: false, folder: join(home, "own") }, git, never);
      return { isDone: applied.ok };
    };
  });
}

async function withWorktrees(tries: number): Promise<RaceOutcome> {
  return await raceAgainstSwaps(
    tries,
    async ({ home, root }) => {
      startRepository(root);
      const env = { PATH: process.env["PATH"], HOME: home };
      const makeFolder = () => mkdtempSync(join(home, "own-"));
      return async () => ({
        isDone: (await createSessionWorktree(root, { env, makeFolder, isSynced: false, signal: never })).ok,
      });
    },
    ".worktrees",
  );
}

function startRepository(root: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=Anna", "-c", "user.email=anna@example.com", ...args], { cwd: root });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "-m", "start");
}

type Run = (tool: string, args: JsonObject) => Promise<{ isDone: boolean; read?: string }>;

/** The file tools, with a policy that allows access to the project. */
async function withTools(tries: number, attempt: (run: Run, index: number) => ReturnType<Run>): Promise<RaceOutcome> {
  await using opened = new AsyncDisposableStack();
  return await raceAgainstSwaps(tries, async ({ home, root, folder }) => {
    const environment = await createLocalFactory(localDeps(home, root)).open({ taskId: "test" }, never);
    if (!environment.ok) throw new Error(environment.error.message);
    opened.use(environment.value);
    const rig = dispatchRig([readTool, writeTool, patchTool, visionTool], {
      resolver: createRealPaths(environment.value.files),
      policy: {
        async decide({ effects }) {
          const paths = effects.flatMap((effect) =>
            effect.kind === "move" ? [effect.from, effect.to] : "path" in effect ? [effect.path] : [],
          );
          if (paths.every((path) => isInside(root, path))) return { decision: "allow" };
          return { decision: "deny", reason: "outside the project" };
        },
      },
    });
    return (index) => {
      writeInside(folder, "secret.txt", `of the project ${index}\n`);
      const services = {
        environment: environment.value,
        fileReads: createFileReads({ lines: 2000, lineChars: 2000 }),
        // No picture is drawn: only the bytes count.
        pictures: { prepare: async (bytes: Uint8Array) => err({ message: Buffer.from(bytes).toString() }) } as never,
      };
      const scope = rig.scope({ place: { cwd: root, backend: "local" }, services });
      return attempt(async (tool, args) => {
        const result = await rig.dispatcher.dispatch(call(tool, args), scope);
        return { isDone: result.ok, read: JSON.stringify(result) };
      }, index);
    };
  });
}

async function withCheckpoints(tries: number): Promise<RaceOutcome> {
  await using opened = new AsyncDisposableStack();
  return await raceAgainstSwaps(tries, async ({ home, folder }) => {
    const rig = opened.use(await checkpointRig(home));
    writeFileSync(join(folder, "old.txt"), "old\n");
    const id = await rig.call(() => {
      writeFileSync(join(folder, "old.txt"), "new\n");
      writeFileSync(join(folder, "secret.txt"), "new\n");
    });
    return async (index) => {
      writeInside(folder, "old.txt", `changed ${index}\n`);
      writeInside(folder, "secret.txt", `changed ${index}\n`);
      const restored = await rig.files.restore(id, { withDoubts: true, session: undefined }, never);
      return { isDone: restored.ok && restored.value.changes.length > 0 };
    };
  });
}

function withSkills(tries: number): Promise<RaceOutcome> {
  return raceAgainstSwaps(tries, async ({ root }) => {
    const judge = async () => undefined;
    const shelf = () => collectSkills({ home: root, roots: [{ path: root, kind: "home" }], judge, version: "1" });
    const keeper = createSkillKeeper({
      home: root,
      shelf,
      judge,
      clock: systemClock,
      keepEntries: 3,
      mustApprove: false,
      isPinned: () => false,
    });
    return async (index) => {
      const name = `skill-${index % 10}`;
      const content = `---\nname: ${name}\ndescription: Does it.\n---\nDo it.\n`;
      const created = await keeper.change(
        { action: "create", category: "folder", name, content },
        { author: "user" },
        never,
      );
      await keeper.change({ action: "delete", name }, { author: "user" }, never);
      return { isDone: created.ok };
    };
  });
}

/** Writes like a program in the project that never follows the link. */
export function writeInside(folder: string, name: string, text: string): void {
  for (const place of [folder, join(folder, "..", "aside")]) {
    try {
      using opened = openFolder(place);
      writeFileSync(opened.entry(name), text);
      return;
    } catch {
      // The path is the other one at this moment.
    }
  }
}
