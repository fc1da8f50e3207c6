import assert from "node:assert/strict";
import { test } from "node:test";

import { policyRig } from "../../test/support/policy-rig.ts";
import type { Effect } from "../contracts/tool/effect.ts";
import { sentSecretPolicy } from "./sent-secrets.ts";

const secret = "plain-but-stored-4711";
const typing: Effect = { kind: "network", url: "https://shop.example/", sends: true, isPage: true };
const sources = [sentSecretPolicy(() => [secret, "short"])];
/** No other rule causes a question. */
const allowed = { readOnly: true };

test("typing a stored secret into an allowed page needs approval for each site", async () => {
  const { decide, questions } = policyRig({ answers: ["once", "once"] }, { sources });
  const typed = { ref: "@e1", text: `my key is ${secret}` };
  await decide([typing], { ...allowed, args: typed });
  await decide([typing], { ...allowed, args: typed });
  await decide([{ ...typing, url: "https://other.example/" }], { ...allowed, args: { fields: { "@e1": [secret] } } });
  const asks = questions.flatMap((question) => question.asks);
  assert.deepEqual(
    asks.map(({ rule, reason }) => [rule, /\S+\.example/u.exec(reason)?.[0]]),
    [
      ["stored_secret", "shop.example"],
      ["stored_secret", "other.example"],
    ],
  );
  assert.ok(!JSON.stringify(asks).includes(secret));
});

test("a percent-encoded secret is recognised too", async () => {
  const { decide, questions } = policyRig({}, { sources: [sentSecretPolicy(() => ["a secret/value"])] });
  await decide([typing], { ...allowed, args: { text: "x=a%20secret%2Fvalue" } });
  assert.equal(questions.length, 1);
});

test("other texts, calls that send nothing and a person's own calls need no approval", async () => {
  const { decide, questions } = policyRig({ answers: ["once", "once"] }, { sources });
  await decide([typing], { ...allowed, args: { text: "short" } });
  await decide([{ kind: "network", url: "https://shop.example/", isPage: true }], {
    ...allowed,
    args: { text: secret },
  });
  await decide([typing], { ...allowed, args: { text: secret }, origin: "user" });
  assert.deepEqual(questions, []);
});
