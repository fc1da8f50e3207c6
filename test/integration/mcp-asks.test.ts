// covers: src/mcp/asks, src/mcp/adapt, src/runtime/mcp, src/operations/mcp, src/commands, src/hosts/cli/chat
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { shownContent } from "../../src/contracts/model/message.ts";
import { chatTerminal } from "../support/chat-terminal.ts";
import { eventually } from "../support/eventually.ts";
import { scriptedModel, type ScriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const server = fileURLToPath(new URL("../fixtures/mcp-servers/asking.ts", import.meta.url));

/** A home whose settings name the server that asks. */
async function homeWithServer() {
  const home = await tempHome();
  const path = join(home.path, ".hermes");
  mkdirSync(path, { recursive: true });
  const entry = { command: process.execPath, args: ["--no-warnings", server] };
  writeFileSync(
    join(path, "config.yaml"),
    JSON.stringify({ mcp_servers: { travel: entry }, mcp_discovery_timeout: 60 }),
  );
  return { path, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

const call = (tool: string) => ({ calls: [{ name: `mcp__travel__${tool}`, args: {} }] });

/** The texts of the messages that the model read last. */
function lastRead({ requests }: ScriptedModel): string {
  return (
    requests
      .at(-1)
      ?.messages.map(({ content }) => shownContent(content))
      .join("\n") ?? ""
  );
}

test(
  "the user fills in a form of an MCP server in the chat, and the server gets the data",
  { timeout: 120_000 },
  async () => {
    await using home = await homeWithServer();
    const model = scriptedModel([call("ask_person"), { text: "Booked." }, call("ask_visit"), { text: "Signed in." }]);
    await using chat = chatTerminal([], { home: home.path, model });
    await chat.until(/MCP: travel (?:ready|connecting)/u);
    chat.type("book it\r");
    await chat.until(/Question of the MCP server travel:[\s\S]*Where do you want to go\?[\s\S]*City> $/u);
    await chat.until(/City> $/u);
    chat.type("O\r");
    await chat.until("at least 2 characters");
    chat.type("Oslo\r");
    await chat.until("nights> ");
    chat.type("\r");
    await chat.until("class> ");
    chat.type("first\r");
    await chat.until("[s]end");
    chat.type("s\r");
    await chat.until("Booked.");
    assert.match(lastRead(model), /"action":"accept","content":\{"city":"Oslo","nights":2,"class":"1"\}/u);
    chat.type("and now sign in\r");
    await chat.until(/trust bank\.example:\s+https:\/\/bank\.example\/login[\s\S]*\[a\]ccept/u);
    chat.type("decline\r");
    await chat.until("Signed in.");
    assert.match(lastRead(model), /"action":"decline"/u);
    chat.type("/quit\r");
    assert.equal(await chat.code, 0);
  },
);

test(
  "a server uses the model after the user allows it, once or for the session, and not after a denial",
  { timeout: 120_000 },
  async () => {
    await using home = await homeWithServer();
    const red = { text: "Red", usage: { input: 7, output: 3 } };
    const model = scriptedModel([
      call("ask_model"),
      red,
      call("ask_model"),
      red,
      { text: "Done." },
      call("ask_model"),
      { text: "Refused." },
    ]);
    await using chat = chatTerminal([], { home: home.path, model });
    await chat.until("MCP: travel");
    chat.type("which colour\r");
    await chat.until(/the MCP server travel asks models, at your cost[\s\S]*user: Name a colour[\s\S]*\[a\]lways/u);
    chat.type("s\r");
    await chat.until("Done.");
    assert.match(lastRead(model), /"model":"test","stopReason":"endTurn"[^\n]*"text":"Red"/u);
    assert.equal(model.requests[1]?.maxTokens, 50);
    assert.deepEqual(model.requests[1]?.messages, [
      { role: "user", content: [{ type: "text", text: "Name a colour" }] },
    ]);
    chat.type("/usage\r");
    await chat.until("314 in, 36 out");
    chat.type("/new now\r");
    await chat.until(/session \d+_/u);
    chat.type("again\r");
    await chat.until(/\[a\]lways/u);
    chat.type("d\r");
    await chat.until("Refused.");
    assert.match(lastRead(model), /the user rejected the sampling request/u);
    chat.type("/quit\r");
    assert.equal(await chat.code, 0);
  },
);

test("prompts are slash commands, resources are references, and both are completed", { timeout: 120_000 }, async () => {
  await using home = await homeWithServer();
  const model = scriptedModel(Array.from({ length: 4 }, (_, index) => ({ text: `Answer ${index}.` })));
  await using chat = chatTerminal([], { home: home.path, model });
  await chat.until("MCP: travel");
  chat.type("/travel:rev\t");
  await chat.until("/travel:review ");
  chat.type("la\t");
  await chat.until("language=");
  chat.type("py\t");
  await chat.until("python");
  chat.type("style=short\r");
  await chat.until("Answer 0.");
  const prompt = lastRead(model);
  assert.match(prompt, /The user runs the prompt review of the MCP server travel\./u);
  assert.match(prompt, /source="mcp:travel"[\s\S]*Review it: \{"language":"python","style":"short"\}/u);
  chat.type("/travel:review\r");
  await chat.until(/Reviews code[\s\S]*language> $/u);
  chat.type("rust\r");
  await chat.until("Answer 1.");
  assert.match(lastRead(model), /Review it: \{"language":"rust"\}/u);
  chat.type("read @tra\t");
  await chat.until("@travel:");
  chat.type("note\t");
  await chat.until("note://today");
  chat.type(", please\r");
  await chat.until("Answer 2.");
  assert.match(lastRead(model), /@travel:note:\/\/today\n<untrusted[\s\S]*The text of note:\/\/today/u);
  chat.type("mail anna@travel:x and @other:y\r");
  await chat.until("Answer 3.");
  assert.doesNotMatch(lastRead(model).split("Answer 2.").at(-1) ?? "", /Resource of an MCP server/u);
  chat.type("/quit\r");
  assert.equal(await chat.code, 0);
  assert.match(readFileSync(join(home.path, "mcp", "index.json"), "utf8"), /travel/u);
});

test("a chat offers prompts and resources that a server announces later", { timeout: 120_000 }, async () => {
  await using home = await homeWithServer();
  const model = scriptedModel([call("learn"), { text: "Learned." }, { text: "Explained." }, { text: "Read." }]);
  await using chat = chatTerminal([], { home: home.path, model });
  await chat.until("MCP: travel");
  chat.type("learn something\r");
  await chat.until("Learned.");
  const index = join(home.path, "mcp", "index.json");
  await eventually(() => existsSync(index) && readFileSync(index, "utf8").includes("explain"));
  const [, first] = model.requests;
  chat.type("/travel:explain\r");
  await chat.until("Explained.");
  assert.match(lastRead(model), /The user runs the prompt explain of the MCP server travel\./u);
  assert.deepEqual([model.requests.at(-1)?.system, model.requests.at(-1)?.tools], [first?.system, first?.tools]);
  chat.type("/travel:exp\t");
  await chat.until("/travel:explain ");
  chat.type("\u0015read @travel:note://tom\t");
  await chat.until("note://tomorrow");
  chat.type("\r");
  await chat.until("Read.");
  assert.match(lastRead(model), /The text of note:\/\/tomorrow/u);
  chat.type("/quit\r");
  assert.equal(await chat.code, 0);
});

test(
  "a chat reloads changed MCP servers after a confirmation; its prompt and tools stay the same",
  { timeout: 120_000 },
  async () => {
    await using home = await homeWithServer();
    const file = join(home.path, "config.yaml");
    const model = scriptedModel([{ text: "First." }, { text: "Second." }]);
    await using chat = chatTerminal([], { home: home.path, model });
    await chat.until("MCP: travel");
    chat.type("one\r");
    await chat.until("First.");
    const { mcp_servers: servers } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ mcp_servers: { ...servers, hotel: { ...servers.travel, lazy: true } } }));
    await chat.until(/The settings changed\. MCP servers: added hotel\. Reload them\? \[y\/N\] $/u);
    chat.type("y\r");
    await chat.until("hermes: MCP servers: added hotel.");
    chat.type("/mcp\r");
    await chat.until("MCP servers (2)");
    chat.type("two\r");
    await chat.until("Second.");
    const [first, second] = model.requests;
    assert.deepEqual([second?.system, second?.tools], [first?.system, first?.tools]);
    chat.type("/quit\r");
    assert.equal(await chat.code, 0);
  },
);
