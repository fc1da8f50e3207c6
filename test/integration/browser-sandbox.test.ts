// covers: src/browser/launch, src/browser/sessions, src/runtime/browser
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { browserAccount, canReach } from "../../src/browser/launch/browser-account.ts";
import { headlessShell } from "../support/cloud-browser-server.ts";
import { guardedBrowser } from "../support/guarded-browser.ts";
import { killBrowserOwner } from "../support/killed-browsers.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ "chromium-headless-shell": "chromium-headless-shell" });
const account = browserAccount();
const skipUser =
  skip ||
  (!account && process.getuid?.() === 0 && "root has no other account here") ||
  (account && !canReach(import.meta.filename, account) && `${account.name} cannot read this folder`);

/** A browser on a machine where no sandbox works. */
async function withoutSandbox(mode: number) {
  const folder = await mkdtemp(join(tmpdir(), "hermes-sandbox-"));
  const program = join(folder, "chromium-headless-shell");
  const script = `case " $* " in *" --no-sandbox "*) exec ${headlessShell} "$@";; esac`;
  await writeFile(program, `#!/bin/sh\n${script}\necho 'FATAL: No usable sandbox!' >&2\nexit 1\n`);
  await chmod(program, 0o755);
  await chmod(folder, mode);
  return { program, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function noticesOf(program: string): Promise<string> {
  await using browser = await guardedBrowser({}, { program });
  const tab = await browser.session.current();
  assert.ok(tab.ok, JSON.stringify(tab));
  const shown = await tab.value.navigate("data:text/html,<title>here</title>");
  assert.ok(shown.ok, JSON.stringify(shown));
  return browser.session.takeNotices().join("\n");
}

describe("the browser runs in its own sandbox", { skip, concurrency: false }, () => {
  test("where no browser sandbox works, the browser starts without one and the first result mentions it", async () => {
    await using machine = await withoutSandbox(0o711);
    assert.match(await noticesOf(machine.program), /^The sandbox of the browser is off \(.*No usable sandbox/mu);
  });

  test(
    "a browser that only root can read runs as root, and the first result mentions it",
    {
      skip: !account && "this test needs root",
    },
    async () => {
      await using machine = await withoutSandbox(0o700);
      assert.match(await noticesOf(machine.program), /^The sandbox of the browser is off and it runs as root \(/mu);
    },
  );

  test("with browser.sandbox required, the browser does not start without it", async () => {
    await using machine = await withoutSandbox(0o711);
    await using browser = await guardedBrowser({}, { program: machine.program, mayLackSandbox: false });
    const tab = await browser.session.current();
    assert.ok(!tab.ok);
    assert.match(tab.error.message, /No usable sandbox.*browser\.sandbox: auto/su);
  });

  test(
    "for a user other than root, the browser starts with its sandbox and without a warning",
    { skip: skipUser },
    async () => {
      const { commandLines, output } = await killBrowserOwner(false, account);
      assert.ok(commandLines.some((line) => line.includes("--remote-debugging-pipe")));
      assert.ok(!commandLines.some((line) => line.includes("--no-sandbox")), commandLines.join("\n"));
      assert.equal(output, "ready\n");
    },
  );
});
