import assert from "node:assert/strict";
import { test } from "node:test";

import { err, ok } from "../../base/result.ts";
import type { SecretAsker } from "../../contracts/host/ports.ts";
import { createSudoPassword } from "./sudo-password.ts";

const signal = new AbortController().signal;

function askerSaying(...answers: (string | undefined)[]) {
  const asker: SecretAsker & { asked: number } = {
    asked: 0,
    async askSecret() {
      const answer = answers[this.asked++];
      return answer === undefined ? err({ reason: "declined" }) : ok(answer);
    },
  };
  return asker;
}

test("a configured password is used without a prompt, even when it is empty", async () => {
  for (const configured of ["secret word", ""]) {
    const asker = askerSaying("other");
    const sudo = createSudoPassword({ configured, asker, hide: () => assert.fail() });
    assert.deepEqual(await sudo.get(signal), ok(configured));
    assert.equal(asker.asked, 0);
  }
});

test("the user is asked once per session, and again after a wrong or missing password", async () => {
  const hidden: string[] = [];
  const asker = askerSaying(undefined, "first word", "second word");
  const sudo = createSudoPassword({ configured: undefined, asker, hide: (secret) => hidden.push(secret) });
  assert.deepEqual(await sudo.get(signal), err({ reason: "the user did not enter the password" }));
  const both = await Promise.all([sudo.get(signal), sudo.get(signal)]);
  assert.deepEqual(both, [ok("first word"), ok("first word")]);
  sudo.forget();
  assert.deepEqual(await sudo.get(signal), ok("second word"));
  assert.deepEqual(hidden, ["first word", "second word"]);
});

test("without a user to ask, the error says how to configure a password", async () => {
  const refused = await createSudoPassword({ configured: undefined, asker: undefined, hide() {} }).get(signal);
  assert.match(refused.ok ? "" : refused.error.reason, /SUDO_PASSWORD/u);
});
