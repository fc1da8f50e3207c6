// covers: src/browser/launch, src/runtime/browser, src/hosts/cli/commands/browser
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { eventually } from "../support/eventually.ts";
import { runProgram } from "../support/run-program.ts";
import { findProgram, missingPrograms } from "../support/system-programs.ts";
import { program } from "../support/talking-program.ts";
import { tempHome } from "../support/temp-home.ts";

const skip = missingPrograms({ Xvfb: "xvfb", xdotool: "xdotool", xauth: "xauth", chromium: "chromium" });

/** A screen without a monitor, which only programs with its key can use, as on a desktop. */
async function openScreen(t: TestContext, folder: string): Promise<Readonly<Record<string, string>>> {
  const key = join(folder, "screen-key");
  writeFileSync(key, "", { mode: 0o600 });
  const cookie = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
  // The server chooses a free display and writes its number; a key without a number fits every display.
  await runProgram("xauth", ["-f", key, "add", "localhost/unix:0", ".", cookie]);
  const server = spawn(findProgram("Xvfb") ?? "Xvfb", ["-displayfd", "3", "-nolisten", "tcp", "-auth", key], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  t.after(() => server.kill("SIGKILL"));
  const [digits] = await once(server.stdio[3]!, "data");
  const display = `:${String(digits).trim()}`;
  await runProgram("xauth", ["-f", key, "add", display, ".", cookie]);
  return { DISPLAY: display, XAUTHORITY: key };
}

test("a person logs in in a window, closes it, and the agent's browser has the login", { skip }, async (t) => {
  await using folder = await tempHome();
  chmodSync(folder.path, 0o711);
  const cookies: (string | undefined)[] = [];
  const server = createServer(({ url, headers }, response) => {
    if (url === "/agent") cookies.push(headers.cookie);
    const login = url === "/login" ? { "set-cookie": "login=ada; Max-Age=86400" } : {};
    response.writeHead(200, { "content-type": "text/html", ...login }).end(`<title>Page ${url}</title>Hello`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  const screen = await openScreen(t, folder.path);
  const home = join(folder.path, "home");
  // A socket of the browser would have too long a path below this folder.
  const temp = join(folder.path, "temporary-files-of-a-person-with-a-long-name");
  mkdirSync(temp, { mode: 0o711 });
  const env = { HOME: folder.path, HERMES_HOME: home, TMPDIR: temp, ...screen };
  const hermes = (...args: readonly string[]) => runProgram(process.execPath, [program, ...args], { env });
  const key = (...args: readonly string[]) => runProgram("xdotool", args, { env });

  const opened = hermes("browser", "open", "work");
  let early: string | undefined;
  void opened.then(({ code, stderr }) => (early = `hermes browser open ended with ${code}: ${stderr}`));
  const windows = async () => (await key("search", "--onlyvisible", "--class", "chromium")).stdout.trim().split("\n");
  const titleOf = async (window: string) => {
    assert.equal(early, undefined);
    return (await key("getwindowname", window)).stdout;
  };
  await eventually(async () => (await titleOf((await windows()).at(-1) ?? "")).includes("New Tab"));
  const window = (await windows()).at(-1) ?? "";
  // A window that is still being drawn loses keys, so they are pressed until they had their effect.
  await eventually(async () => {
    await key("windowfocus", "--sync", window, "key", "ctrl+l");
    await key("type", `127.0.0.1:${port}/login`);
    await key("key", "Return");
    for (let looks = 0; looks < 30 && !(await titleOf(window)).includes("Page /login"); looks++) await pause(100);
    return (await titleOf(window)).includes("Page /login");
  });
  const busy = await hermes("browser", "open", "work");
  assert.match(busy.stderr, /The profile work cannot be opened\. Another browser uses it now/u);
  await eventually(async () => {
    await key("windowfocus", window, "key", "ctrl+shift+w");
    return Promise.race([opened.then(() => true), pause(3000, false)]);
  });
  const { code, stdout } = await opened;
  assert.equal(code, 0);
  assert.match(stdout, /The profile work is saved\. Agents use it after: hermes config set browser\.profile work/u);

  writeFileSync(join(home, "config.yaml"), "browser: {profile: work, allow_private_urls: true}\n");
  const url = `http://127.0.0.1:${port}/agent`;
  const visit = await hermes("tools", "call", "browser_navigate", "--args", JSON.stringify({ url }), "--approve");
  assert.match(visit.stdout, /Page \/agent/u, visit.stderr);
  assert.deepEqual(cookies, ["login=ada"]);
});

test("without a screen, and with one that cannot be reached, the command says so", { skip }, async () => {
  await using folder = await tempHome();
  const open = async (DISPLAY: string | undefined) => {
    const env = { HOME: folder.path, HERMES_HOME: folder.path, DISPLAY, WAYLAND_DISPLAY: undefined };
    return (await runProgram(process.execPath, [program, "browser", "open"], { env })).stderr;
  };
  assert.match(await open(undefined), /There is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set/u);
  assert.match(await open(":7999"), /did not start: Missing X server or \$DISPLAY/u);
});
