// covers: src/agents, src/code, src/runtime/agents, src/runtime/code, src/runtime/browser, src/tools/browser, src/tools/code
import assert from "node:assert/strict";
import { test } from "node:test";

import { agentRig, answersByGoal, leaf, reportOf } from "../support/agent-rig.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { startSites } from "../support/sites/sites.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";
import { textOf } from "../support/turn-rig.ts";

const shell = "chromium-headless-shell";
const skip = missingPrograms({ [shell]: shell });
const settings = { "browser.allow_private_urls": true, "security.allow_private_urls": true };

test(
  "a script drives a real browser through its seven functions, and the page stays open afterwards",
  { skip },
  async () => {
    await using sites = await startSites();
    await using folder = await tempHome();
    const first = `
import re
from hermes_tools import browser_back, browser_click, browser_navigate, browser_press, browser_scroll, browser_snapshot, browser_type
def ref(page, words):
    return next(re.search(r"@e\\d+", line)[0] for line in page["snapshot"].split("\\n") if words in line)
page = browser_navigate("${sites.origin}/form")
browser_type(ref(page, "Full name"), "Ann")
browser_press("Tab")
print("focus:", next(line for line in browser_snapshot()["snapshot"].split("\\n") if "focused" in line))
print("below:", browser_scroll("bottom")["below"])
browser_click(ref(browser_snapshot(), "Send everything"))
print("sent:", browser_snapshot()["title"])
browser_back()`;
    const second = 'from hermes_tools import browser_snapshot\nprint("open:", browser_snapshot()["title"])';
    const run = (code: string) => ({ calls: [{ name: "execute_code", args: { code } }] });
    const model = scriptedModel([run(first), run(second), { text: "done" }]);
    await using runtime = await runtimeRig({ folder: folder.path, model, settings });
    await using session = await runtime.openSession({ source: "test" });
    session.approvals.attach({ name: "person", ask: async () => ({ scope: "session" }) });
    await session.prompt([{ type: "text", text: "go" }]).done;
    const results = session.history().flatMap((message) => (message.role === "tool" ? [textOf(message)] : []));
    assert.match(results[0] ?? "", /"status":"success".*focus: textbox .*E-mail.*below: 0\\nsent: Received/u);
    assert.match(results[1] ?? "", /open: Every kind of field/u);
    assert.deepEqual(
      sites.state.forms.map((form) => form.get("name")),
      ["Ann"],
    );
    // Texts of pages are untrusted, also in the output of a script.
    assert.match(results[0] ?? "", /^<untrusted_tool_result source="[^"]*browser_navigate/u);
  },
);

test("a child agent has a browser of its own, or its parent's with `share`", { skip }, async () => {
  await using sites = await startSites();
  const look = [{ calls: [{ name: "browser_snapshot", args: {} }] }, { text: "looked" }];
  const children = answersByGoal({ "look alone": look, "look together": look });
  const open = { calls: [{ name: "browser_navigate", args: { url: `${sites.origin}/form` } }] };
  const model = scriptedModel((request, index) => (index === 0 ? open : children(request, index)));
  await using at = await agentRig(model, { ...settings, toolsets: ["all"] });
  at.parent.approvals.attach({ name: "person", ask: async () => ({ scope: "session" }) });
  await at.parent.prompt([{ type: "text", text: "open the form" }]).done;
  const seen = async (share: boolean) => {
    await reportOf(at.parent, leaf(share ? "look together" : "look alone", { share }));
    return model.requests.at(-1)?.messages.flatMap((message) => (message.role === "tool" ? [textOf(message)] : []));
  };
  assert.match(String(await seen(true)), /Every kind of field/u);
  assert.doesNotMatch(String(await seen(false)), /Every kind of field/u);
  // The page of the parent is still open after its children have ended.
  assert.match(String(await seen(true)), /Every kind of field/u);
});
