import { existsSync, realpathSync } from "node:fs";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { runProgram } from "./run-program.ts";
import { findProgram, missingPrograms } from "./system-programs.ts";
import { tempHome } from "./temp-home.ts";

/** Why scripts cannot be run with stubs here. */
export function noStubShell(): string | false {
  return missingPrograms({ bwrap: "bubblewrap", bash: "bash", xxd: "xxd", rev: "bsdextrautils", python3: "python3" });
}

/**
 * Runs each script with the real bash, where the named programs only write down how they were called: the calls of each
 * script, in order. No network, no processes of others, nothing to write to but an empty folder; no program of the machine
 * can be called but harmless ones, by name or, where it is stubbed, by path.
 */
export async function runStubbed(
  scripts: readonly string[],
  stubs: readonly string[],
): Promise<readonly (readonly (readonly string[])[])[]> {
  await using home = await tempHome();
  const folders = { bin: join(home.path, "bin"), in: join(home.path, "in"), out: join(home.path, "out") };
  for (const folder of Object.values(folders)) await mkdir(folder);
  for (const name of harmless) {
    // Only what is below /usr is there inside.
    const system = join("/usr/bin", name);
    const program = existsSync(system) ? system : findProgram(name);
    if (program !== undefined) await symlink(program, join(folders.bin, name));
  }
  await writeProgram(join(folders.bin, "sudo"), sudo);
  for (const name of stubs) await writeProgram(join(folders.bin, name), writesDown);
  for (const [index, script] of scripts.entries()) await writeFile(join(folders.in, `${index}.sh`), script);
  await writeFile(join(folders.in, "all"), driver(scripts.length));
  const overlays = stubs.flatMap((name) => {
    const real = findProgram(name);
    return real === undefined ? [] : ["--ro-bind", join(folders.bin, name), realpathSync(real)];
  });
  const ran = await runProgram(
    "bwrap",
    [
      ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"],
      ["--ro-bind", "/usr", "/usr", "--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64"],
      ["--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin", ...overlays],
      ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--dir", "/home/user/project"],
      ["--ro-bind", folders.bin, "/stubs", "--ro-bind", folders.in, "/scripts", "--bind", folders.out, "/out"],
      ["--setenv", "HOME", "/home/user", "--setenv", "USER", "user", "--setenv", "PATH", "/stubs"],
      ["--chdir", "/home/user/project", "bash", "/scripts/all"],
    ].flat(),
    { timeoutMs: 300_000 },
  );
  if (ran.code !== 0) throw new Error(`bwrap ended with ${ran.code}: ${ran.stderr}`);
  return Promise.all(scripts.map((_, index) => readCalls(join(folders.out, String(index)))));
}

const harmless =
  "bash sh env nohup timeout nice setsid stdbuf xargs find cat base64 tr rev xxd sed head tail cut gzip perl python3 true false".split(
    " ",
  );

const writesDown = `#!/bin/bash
printf '%s\\0' "$(($# + 1))" "\${0##*/}" "$@" >> /out/now
`;

const sudo = `#!/bin/bash
while [[ $1 == -* ]]; do
  case $1 in
    -u) shift 2 ;;
    --) shift; break ;;
    *) shift ;;
  esac
done
exec "$@"
`;

function driver(count: number): string {
  return `for ((i = 0; i < ${count}; i++)); do
  : > /out/now
  timeout -s KILL 5 bash /scripts/$i.sh < /dev/null > /dev/null 2>&1
  cat /out/now > /out/$i
done
exit 0
`;
}

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}

async function readCalls(file: string): Promise<readonly (readonly string[])[]> {
  const words = (await readFile(file, "utf8")).split("\0");
  const calls: (readonly string[])[] = [];
  for (let index = 0; index < words.length - 1;) {
    const count = Number(words[index]);
    calls.push(words.slice(index + 1, index + 1 + count));
    index += 1 + count;
  }
  return calls;
}
