import assert from "node:assert/strict";
import { test } from "node:test";

import { sandboxAdvice } from "./sandbox-advice.ts";

const broken = "bubblewrap (bwrap) does not work here: No permissions to create new namespace";

test("the advice names the package, the kernel setting or the container option", () => {
  const advice = (reason: string, files: Readonly<Record<string, string>> = {}) =>
    sandboxAdvice(reason, (file) => files[file]);
  assert.match(advice("bubblewrap (bwrap) is not installed"), /package bubblewrap/);
  assert.match(advice(broken, { "/proc/sys/kernel/unprivileged_userns_clone": "0" }), /sysctl kernel\.unpriv\S+=1`/);
  assert.match(advice(broken, { "/proc/sys/user/max_user_namespaces": "0" }), /user\.max_user_namespaces=\d+`/);
  const apparmor = { "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1", "/.dockerenv": "" };
  assert.match(advice(broken, apparmor), /apparmor_restrict_unprivileged_userns=0`/);
  assert.match(advice(broken, { "/.dockerenv": "" }), /--security-opt/);
  assert.match(advice(broken, { "/proc/sys/kernel/unprivileged_userns_clone": "1" }), /Update bubblewrap/);
});
