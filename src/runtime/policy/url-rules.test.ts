import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { loadConfig } from "../../config/load.ts";
import { judgeUrl } from "../../safety/url/judge-url.ts";
import { openWeb } from "./open-web.ts";
import { urlRules } from "./url-rules.ts";

async function house(settings: string) {
  const folder = await tempHome();
  const [home, cwd] = [join(folder.path, ".hermes"), join(folder.path, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(cwd);
  const write = (file: string, text: string) => writeFile(join(home, file), text);
  await write("config.yaml", settings);
  const config = await loadConfig({ env: { HOME: folder.path, HERMES_HOME: home }, cwd });
  assert.ok(config.ok, JSON.stringify(config));
  const clock = fakeClock();
  const rules = urlRules(config.value, { cwd, clock });
  return {
    clock,
    write,
    remove: (file: string) => rm(join(home, file)),
    judge: async (url: string) => judgeUrl(url, await rules()).verdict,
    web: openWeb(config.value, { cwd, clock }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("private addresses are blocked until the settings allow them, from the next URL on", async () => {
  await using rig = await house("{}");
  assert.equal(await rig.judge("http://127.0.0.1/"), "block");
  await rig.write("config.yaml", "security: {allow_private_urls: true}\n");
  assert.equal(await rig.judge("http://127.0.0.1/"), "allow");
  assert.equal(await rig.judge("http://169.254.169.254/"), "block");
  await rig.write("config.yaml", "security: {allow_private_urls: [");
  assert.equal(await rig.judge("http://127.0.0.1/"), "allow");
});

test("the block list is read from the settings and its files, and changes take effect", async () => {
  await using rig = await house(
    "security: {website_blocklist: {enabled: true, domains: [a.example], shared_files: [sites.txt]}}\n",
  );
  await rig.write("sites.txt", "# mine\r\nb.example # why\r\n\r\n*.c.example\r\n");
  const verdicts = () => Promise.all(["a", "b", "x.c", "c"].map((name) => rig.judge(`https://${name}.example/`)));
  assert.deepEqual(await verdicts(), ["block", "block", "block", "allow"]);
  await rig.write("sites.txt", "c.example\n");
  rig.clock.advance(31_000);
  assert.deepEqual(await verdicts(), ["block", "allow", "block", "block"]);
  await rig.remove("sites.txt");
  rig.clock.advance(31_000);
  assert.deepEqual(await verdicts(), ["block", "block", "block", "block"]);
  await rig.write("config.yaml", "security: {website_blocklist: {enabled: false, domains: [a.example]}}\n");
  assert.deepEqual(await verdicts(), ["allow", "allow", "allow", "allow"]);
});

test("web access of a program follows its settings", async () => {
  await using rig = await house("security: {website_blocklist: {enabled: true, domains: [a.example]}}\n");
  const { signal } = new AbortController();
  for (const url of ["https://www.a.example/", "http://localhost:1/", "file:///etc/passwd"]) {
    const answer = await rig.web.fetch({ url }, signal);
    assert.equal(answer.ok ? "" : answer.error.kind, "blocked", url);
  }
});
