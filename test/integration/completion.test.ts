// covers: src/hosts/cli/completion, src/hosts/cli/commands/settings/completion.ts, src/hosts/cli/groups.ts
import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import { runProgram } from "../support/run-program.ts";
import { screenOf } from "../support/screen-chat.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");

/** A home with profiles and a hostile skill, and a PATH with the program in it. */
async function place(folder: string) {
  const home = join(folder, "home");
  for (const name of ["work", "worldly"]) await mkdir(join(home, "profiles", name), { recursive: true });
  const skill = join(home, "skills", "evil");
  await mkdir(skill, { recursive: true });
  const about = "$(touch gotcha) `touch gotcha`";
  await writeFile(join(skill, "SKILL.md"), `---\nname: evil\ndescription: "${about}"\n---\nDo nothing.\n`);
  await mkdir(join(home, "skins"));
  await writeFile(join(home, "skins", "evening.yaml"), "name: evening\ndescription: Dim colours\n");
  const bin = join(folder, "bin");
  await mkdir(bin);
  await symlink(join(root, "hermes"), join(bin, "hermes"));
  const cwd = join(folder, "cwd");
  await mkdir(join(cwd, "a-folder"), { recursive: true });
  await writeFile(join(cwd, "an-export.jsonl"), "");
  const env = { HOME: folder, HERMES_HOME: home, PATH: `${bin}:${process.env.PATH}`, NO_COLOR: "1" };
  return { cwd, env };
}

describe("completion", { concurrency: 3 }, () => {
  test("bash completes commands, options and names", { skip: missingPrograms({ bash: "bash" }) }, async () => {
    await using temp = await tempHome();
    const { cwd, env } = await place(temp.path);
    await using shell = screenOf(["bash", "--norc", "--noprofile", "-i"], {
      cwd,
      env: { ...env, PS1: "$ " },
      columns: 100,
    });
    shell.type('source <(hermes completion bash); echo "ready"$?\r');
    await shell.until("ready0");
    shell.type("clear\rhermes toolse\t");
    await shell.until("hermes toolsets");
    shell.type("sh\t");
    await shell.until("hermes toolsets show");
    shell.type("\u0015hermes -p wor\t\t");
    await shell.until(/worldly/u);
    shell.type("\u0015hermes sessions list --sour\t");
    await shell.until(/list --source$/mu);
    shell.type("\u0015hermes profile delete worl\t");
    await shell.until("delete worldly");
    shell.type("\u0015hermes skills view ev\t");
    await shell.until("view evil");
    shell.type("\u0015hermes sessions import an\t");
    await shell.until("import an-export.jsonl");
    shell.type("\u0015hermes completion f\t");
    await shell.until("completion fish");
    shell.type('\u0015[ -e gotcha ] || echo "nothing"-ran\r');
    await shell.until("nothing-ran");
  });

  test(
    "zsh completes commands, options and names with descriptions",
    { skip: missingPrograms({ zsh: "zsh" }) },
    async () => {
      await using temp = await tempHome();
      const { cwd, env } = await place(temp.path);
      await using shell = screenOf(["zsh", "-f", "-i"], { cwd, env: { ...env, PS1: "$ " }, columns: 100 });
      shell.type('autoload -U compinit && compinit -u && source <(hermes completion zsh); echo "ready"$?\r');
      await shell.until("ready0");
      shell.type("clear\rhermes toolse\t");
      await shell.until("hermes toolsets");
      shell.type("\t");
      await shell.until(/show\s+-- Show/u);
      shell.type("\u0015hermes -p wor\t");
      await shell.until(/worldly\s+-- /u);
      shell.type("\u0015hermes profile delete worl\t");
      await shell.until("delete worldly");
      shell.type("\u0015hermes skills view ev\t");
      await shell.until("view evil");
      shell.type("\u0015hermes sessions list --sour\t");
      await shell.until(/list --source$/mu);
      shell.type("\u0015hermes sessions import an\t");
      await shell.until("import an-export.jsonl");
      shell.type('\u0015[ -e gotcha ] || echo "nothing"-ran\r');
      await shell.until("nothing-ran");
    },
  );

  test(
    "fish completes commands, options and names with descriptions",
    { skip: missingPrograms({ fish: "fish" }) },
    async () => {
      await using temp = await tempHome();
      const { cwd, env } = await place(temp.path);
      const complete = async (line: string) => {
        const script = "hermes completion fish | source; complete -C $argv[1]";
        const { stdout, stderr } = await runProgram("fish", ["--no-config", "-c", script, line], { cwd, env });
        assert.equal(stderr, "");
        return stdout.trimEnd().split("\n");
      };
      assert.deepEqual(await complete("hermes toolse"), ["toolsets\tList toolsets"]);
      assert.deepEqual(
        (await complete("hermes -p wor")).map((line) => line.split("\t")[0]),
        ["work", "worldly"],
      );
      assert.deepEqual(await complete("hermes skills view ev"), ["evil\t$(touch gotcha) `touch gotcha`"]);
      assert.match((await complete("hermes sessions list --sour")).join("\n"), /^--source\tonly/u);
      assert.deepEqual(
        (await complete("hermes sessions import an")).map((line) => line.split("\t")[0]),
        ["an-export.jsonl"],
      );
      assert.deepEqual(await complete("hermes skins show ev"), ["evening\tDim colours"]);
      assert.deepEqual(await complete("hermes --reasoning mi"), ["minimal"]);
      assert.deepEqual(await complete("hermes completion f"), ["fish"]);
      assert.deepEqual(await complete("hermes skills tap ad"), [
        "add\tAdd a tap: owner/repository, git:URL, a site, a folder",
      ]);
    },
  );

  test("the completion lists are fast to read and never fail", async () => {
    await using temp = await tempHome();
    const { cwd, env } = await place(temp.path);
    const values = (list: string) => runProgram(join(root, "hermes"), ["completion", "values", list], { cwd, env });
    assert.deepEqual(await values("sessions"), { code: 0, stdout: "", stderr: "" });
    assert.match((await values("settings")).stdout, /^approvals\.mode\t$/mu);
    assert.match((await values("tools")).stdout, /^read_file\t$/mu);
    assert.match((await values("skins")).stdout, /^mono\t\S[^]*^evening\tDim colours$/mu);
    await writeFile(join(env.HERMES_HOME, "config.yaml"), "approvals: [broken");
    assert.deepEqual(await values("models"), { code: 0, stdout: "", stderr: "" });
    assert.equal((await values("nonsense")).code, 2);
  });
});
