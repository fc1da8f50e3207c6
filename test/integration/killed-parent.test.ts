// covers: src/base, src/environments, src/safety
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { sourceFlags } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { findProgram, missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const perl = findProgram("perl");
/** Version of the kernel's Landlock; -1 without it. */
const abi = perl ? Number(execFileSync(perl, ["-e", "print syscall 444, 0, 0, 1"], { encoding: "utf8" })) : -1;
const sandboxes = [
  { name: "no sandbox", isolation: "undefined", skip: process.platform === "linux" ? false : "needs /proc" },
  { name: "bubblewrap", isolation: "testIsolation()", skip: missingPrograms({ bwrap: "bubblewrap" }) },
  {
    name: "Landlock",
    isolation: `testIsolation({ sandbox: { kind: "landlock", program: ${JSON.stringify(perl)}, abi: ${abi} } })`,
    skip: abi < 1 ? "needs perl and a kernel with Landlock" : false,
  },
];
/** The second ignores SIGTERM; in the third a process leaves the group and the session. */
const commands = [
  "sleep 300",
  "trap '' TERM HUP; while :; do sleep 1; done",
  "setsid sh -c 'sleep 300; :' & sleep 300; :",
];

for (const { name, isolation, skip } of sandboxes)
  test(`a foreground command ends when its parent is killed with kill -9: ${name}`, { skip }, async () => {
    for (const [index, command] of [...commands, ...commands].entries()) {
      const pty = index < commands.length ? undefined : { columns: 80, rows: 24 };
      await using home = await tempHome();
      const source = (path: string) => JSON.stringify(join(import.meta.dirname, "../..", path));
      const script = `
        import { createLocalFactory } from ${source("src/environments/local/local-environment.ts")};
        import { localDeps } from ${source("test/support/local-deps.ts")};
        import { testIsolation } from ${source("test/support/test-isolation.ts")};
        const isolation = ${isolation};
        const deps = { ...localDeps(${JSON.stringify(home.path)}), ...(isolation && { isolation }) };
        const { signal } = new AbortController();
        const opened = await createLocalFactory(deps).open({ taskId: "t" }, signal);
        const options = { signal, timeoutMs: 300_000 };
        await opened.value.exec("true", options);
        const onOutput = () => console.log("runs");
        await opened.value.exec(${JSON.stringify(`echo; ${command}`)}, {
          ...options, onOutput, pty: ${JSON.stringify(pty)},
        });`;
      const parent = spawn(process.execPath, [...sourceFlags, "--input-type=module", "-e", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const exited = once(parent, "exit");
      await once(parent.stdout, "data");
      await eventually(() => processesOf(home.path).some((line) => line.startsWith("sleep")));
      parent.kill("SIGKILL");
      await exited;
      await eventually(() => processesOf(home.path).length === 0, `${command}: ${processesOf(home.path).join("; ")}`);
    }
  });

/** Command lines of processes that have this home folder. */
function processesOf(home: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const variables = `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`;
      return variables.includes(`\0HOME=${home}\0`)
        ? [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")]
        : [];
    } catch {
      return [];
    }
  });
}
