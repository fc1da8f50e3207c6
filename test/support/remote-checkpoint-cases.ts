import assert from "node:assert/strict";
import { join } from "node:path";

import { systemClock } from "../../src/base/clock.ts";
import { asId } from "../../src/base/ids.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { openRemoteWorkspace } from "../../src/checkpoints/remote/remote-workspace.ts";
import type { WorkspaceCheckpoints } from "../../src/checkpoints/workspace-checkpoints.ts";
import type { Environment } from "../../src/contracts/environment/environment.ts";
import { neverAborted, run } from "./environment-conformance.ts";

/** Conformance cases of checkpoints for remote files. `folder`: an empty remote folder; `home`: a local one. */
export const remoteCheckpointCases: Readonly<
  Record<string, (environment: Environment, folder: string, home: string) => Promise<void>>
> = {
  async "what a command destroyed comes back, what it made goes, what others made stays"(environment, folder, home) {
    const project = await makeProject(environment, folder);
    await using files = await open(environment, home);
    const before = await listing(environment, project);
    const id = await recorded(
      files,
      environment,
      "rm -rf src; echo x > made; echo changed > 'a b.txt'; mkdir -p n/m; chmod 600 run.sh; ln -sf nowhere link",
    );
    await run(environment, "echo mine > mine");
    const after = await listing(environment, project);
    const plan = await files.plan(id, { session: undefined }, neverAborted());
    assert.ok(plan.ok, JSON.stringify(plan));
    assert.deepEqual(
      plan.value.changes.map(({ path, how }) => `${how} ${path}`),
      [
        "change a b.txt",
        "change link",
        "remove made",
        "remove n",
        "remove n/m",
        "change run.sh",
        "create src",
        "create src/deep",
        "create src/deep/$(x)'\"\\.bin",
        "create src/main.ts",
      ],
    );
    const diff = await files.diff(id, { session: undefined, path: "a b.txt" }, neverAborted());
    assert.ok(diff.ok);
    assert.match(diff.value, /^-one$/mu);
    const done = await files.restore(id, { session: undefined }, neverAborted());
    assert.ok(done.ok, JSON.stringify(done));
    assert.deepEqual(done.value.left, []);
    assert.deepEqual(await listing(environment, project), [...before, "./mine 644 mine"].toSorted());
    assert.ok(done.value.undo);
    const undone = await files.restore(done.value.undo.id, { session: undefined }, neverAborted());
    assert.ok(undone.ok, JSON.stringify(undone));
    assert.deepEqual(await listing(environment, project), after);
  },
  async "names with line ends are restored, and a name that is not UTF-8 is reported and left alone"(
    environment,
    folder,
    home,
  ) {
    const project = await makeProject(environment, folder);
    const make = [
      `cd ${project}; n=$(printf 'line\\nend\\nx'); mkdir "d$n"; echo 1 > "$n"; echo 2 > "d$n/$n"`,
      `ln -s "$(printf 'to\\nx')" "l$n"; echo 3 > "$(printf 'latin-\\351')"`,
    ];
    await run(environment, make.join("\n"));
    await using files = await open(environment, home);
    const id = await recorded(files, environment, "rm -rf dline* line* lline*; echo 4 > latin-*");
    const done = await files.restore(id, { session: undefined }, neverAborted());
    assert.ok(done.ok, JSON.stringify(done));
    assert.deepEqual(done.value.left, []);
    assert.deepEqual(
      done.value.changes.map(({ path, how }) => `${how} ${JSON.stringify(path)}`),
      [
        `create "dline\\nend\\nx"`,
        `create "dline\\nend\\nx/line\\nend\\nx"`,
        `create "line\\nend\\nx"`,
        `create "lline\\nend\\nx"`,
      ],
    );
    assert.deepEqual(done.value.checkpoint.notes, ["1 file not recorded: the name is not UTF-8"]);
    const result = await run(environment, "cat line* dline*/line* latin-*; readlink lline*");
    assert.equal(result.text, "1\n2\n4\nto\nx\n");
  },
  async "files of repositories within come back, and what belongs to git there is never touched"(
    environment,
    folder,
    home,
  ) {
    const project = await makeProject(environment, folder);
    await run(environment, "mkdir -p nested/.git sub; echo 1 | tee nested/.git/HEAD nested/file sub/.git sub/file");
    await using files = await open(environment, home);
    const id = await recorded(files, environment, "rm nested/file sub/file; echo 2 | tee nested/.git/HEAD sub/.git");
    const done = await files.restore(id, { session: undefined }, neverAborted());
    assert.ok(done.ok, JSON.stringify(done));
    const result = await run(environment, `cd ${project} && cat nested/file sub/file nested/.git/HEAD sub/.git`);
    assert.equal(result.text, "1\n1\n2\n2\n");
  },
  async "one file is recorded alone, and nothing is written through a link"(environment, folder, home) {
    const project = await makeProject(environment, folder);
    await using files = await open(environment, home);
    const id = await recorded(files, environment, "echo two > src/main.ts", ["src/main.ts", "new/deep/file"]);
    await run(
      environment,
      `mkdir ${folder}/other && echo other > ${folder}/other/main.ts && rm -rf src && ln -s ${folder}/other src`,
    );
    const done = await files.restore(id, { session: undefined, withDoubts: true }, neverAborted());
    assert.ok(done.ok, JSON.stringify(done));
    assert.match(done.value.left[0]?.why ?? "", /link/u);
    assert.equal((await run(environment, `cat ${folder}/other/main.ts`)).text, "other\n");
    assert.equal((await run(environment, `ls -d ${project}/new; ls ${project}/src`)).text.includes("main.ts"), true);
  },
};

async function makeProject(environment: Environment, folder: string): Promise<string> {
  const project = `${folder}/project`;
  const lines = [
    `mkdir -p ${project}/src/deep ${project}/node_modules ${project}/empty && cd ${project}`,
    "umask 022; chmod 755 . src src/deep empty node_modules",
    "printf 'one\\n' > 'a b.txt'; printf 'export\\n' > src/main.ts; printf '\\000\\377' > 'src/deep/$(x)'\\''\"\\.bin'",
    "echo skipped > node_modules/x; printf '#!/bin/sh\\n' > run.sh; chmod 755 run.sh; ln -s src/main.ts link",
    "chmod 644 'a b.txt' src/main.ts src/deep/*",
  ];
  const created = await run(environment, lines.join("\n"));
  assert.equal(created.exitCode, 0, created.text);
  return project;
}

async function open(environment: Environment, home: string): Promise<WorkspaceCheckpoints> {
  const opened = await openRemoteWorkspace(
    {
      environment,
      folder: join(home, "file-checkpoints"),
      limits: { fileBytes: 10_000_000, files: 50_000, bytes: Infinity, totalBytes: 100_000_000 },
      say: (sentence) => assert.fail(sentence),
      clock: systemClock,
      log: silentLog,
    },
    neverAborted(),
  );
  assert.ok(opened);
  assert.match(opened.root, /project$/u);
  return opened.files;
}

async function recorded(
  files: WorkspaceCheckpoints,
  environment: Environment,
  command: string,
  paths?: readonly string[],
): Promise<string> {
  const call = {
    callId: asId<never>("call_1"),
    sessionId: asId<never>("ses_1"),
    tool: "terminal",
    effects: [],
    place: { cwd: "/", backend: environment.kind },
  };
  const started = await files.begin(
    call,
    { paths: paths ?? [], isWhole: paths === undefined, label: command },
    neverAborted(),
  );
  assert.ok(started.ok && started.value, JSON.stringify(started));
  await run(environment, command);
  const ended = await files.end(started.value, [], neverAborted());
  assert.ok(ended.ok, JSON.stringify(ended));
  return started.value.checkpoint.id;
}

/** Name, mode and content of everything, according to the machine itself. */
async function listing(environment: Environment, project: string): Promise<readonly string[]> {
  const script = `cd ${project} && find . -path ./node_modules -prune -o -print | while read -r f; do if [ -L "$f" ]; then echo "$f -> $(readlink "$f")"; elif [ -d "$f" ]; then echo "$f/ $(stat -c %a "$f")"; else echo "$f $(stat -c %a "$f") $(od -An -c < "$f" | tr -d ' \\n' | sed 's/\\\\n$//')"; fi; done`;
  return (await run(environment, script)).text.trim().split("\n").toSorted();
}
