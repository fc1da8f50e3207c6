import assert from "node:assert/strict";
import { test } from "node:test";

import { isSecretFile } from "../command/checks/known-paths.ts";
import { hasSecret, hiddenPaths, secretNames, settingNames } from "./hidden-paths.ts";
import { packageCaches } from "./package-caches.ts";

const home = "/home/anna";

test("every path whose reading needs approval is hidden, and some other paths too", () => {
  for (const name of secretNames) assert.ok(isSecretFile(`${home}/${name}`, { home, workspace: "/w" }), name);
});

test("sockets in environment variables are hidden if they are paths", () => {
  const env = {
    SSH_AUTH_SOCK: "/tmp/ssh-x/agent.1",
    DOCKER_HOST: "unix:///srv/docker.sock",
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/srv/bus,guid=1",
    TMUX: "/tmp/tmux-1000/default,1,0",
    XAUTHORITY: "relative",
    XDG_RUNTIME_DIR: "/",
  };
  const { paths, mixed } = hiddenPaths({ home, userId: 1000, env });
  for (const path of ["/tmp/ssh-x/agent.1", "/srv/docker.sock", "/srv/bus", "/tmp/tmux-1000/default", "/run/user/1000"])
    assert.ok(paths.includes(path), path);
  assert.ok(!paths.includes("relative") && !paths.includes("/"));
  assert.deepEqual(
    [...mixed],
    settingNames.map((name) => `${home}/${name}`),
  );
});

test("settings files with a secret are distinguished from those without one", () => {
  assert.equal(hasSecret("registry=https://npm.example.org/\nfund=false\n"), false);
  assert.equal(hasSecret("//npm.example.org/:_authToken=npm_x\n"), true);
  assert.equal(hasSecret("[global]\nindex-url = https://me:word@pypi.example.org/simple\n"), true);
  assert.equal(hasSecret("<server><id>x</id><password>y</password></server>"), true);
});

test("the list of caches contains no folder with secrets or programs", () => {
  const caches = packageCaches(home, { GOPATH: "/srv/go:rel", npm_config_cache: "/srv/npm" });
  assert.ok(
    caches.includes("/srv/go/pkg") && caches.includes("/srv/npm") && caches.includes(`${home}/.cargo/registry`),
  );
  for (const path of caches) {
    assert.ok(path.startsWith("/"), path);
    assert.ok(!/\/bin$|^\/home\/anna$/u.test(path), path);
    assert.ok(!isSecretFile(path, { home, workspace: "/w" }), path);
  }
});
