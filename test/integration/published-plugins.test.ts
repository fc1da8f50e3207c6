// covers: src/plugins, src/runtime/plugins, src/operations/plugins
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { isObject, parsedJson } from "../../src/base/json.ts";
import { runHere } from "../support/run-here.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { talking } from "../support/talking-program.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";
import type { ScriptedTurn } from "../support/wire-servers/turn.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures");

interface Request {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A service on loopback: `answers` by the path without its query, as JSON; any other path gives 404. */
async function startService(answers: Readonly<Record<string, (request: Request) => object>>) {
  const requests: Request[] = [];
  const server = createServer((message, response) => void answerTo(message, response));

  async function answerTo(message: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const part of message.setEncoding("utf8")) body += String(part);
    const request = { path: message.url ?? "/", headers: message.headers, body };
    requests.push(request);
    const answer = answers[request.path.replace(/\?.*$/u, "")];
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answer?.(request) ?? {}));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    port,
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The calls that the model makes for a prompt, one request after the other. */
const script = (victim: string, foreignPort: number): Readonly<Record<string, readonly ScriptedTurn[]>> => ({
  "Weather in Oslo?": [{ calls: [{ name: "get_weather", args: { city: "Oslo" } }] }, { text: "It rains in Oslo." }],
  "Push it.": [
    { calls: [{ name: "terminal", args: { command: "echo ready" } }] },
    { calls: [{ name: "terminal", args: { command: "git -C . push origin main" } }] },
    { text: "I could not push." },
  ],
  "Tell jokes.": [
    { calls: [{ name: "magpie_keys" }] },
    { calls: [{ name: "magpie_send", args: { host: "127.0.0.1", port: foreignPort } }] },
    { calls: [{ name: "magpie_edit", args: { plugin: "shopping", files: [victim, "new.txt"] } }] },
    { calls: [{ name: "magpie_peek", args: { plugin: "shopping", file: "shopping.json" } }] },
    { text: "No joke came out." },
  ],
});

const secrets = {
  ssh: "ssh-private-4711-body",
  weather: "wk-5f1e9c7a3b2d4e6f",
  other: "other-key-8a7b6c5d4e3f",
  shopping: "saffron for the surprise",
};

const languages = [
  { language: "Python", suffix: "py", entry: "__init__.py" },
  { language: "TypeScript", suffix: "ts", entry: "index.ts" },
] as const;

for (const { language, suffix, entry } of languages) {
  test(`plugins as people publish them, in ${language}: each one works, and a hostile one gets nothing`, async () => {
    await using foreign = await startService({ "/stolen": () => ({}) });
    await using weather = await startService({ "/v1/current": () => ({ temp_c: 4.5, text: "rain" }) });
    const turns = script(entry, foreign.port);
    let prompt = "";
    let step = 0;
    await using rig = await talking(({ json }) => {
      const messages = JSON.stringify(json["messages"]);
      const latest = Object.keys(turns).findLast((each) => messages.includes(each)) ?? "";
      step = latest === prompt ? step + 1 : 0;
      prompt = latest;
      return turns[prompt]?.[step] ?? { text: "nothing to do" };
    });
    const home = rig.env.HERMES_HOME;
    await mkdir(join(rig.env.HOME, ".ssh"));
    await writeFile(join(rig.env.HOME, ".ssh", "id_ed25519"), secrets.ssh);
    await addPluginSettings(home, { weather: { options: { base_url: `http://${weather.host}` } } });
    const hermes = async (...args: readonly string[]) => (await runHere(rig, args)).stdout;
    const install = (folder: string, name: string) =>
      hermes("plugins", "install", join(fixtures, folder, `${name}-${suffix}`), "--yes", "--enable");

    assert.match(
      await install("published-plugins", "weather"),
      /Plugin weather disabled \(missing: WEATHER_API_KEY\)/u,
    );
    await writeFile(
      join(home, ".env"),
      `WEATHER_API_KEY=${secrets.weather}\nWEATHER_URL=http://${weather.host}\nOTHER_KEY=${secrets.other}\n`,
    );
    assert.match(await hermes("plugins", "grant", "weather", `net:${weather.host}`, "--yes"), /Granted net:127/u);
    assert.match(await install("published-plugins", "call-log"), /Enabled call-log: hooks/u);
    assert.match(await install("published-plugins", "push-guard"), /Enabled push-guard: hooks \w+ \(policy\)/u);
    assert.match(await install("published-plugins", "shopping"), /Enabled shopping: commands \/shopping/u);
    assert.match(await install("hostile-plugins", "magpie"), /scan dangerous[\s\S]*Enabled magpie/u);

    {
      await using chat = rig.terminal();
      await chat.until("❯ ");
      const say = async (line: string, reply: string | RegExp) => {
        chat.type(`${line}\r`);
        await chat.until(reply);
      };
      await say(`/shopping add ${secrets.shopping}`, /1\. saffron[\s\S]*1 changes since/u);
      await say("Weather in Oslo?", /It rains in Oslo\.[\s\S]*❯ /u);
      await say("Push it.", /I could not push\.[\s\S]*❯ /u);
      await say("Tell jokes.", /No joke came out\.[\s\S]*❯ /u);
      await say("/shopping add milk", /2\. milk[\s\S]*2 changes since/u);
      for (const attempt of [
        /magpie tried to read \S+\/\.ssh\/id_ed25519/u,
        /magpie tried to read \S+\/home\/\.env/u,
        new RegExp(`magpie tried to connect to 127\\.0\\.0\\.1:${foreign.port}`, "u"),
        new RegExp(`magpie tried to write \\S+/plugins/shopping/${entry}`, "u"),
        /magpie tried to read \S+\/plugin-data\/shopping\/shopping\.json/u,
      ]) {
        assert.match(oneLineOf(chat.said()), attempt);
      }
      chat.type("\x04");
      assert.equal(await chat.code, 0);
    }

    const [request] = weather.requests;
    assert.deepEqual([weather.requests.length, request?.path], [1, "/v1/current?q=Oslo"]);
    assert.equal(request?.headers["x-api-key"], secrets.weather);
    const results = rig.server.requests.map(({ json }) => json["messages"]).map((all) => JSON.stringify(all));
    assert.match(results.join("\n"), /celsius\W+4\.5/u);
    assert.match(results.join("\n"), /push-guard: pushing is for people/u);
    assert.match(results.join("\n"), /ready/u);

    assert.match(results.join("\n"), /others\\*": ?(?:\{\}|\\*"\\*")\W/u, "no other process is visible");
    assert.equal(foreign.requests.length, 0);
    const pluginFolder = join(home, "plugins", "shopping");
    const published = join(fixtures, "published-plugins", `shopping-${suffix}`);
    assert.equal(await readFile(join(pluginFolder, entry), "utf8"), await readFile(join(published, entry), "utf8"));
    for (const secret of Object.values(secrets)) assert.ok(!results.join("\n").includes(secret), secret);

    const lines = (await readFile(join(home, "plugin-data", "call-log", "calls.jsonl"), "utf8")).trim().split("\n");
    const logged = lines.map((line) => parsedJson(line)).filter(isObject);
    const calls = logged.filter(({ kind }) => kind === "tool").map(({ name, status }) => [name, status].join(" "));
    assert.deepEqual(calls, [
      "get_weather ok",
      "terminal ok",
      "terminal blocked",
      "magpie_keys ok",
      "magpie_send ok",
      "magpie_edit ok",
      "magpie_peek ok",
    ]);
    assert.equal(logged.length - calls.length, rig.server.requests.length);

    const audit = await hermes("audit", "show", "--denied");
    for (const line of [
      /plugin magpie +deny +read · \S+id_ed25519/u,
      /plugin magpie +deny +read · \S+home\/\.env/u,
      /plugin magpie +deny +net · 127\.0\.0\.1:\d+/u,
      /plugin magpie +deny +write · \S+plugins\/shopping/u,
      /plugin magpie +deny +read · \S+plugin-data\/shopping/u,
    ]) {
      assert.match(audit, line);
    }

    // A new program: the stored list is still available, the counts in memory are not.
    const again = await rig.run(["chat"], "/shopping\n");
    assert.match(again.stdout, /1\. saffron[\s\S]*2\. milk[\s\S]*0 changes since/u);
  });

  test(`a published provider and a published chat platform, in ${language}`, async () => {
    await using rig = await talking([]);
    await using oddly = await startModelServer({
      protocol: "openai-chat",
      turns: [{ text: "oddly enough" }],
      keys: ["ok-1"],
      route: ({ path }) =>
        path === "/v1/catalog"
          ? {
              raw: { body: JSON.stringify({ engines: [{ name: "oddly-9" }] }) },
              fault: { contentType: "application/json" },
            }
          : undefined,
    });
    const waiting = [{ id: 7, chat: "#cats", from: "u1", name: "Anna", text: "Is anybody there?" }];
    await using loopchat = await startService({
      "/me": () => ({}),
      "/updates": ({ path }) => ({ updates: path.endsWith("offset=0") ? waiting : [] }),
      "/messages": () => ({ id: 8 }),
    });
    const home = rig.env.HERMES_HOME;
    await writeFile(
      join(home, ".env"),
      `ODDLY_API_KEY=ok-1\nODDLY_BASE_URL=${oddly.url}\nLOOPCHAT_TOKEN=lt-1\nLOOPCHAT_URL=http://${loopchat.host}\n`,
    );
    await addPluginSettings(home, {
      oddly: { options: { base_url: oddly.url }, grants: [`net:127.0.0.1:${oddly.port}`] },
      loopchat: { grants: [`net:${loopchat.host}`] },
    });
    for (const name of ["oddly", "loopchat"]) {
      const path = join(fixtures, "published-plugins", `${name}-${suffix}`);
      const installed = await runHere(rig, ["plugins", "install", path, "--yes", "--enable"]);
      assert.match(installed.stdout, new RegExp(`Enabled ${name}: (?:providers|platforms) ${name}`, "u"));
    }

    const listed = await runHere(rig, ["model", "list", "oddly", "--refresh"]);
    assert.match(listed.stdout, /oddly\/oddly-9/u, listed.stderr);
    const answered = await rig.run(["-z", "hello", "-m", "oddly/oddly-9"]);
    assert.equal(answered.stdout.trim(), "oddly enough", answered.stderr);
    const [request] = oddly.requests;
    assert.equal(request?.headers["x-oddly-tenant"], "hermes");
    assert.deepEqual([request?.json["model"], request?.json["house_style"]], ["oddly-9", "odd"]);
    const messages = request?.json["messages"] as readonly object[];
    assert.ok(messages.every((message) => "text" in message && !("content" in message)));

    // No host runs chat platforms yet, so the adapter is called directly.
    await using runtime = await runtimeRig({
      folder: rig.env.HOME,
      home,
      model: scriptedModel([]),
    });
    const lists = await runtime.services.get("contributions");
    await lists.load("platforms");
    const platform = lists.platforms.find("loopchat");
    assert.ok(platform);
    const { signal } = new AbortController();
    for await (const { chat, from, content } of platform.receive(signal)) {
      assert.deepEqual([chat.chatId, from.id, from.name], ["#cats", "loopchat:u1", "Anna"]);
      assert.deepEqual(content, [{ type: "text", text: "Is anybody there?" }]);
      const sent = await platform.send(chat, [{ type: "text", text: "I am." }], signal);
      assert.equal(sent.ok && sent.value.messageId, "8");
      break;
    }
    const posted = loopchat.requests.find(({ path }) => path === "/messages");
    assert.deepEqual(parsedJson(posted?.body ?? ""), { chat: "#cats", text: "I am." });
    assert.equal(posted?.headers.authorization, "Bearer lt-1");
  });
}

async function addPluginSettings(home: string, entries: object): Promise<void> {
  const path = join(home, "config.yaml");
  const settings = parsedJson(await readFile(path, "utf8"));
  await writeFile(path, JSON.stringify({ ...(isObject(settings) && settings), plugins: { entries } }));
}

/** Removes the line breaks of the terminal. */
const oneLineOf = (text: string) => text.replaceAll(/\r?\n\s*/gu, "");
