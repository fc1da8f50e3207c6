// covers: src/environments
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { Link } from "../../src/environments/remote/link.ts";
import { createFileSync } from "../../src/environments/remote/sync/file-sync.ts";
import type { SyncedTree } from "../../src/environments/remote/sync/local-files-to-sync.ts";
import { sshLink } from "../../src/environments/ssh/ssh-link.ts";
import { neverAborted } from "../support/environment-conformance.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type SshServer, sshServer } from "../support/ssh-server.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

const skip = missingPrograms({ sshd: "openssh-server", ssh: "openssh-client" });

describe("files of this machine are copied to a backend", { skip }, () => {
  let server: SshServer;
  before(async () => {
    server = await sshServer();
  });
  after(() => server[Symbol.asyncDispose]());

  async function rig() {
    await rm(join(server.home, ".hermes"), { recursive: true, force: true });
    const home = await tempHome();
    const link = sshLink({
      target: {
        host: "127.0.0.1",
        port: server.port,
        user: server.user,
        keyFile: server.keyFile,
        configFile: "/dev/null",
        hostKeys: "accept-new",
        knownHostsFile: server.knownHosts,
      },
      clientEnv: { PATH: process.env.PATH, HOME: server.folder },
      tempFolder: server.folder,
      cwd: "~",
      homeId: "test",
      env: {},
      passthrough: [],
      spillFolder: server.folder,
      clock: systemClock,
      log: silentLog,
    });
    let trips = 0;
    const counted: Link = {
      ...link,
      run(script, streams) {
        trips += 1;
        return link.run(script, streams);
      },
    };
    const clock = fakeClock();
    const skills = join(home.path, "skills");
    const there = join(server.home, ".hermes");
    await mkdir(skills);
    await writeFile(join(home.path, "token.json"), "secret");
    const trees: readonly SyncedTree[] = [
      { from: skills, to: "skills", within: home.path, isReadOnly: false },
      { from: join(home.path, "token.json"), to: "token.json", within: home.path, isReadOnly: true },
    ];
    const another = () => createFileSync(counted, { homeId: "test", trees: () => trees, clock });
    return {
      home: home.path,
      skills,
      there,
      clock,
      another,
      sync: another(),
      async tripsOf<T>(work: () => Promise<T>): Promise<readonly [number, T]> {
        const start = trips;
        const value = await work();
        return [trips - start, value];
      },
      async [Symbol.asyncDispose]() {
        await home[Symbol.asyncDispose]();
      },
    };
  }

  test("580 files are sent in two round trips, an unchanged tree needs one, and a repeated check needs none", async () => {
    await using place = await rig();
    const { sync, skills, there, clock, tripsOf } = place;
    for (let index = 0; index < 580; index++) {
      const folder = join(skills, `skill ${index % 20}`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `it's ${index}.md`), `content ${index}\0\xff`);
    }
    const [first, sent] = await tripsOf(() => sync.push(neverAborted()));
    assert.ok(sent.ok, JSON.stringify(sent));
    assert.deepEqual([first, sent.value.sent.length, sent.value.conflicts], [2, 581, []]);
    assert.equal(await readFile(join(there, "skills/skill 7/it's 7.md"), "utf8"), "content 7\0\xff");
    assert.equal((await stat(join(there, "token.json"))).mode & 0o777, 0o400);

    assert.equal((await tripsOf(() => sync.push(neverAborted())))[0], 0);
    clock.advance(6_000);
    assert.equal((await tripsOf(() => sync.push(neverAborted())))[0], 1);
    assert.equal((await tripsOf(() => place.another().push(neverAborted())))[0], 1);

    await writeFile(join(skills, "skill 3/it's 3.md"), "new");
    await rm(join(skills, "skill 4"), { recursive: true });
    const [again, changed] = await tripsOf(() => sync.push(neverAborted()));
    assert.ok(changed.ok);
    assert.equal(again, 2);
    assert.deepEqual(changed.value.sent, ["skills/skill 3/it's 3.md"]);
    assert.equal(changed.value.removed.length, 29);
    assert.equal((await readdir(join(there, "skills"))).includes("skill 4"), false);
  });

  test("only remote changes are copied back, and never credentials", async () => {
    await using place = await rig();
    const { sync, skills, there, tripsOf } = place;
    await writeFile(join(skills, "a.md"), "a");
    await writeFile(join(skills, "b.md"), "b");
    assert.ok((await sync.push(neverAborted())).ok);
    const [idle, nothing] = await tripsOf(() => sync.pull(neverAborted()));
    assert.deepEqual([idle, nothing.ok && nothing.value], [1, { taken: [], conflicts: [], skipped: [] }]);
    await writeFile(join(there, "skills/a.md"), "a there");
    await mkdir(join(there, "skills/new"));
    await writeFile(join(there, "skills/new/c.md"), "c there");
    await chmod(join(there, "token.json"), 0o600);
    await writeFile(join(there, "token.json"), "stolen");
    const [trips, pulled] = await tripsOf(() => sync.pull(neverAborted()));
    assert.ok(pulled.ok);
    assert.equal(trips, 2);
    assert.deepEqual(pulled.value.taken.toSorted(), [join(skills, "a.md"), join(skills, "new/c.md")]);
    assert.equal(await readFile(join(skills, "new/c.md"), "utf8"), "c there");
    assert.equal(await readFile(join(place.home, "token.json"), "utf8"), "secret");
  });

  test("a conflict is reported, and both versions are kept", async () => {
    await using place = await rig();
    const { sync, skills, there } = place;
    const file = join(skills, "a.md");
    await writeFile(file, "a");
    await sync.push(neverAborted());
    await writeFile(file, "a here");
    await writeFile(join(there, "skills/a.md"), "a there");
    const pushed = await sync.push(neverAborted());
    assert.deepEqual(pushed.ok && pushed.value.conflicts, ["skills/a.md"]);
    assert.equal(await readFile(join(there, "skills/a.md"), "utf8"), "a there");
    const pulled = await sync.pull(neverAborted());
    assert.ok(pulled.ok);
    const [conflict] = pulled.value.conflicts;
    assert.equal(conflict?.kept, file);
    assert.equal(await readFile(file, "utf8"), "a here");
    assert.equal(await readFile(conflict.beside, "utf8"), "a there");
    const settled = await sync.push(neverAborted());
    assert.deepEqual(settled.ok && settled.value.conflicts, []);
    assert.equal(await readFile(join(there, "skills/a.md"), "utf8"), "a here");
  });

  test("links out of the home are not sent, and hostile names are not accepted", async () => {
    await using place = await rig();
    const { sync, skills, there } = place;
    await symlink("/etc/passwd", join(skills, "out"));
    await writeFile(join(skills, "two\nlines"), "x");
    await writeFile(join(skills, "a.md"), "a");
    const pushed = await sync.push(neverAborted());
    assert.ok(pushed.ok);
    assert.deepEqual(pushed.value.sent.toSorted(), ["skills/a.md", "token.json"]);
    assert.equal(pushed.value.skipped.length, 2);
    await writeFile(join(there, "skills/..\\evil"), "x");
    await writeFile(join(there, "skills/three\nlines"), "x");
    await symlink("/etc/shadow", join(there, "skills/link"));
    await rm(join(skills, "a.md"));
    await symlink("/etc/hostname", join(skills, "a.md"));
    await writeFile(join(there, "skills/a.md"), "through a link");
    const pulled = await sync.pull(neverAborted());
    assert.ok(pulled.ok);
    assert.deepEqual(pulled.value.taken, []);
    assert.equal((await readdir(skills)).includes("link"), false);
  });

  test("two programs that sync at the same time leave the files of one of them and a correct manifest", async () => {
    await using place = await rig();
    for (let index = 0; index < 30; index++) await writeFile(join(place.skills, `${index}.md`), `${index}`);
    const both = await Promise.all([place.sync.push(neverAborted()), place.another().push(neverAborted())]);
    for (const pushed of both) assert.deepEqual(pushed.ok && pushed.value.conflicts, []);
    assert.equal((await readdir(join(place.there, "skills"))).length, 30);
    const pulled = await place.sync.pull(neverAborted());
    assert.deepEqual(pulled.ok && pulled.value, { taken: [], conflicts: [], skipped: [] });
    assert.deepEqual((await readdir(join(place.there, ".sync-test"))).toSorted(), ["digest", "manifest"]);
  });
});
