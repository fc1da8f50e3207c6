import assert from "node:assert/strict";
import { test } from "node:test";

import { leadingVariables } from "../local/local-environment.ts";

test("new or changed variables that can redirect programs are reported, others are not", () => {
  const trusted = new Map([
    ["HOME", "/home/anna"],
    ["PATH", "/usr/bin"],
    ["GIT_SSH_COMMAND", "ssh -4"],
  ]);
  const left = new Map([
    ["HOME", "/project/fake"],
    ["PATH", "/usr/bin"],
    ["GIT_SSH_COMMAND", "ssh -4"],
    ["LD_PRELOAD", "/project/x.so"],
    ["XDG_CONFIG_HOME", "/project"],
    ["npm_config_script_shell", "/project/sh"],
    ["OPENSSL_CONF", "/project/o"],
    ["KUBECONFIG", "/project/k"],
    ["NODE_ENV", "test"],
    ["GIT_AUTHOR_NAME", "anna"],
    ["DEBUG", "1"],
    ["RUST_LOG", "debug"],
  ]);
  assert.deepEqual(Object.keys(leadingVariables(left, trusted)), [
    "HOME",
    "LD_PRELOAD",
    "XDG_CONFIG_HOME",
    "npm_config_script_shell",
    "OPENSSL_CONF",
    "KUBECONFIG",
  ]);
});
