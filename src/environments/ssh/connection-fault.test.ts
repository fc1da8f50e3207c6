import assert from "node:assert/strict";
import { test } from "node:test";

import { connectionFault } from "./connection-fault.ts";
import { connectionArguments, type SshTarget, targetFault } from "./ssh-target.ts";

const target: SshTarget = { host: "box", user: "me", port: 2222, hostKeys: "strict" };

test("each client error maps to a kind, a reason and a hint", () => {
  const kinds = {
    "ssh: Could not resolve hostname box: Name or service not known": ["broken", "host name cannot be resolved"],
    "ssh: connect to host box port 2222: Connection refused": ["broken", "refuses connections"],
    "ssh: connect to host box port 2222: Connection timed out": ["broken", "did not answer in time"],
    "ssh: connect to host box port 2222: No route to host": ["broken", "cannot be reached"],
    "me@box: Permission denied (publickey).": ["misconfigured", "does not accept this user and key"],
    "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.": [
      "misconfigured",
      "has changed",
    ],
    "No ED25519 host key is known for box\nHost key verification failed.": ["misconfigured", "not in known_hosts"],
    "something new": ["broken", "something new"],
  };
  for (const [output, [how, reason = ""]] of Object.entries(kinds)) {
    const fault = connectionFault(target, output);
    assert.equal(fault.how, how, output);
    assert.ok("message" in fault && fault.message.includes(reason) && fault.hint, output);
  }
});

test("a host or user that looks like an option or has more than one word is refused", () => {
  for (const host of ["", "-oProxyCommand=x", "a b", "a;b", "$(x)", "`x`"]) {
    assert.equal(targetFault({ ...target, host })?.kind, "misconfigured", host);
  }
  for (const host of ["box", "box.example.org", "10.0.0.1", "::1", "fe80::1%eth0"]) {
    assert.equal(targetFault({ ...target, host }), undefined, host);
  }
  assert.equal(targetFault({ ...target, user: "-x" })?.kind, "misconfigured");
  assert.equal(targetFault({ ...target, port: 0 })?.kind, "misconfigured");
});

test("the arguments always set the host key policy and disable password prompts", () => {
  assert.ok(connectionArguments(target).includes("StrictHostKeyChecking=yes"));
  const accepting = connectionArguments({ ...target, hostKeys: "accept-new", knownHostsFile: '/a "b" 100%' });
  assert.ok(accepting.includes("StrictHostKeyChecking=accept-new"));
  assert.ok(accepting.includes('UserKnownHostsFile="/a \\"b\\" 100%%"'));
  assert.ok(accepting.includes("BatchMode=yes"));
});
