import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { isInside } from "../../src/base/files/path.ts";
import { isObject } from "../../src/base/json.ts";
import { ok } from "../../src/base/result.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";
import { changedPlaces, createRealPaths } from "../../src/environments/real-paths.ts";
import { analyseCommands } from "../../src/safety/analyse-commands.ts";
import terminal from "../../src/tools/terminal/terminal.tool.ts";
import { call, dispatchRig } from "./dispatch-rig.ts";
import { localDeps, removeProcesses } from "./local-deps.ts";
import { writeInside } from "./race-cases.ts";
import { type RaceOutcome, raceAgainstSwaps } from "./swapped-folder.ts";
import { testIsolation } from "./test-isolation.ts";

const never = new AbortController().signal;

/** Commands with known effects, by the change that they would make outside the project. */
export const approvedCommands: readonly string[] = [
  "rm -rf folder/*",
  "rm -f folder/secret.txt",
  "mv folder/secret.txt mine.txt",
  "echo gone > folder/secret.txt",
  "chmod 0 folder/secret.txt",
  "cp /dev/null folder/secret.txt",
];

/**
 * A simulated user who reads each question for a moment, and allows a command that changes only paths in the project.
 */
export async function raceApprovals(command: string, tries: number): Promise<RaceOutcome> {
  await using opened = new AsyncDisposableStack();
  return await raceAgainstSwaps(tries, async ({ home, root, folder }) => {
    const run = opened.use(
      await approvedTerminal(home, root, async (places) => {
        await pause(Math.random() * 4);
        return places.every((place) => isInside(root, place));
      }),
    );
    return async (index) => {
      writeInside(folder, "secret.txt", `of the project ${index}\n`);
      return { isDone: (await run.exitCode(command)) === 0 };
    };
  });
}

export interface ApprovedTerminal extends AsyncDisposable {
  /** Undefined if the command was not run. */
  exitCode(command: string): Promise<number | undefined>;
}

/**
 * The terminal tool with the real analysis and sandbox. `isAllowed` gives the user's answer, by the paths in the
 * question.
 */
export async function approvedTerminal(
  home: string,
  root: string,
  isAllowed: (places: readonly string[]) => Promise<boolean>,
): Promise<ApprovedTerminal> {
  await mkdir(join(home, "tmp"), { recursive: true });
  const isolation = testIsolation({
    person: { home, userId: process.getuid?.() ?? 0, env: {} },
    workspace: root,
    tempFolders: [join(home, "tmp")],
  });
  const env = { PATH: process.env.PATH, HOME: home };
  const environment = await createLocalFactory({ ...localDeps(home, root), env, isolation }).open(
    { taskId: "test" },
    never,
  );
  if (!environment.ok || !environment.value.outside) throw new Error(JSON.stringify(environment));
  const inside = environment.value;
  const surroundings = async () => ({
    files: { home, workspace: root, hermes: [] },
    user: "anna",
    reachesHost: true,
  });
  const rig = dispatchRig([terminal], {
    resolver: analyseCommands({
      paths: createRealPaths(inside.files),
      environment: inside,
      changedPlaces,
      surroundings,
    }),
    policy: {
      async decide({ effects }) {
        const places = effects.flatMap((effect) => (effect.kind === "exec" && effect.places) || []);
        return (await isAllowed(places.flatMap(({ entry, target }) => [entry, target])))
          ? { decision: "allow", byPerson: true }
          : { decision: "deny", reason: "the person said no" };
      },
    },
  });
  const commandDefaults = { timeoutMs: 10_000, sudoPassword: async () => ok(""), forgetSudoPassword() {} };
  const scope = rig.scope({
    place: { cwd: root, backend: "local", workspace: root },
    // Nothing runs in the background.
    services: { environment: inside, commandDefaults, processes: {} as never },
    approvedServices: { environment: environment.value.outside },
  });
  return {
    async exitCode(command) {
      const result = await rig.dispatcher.dispatch(call("terminal", { command }), scope);
      const code = result.ok && isObject(result.value.data) ? result.value.data["exit_code"] : undefined;
      return typeof code === "number" ? code : undefined;
    },
    async [Symbol.asyncDispose]() {
      await inside[Symbol.asyncDispose]();
      await removeProcesses(home);
    },
  };
}
