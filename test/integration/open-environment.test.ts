// covers: src/runtime, src/environments
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openEnvironment } from "../../src/runtime/environment/open-environment.ts";
import { eventually } from "../support/eventually.ts";
import { assertFails } from "../support/failure.ts";
import { tempHome } from "../support/temp-home.ts";

/** An environment whose shell opens only after `letOpen`. */
async function slowlyOpened(settings = "") {
  const home = await tempHome();
  const cwd = join(home.path, "work");
  await mkdir(cwd);
  await writeFile(join(home.path, "rc"), ": > ~/opening; while [ ! -e ~/go ]; do sleep 0.05; done; echo x >> opened\n");
  await writeFile(join(home.path, "config.yaml"), `terminal: {shell_init_files: [~/rc]${settings}}\n`, { mode: 0o600 });
  const env = { PATH: process.env.PATH, HOME: home.path, HERMES_HOME: home.path };
  const config = await loadConfig({ env, cwd });
  assert.ok(config.ok, JSON.stringify(config));
  const opened = openEnvironment(config.value, { cwd, clock: systemClock, log: silentLog });
  const letOpen = () => writeFile(join(home.path, "go"), "");
  const isOpening = () => eventually(() => existsSync(join(home.path, "opening")));
  return { ...opened, opened, cwd, isOpening, letOpen, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

const options = () => ({ signal: new AbortController().signal, timeoutMs: 60_000 });

test("the environment is opened once, at its first use", async () => {
  await using place = await slowlyOpened();
  assert.deepEqual(place.opened.place, { cwd: place.cwd, backend: "local" });
  assert.deepEqual(await readdir(place.cwd), []);
  const { environment } = place;
  const running = environment.exec("wc -l < opened", options());
  const read = await environment.files.list(".", options().signal);
  await place.letOpen();
  const ran = await running;
  assert.ok(ran.ok && read.ok);
  assert.deepEqual(
    [Buffer.from(ran.value.head).toString().trim(), read.value],
    // Files need no shell and do not wait for one.
    ["1", []],
  );
  const second = await environment.exec("cd /", options());
  assert.ok(second.ok && ran.value.waitedMs > second.value.waitedMs, "the time of opening counts as waiting");
  assert.equal(place.opened.place.cwd, "/");
  await environment[Symbol.asyncDispose]();
  assertFails(await environment.exec("true", options()), /the environment was closed/u);
  assertFails(await environment.files.stat("/", options().signal), /the environment was closed/u);
});

test("interrupting one call while the environment opens does not affect other calls", async () => {
  await using place = await slowlyOpened();
  const stop = new AbortController();
  const first = place.environment.exec("true", { ...options(), signal: stop.signal });
  const second = place.environment.exec("true", options());
  await place.isOpening();
  stop.abort();
  const gaveUp = await first;
  assert.equal(gaveUp.ok && gaveUp.value.ended, "aborted");
  await place.letOpen();
  assert.ok((await second).ok);
  await place.environment[Symbol.asyncDispose]();
});

test("closing the environment while it opens leaves nothing open", async () => {
  await using place = await slowlyOpened();
  const running = place.environment.exec("touch ran", options());
  await place.isOpening();
  await place.environment[Symbol.asyncDispose]();
  const ran = await running;
  assert.equal(ran.ok && ran.value.ended, "aborted");
  assert.ok(!(await readdir(place.cwd)).includes("ran"));
});

test("an unsupported backend opens nothing, not even for files", async () => {
  await using place = await slowlyOpened(", backend: vercel_sandbox");
  const ran = await place.environment.exec("touch ran", options());
  assert.equal(!ran.ok && ran.error.kind, "misconfigured");
  const written = await place.environment.files.write("ran", Buffer.from(""), options().signal);
  assert.match(
    written.ok ? "" : written.error.message,
    /terminal\.backend is vercel_sandbox, which Hermes does not offer/,
  );
  assert.deepEqual(await readdir(place.cwd), []);
});

test("a task can have its own folder and a backend other than the configured one", async () => {
  await using place = await slowlyOpened();
  const loaded = await loadConfig({
    env: { PATH: process.env.PATH, HOME: place.cwd, HERMES_HOME: join(place.cwd, "..") },
    cwd: place.cwd,
  });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  const deps = { cwd: place.cwd, clock: systemClock, log: silentLog };
  const elsewhere = openEnvironment(loaded.value, deps, { cwd: "/" });
  assert.deepEqual(elsewhere.place, { cwd: "/", backend: "local" });
  const ran = await elsewhere.environment.exec("pwd", options());
  assert.equal(ran.ok && Buffer.from(ran.value.head).toString(), "/\n");
  await elsewhere[Symbol.asyncDispose]();
  const other = openEnvironment(loaded.value, deps, { backend: "vercel_sandbox" });
  assertFails(await other.environment.exec("true", options()), /misconfigured.*vercel_sandbox/u);
  await other[Symbol.asyncDispose]();
});
