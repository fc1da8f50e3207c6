import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId, type SessionId } from "../base/ids.ts";
import type { PolicyRequest } from "../contracts/safety/approval.ts";
import type { Effect } from "../contracts/tool/effect.ts";
import { urlPolicy } from "./url.ts";
import { siteList } from "./url/site-list.ts";

const source = urlPolicy(async () => ({ allowPrivate: false, blockedBy: siteList(["games.example"]) }));

async function denied(...effects: Effect[]): Promise<string | undefined> {
  const request: PolicyRequest = {
    sessionId: asId<SessionId>("ses_1"),
    callId: asId<CallId>("call_1"),
    principal: { id: "local:anna" },
    tool: "web_extract",
    readOnly: true,
    args: {},
    effects,
    origin: "model",
    place: { cwd: "/", backend: "local" },
    tainted: [],
  };
  return (await source.judge(request, new AbortController().signal)).deny?.message;
}

test("a call that connects to a private address or a blocked site is denied", async () => {
  const open: Effect = { kind: "network", url: "https://example.com/" };
  assert.equal(await denied(open, { kind: "read", path: "/etc/hosts" }), undefined);
  assert.match((await denied(open, { kind: "network", url: "http://10.0.0.1/" })) ?? "", /private/u);
  assert.match((await denied({ kind: "network", url: "https://www.games.example/" })) ?? "", /games\.example/u);
});
