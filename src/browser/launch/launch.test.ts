import assert from "node:assert/strict";
import { test } from "node:test";

import { browserAccount } from "./browser-account.ts";
import { browserInstallCommands } from "./install-commands.ts";
import { chromiumArguments } from "./launch-arguments.ts";

test("root starts the browser as an unprivileged account; other users start it as themselves", () => {
  const passwd = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n";
  assert.deepEqual(browserAccount(passwd, 0), { name: "nobody", uid: 65_534, gid: 65_534 });
  assert.equal(browserAccount(passwd, 1_000), undefined);
  assert.equal(browserAccount("root:x:0:0::/root:/bin/sh\n", 0), undefined);
});

test("the browser's sandbox stays on, and every connection goes to the guard", () => {
  const base = { userData: "/d", isHeaded: false, isHeadlessShell: true, proxyPort: 4_711, maxPageMb: 100 };
  const args = chromiumArguments({ ...base, hasSandbox: true });
  assert.ok(!args.includes("--no-sandbox"));
  for (const each of ["--proxy-server=http://127.0.0.1:4711", "--proxy-bypass-list=<-loopback>", "--disable-quic"])
    assert.ok(args.includes(each), each);
  assert.ok(args.some((each) => each.startsWith("--host-resolver-rules=MAP * ~NOTFOUND")));
  assert.ok(chromiumArguments({ ...base, hasSandbox: false }).includes("--no-sandbox"));
});

test("an unknown operating system gets a general hint", () => {
  assert.match(browserInstallCommands("linux", 'ID=debian\nPRETTY_NAME="Debian 12"').commands[0] ?? "", /^apt-get/u);
  assert.match(browserInstallCommands("linux", "ID=mint\nID_LIKE=arch\n").commands[0] ?? "", /^pacman/u);
  assert.match(browserInstallCommands("linux", "").commands[0] ?? "", /package manager/u);
});
