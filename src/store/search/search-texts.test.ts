import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { createCorpus, type Language } from "../../../test/support/conversation-corpus.ts";
import { testSize } from "../../../test/support/test-size.ts";
import { systemClock } from "../../base/clock.ts";
import { asId, type CallId, type SessionId } from "../../base/ids.ts";
import type { SearchQuery } from "../../contracts/session/session-search.ts";
import type { EntryBody, NewSession, SessionStore } from "../../contracts/session/session.ts";
import { openSessionStore } from "../session-store.ts";
import { createTextIndex } from "./index-texts.ts";
import { openToWrite } from "./search-file.ts";
import { createTextSearch } from "./search-texts.ts";
import { openSessionFeed } from "./session-feed.ts";
import { createSplitter } from "./split-words.ts";

const anna = { id: "local:anna" };
const bob = { id: "telegram:bob" };
const day = 86_400_000;

/** A real store with a real search file; `search` indexes new entries first. */
async function scene() {
  const folder = mkdtempSync(join(tmpdir(), "hermes-search-"));
  let now = Date.UTC(2026, 10, 1);
  const store: SessionStore = await openSessionStore(join(folder, "sessions.db"), {
    clock: { ...systemClock, now: () => now },
  });
  const feed = await openSessionFeed(join(folder, "sessions.db"));
  const file = await openToWrite(join(folder, "sessions-search.db"));
  const splitter = createSplitter();
  const index = createTextIndex(file.database, feed, splitter);
  const { find } = createTextSearch(file.database, feed, splitter);
  return {
    store,
    index,
    /** The bytes of the search file on disk. */
    bytes: () =>
      Buffer.concat(
        ["sessions-search.db", "sessions-search.db-wal"]
          .map((name) => join(folder, name))
          .filter((path) => existsSync(path))
          .map((path) => readFileSync(path)),
      ),
    later: (ms: number) => void (now += ms),
    async begin(texts: readonly (string | EntryBody)[], session: Partial<NewSession> = {}): Promise<SessionId> {
      const { id } = await store.create({ source: "cli", principal: anna, ...session });
      const lease = await store.lease(id, "test");
      assert.ok(lease.ok);
      await store.append(
        id,
        texts.map((text) => (typeof text === "string" ? messageBody(text) : text)),
      );
      await lease.value[Symbol.asyncDispose]();
      return id;
    },
    search(query: string | SearchQuery, who = anna) {
      while (index.step(100) > 0);
      return find(typeof query === "string" ? { text: query, limit: 10 } : query, who, now);
    },
    found(query: string | Partial<SearchQuery>, who = anna): readonly string[] {
      const fields = typeof query === "string" ? { text: query } : query;
      return this.search({ text: "", limit: 10, ...fields }, who).hits.map(({ sessionId }) => sessionId);
    },
    async [Symbol.asyncDispose]() {
      file[Symbol.dispose]();
      feed[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

function messageBody(text: string, role: "user" | "assistant" = "user"): EntryBody {
  const content = [{ type: "text" as const, text }];
  if (role === "user") return { type: "message", message: { role, content } };
  return { type: "message", message: { role, content, calls: [], stop: "end" } };
}

function resultBody(text: string): EntryBody {
  const result = { ok: true as const, value: { content: [{ type: "text" as const, text }] } };
  return { type: "settled", callId: asId<CallId>("call_1"), tool: "terminal", result, durationMs: 1 };
}

test("search finds words in any case, accents and script, even inside identifiers", async () => {
  await using at = await scene();
  const german = await at.begin(["Die Straße in München ist größer als das Café"]);
  const code = await at.begin(["call getUserName in src/store/search-file.ts, then parse_http_response"]);
  const chinese = await at.begin(["我们昨天讨论了数据库连接的问题，Python脚本失败了"]);
  const japanese = await at.begin(["東京でラーメンを食べました。ﾃﾞｰﾀも見た"]);
  const korean = await at.begin(["데이터베이스를 다시 시작했습니다"]);
  const thai = await at.begin(["ฐานข้อมูลเริ่มทำงานอีกครั้ง"]);
  const arabic = await at.begin(["ذهبت إلى المدرسة مع أحمد"]);
  const russian = await at.begin(["Ёлка стоит у подъезда"]);
  for (const [query, session] of [
    ["munchen", german],
    ["MÜNCHEN", german],
    ["strasse", german],
    ["cafe", german],
    ["getUserName", code],
    ["getusername", code],
    ["user", code],
    ["get_user_name", code],
    ["search-file.ts", code],
    ["src/store", code],
    ["parseHttpResponse", code],
    ["数据库", chinese],
    ["库", chinese],
    ["题", chinese],
    ["讨论", chinese],
    ["python", chinese],
    ["数据库 失败", chinese],
    ["ラーメン", japanese],
    ["東京", japanese],
    ["데이터베이스", korean],
    ["시작", korean],
    ["ข้อมูล", thai],
    ["المدرسه", arabic],
    ["احمد", arabic],
    ["елка", russian],
    ["подъезд", russian],
  ] as const) {
    assert.deepEqual(at.found(query), [session], query);
  }
});

test("search supports phrases, prefixes, alternatives and exclusions", async () => {
  await using at = await scene();
  const one = await at.begin(["the disk is full on the build server"]);
  const two = await at.begin(["a full disk was the reason; the server is built"]);
  const three = await at.begin(["deployment of the gateway failed"]);
  assert.deepEqual(at.found('"disk is full"'), [one]);
  assert.deepEqual(at.found('"full disk"'), [two]);
  assert.deepEqual(at.found("“full disk”"), [two]);
  assert.deepEqual(new Set(at.found("disk full")), new Set([one, two]));
  assert.deepEqual(at.found("disk -reason"), [one]);
  assert.deepEqual(at.found("disk NOT reason"), [one]);
  assert.deepEqual(at.found('disk -"is full"'), [two]);
  assert.deepEqual(new Set(at.found("gateway OR reason")), new Set([two, three]));
  assert.deepEqual(at.found("deplo*"), [three]);
  assert.deepEqual(at.found("gate* fail*"), [three]);
  assert.deepEqual(at.found('"nothing of this"'), []);
});

test("search finds the intended text for a typo, another form of a word, and a whole question", async () => {
  await using at = await scene();
  const session = await at.begin(["The kubernetes deployment needs a persistent volume"]);
  await at.begin(["what is the weather like"]);
  for (const query of ["kubernets", "kuebrnetes", "ubernetes", "deploymnet", "deployments", "persistant volumes"]) {
    assert.deepEqual(at.found(query), [session], query);
  }
  assert.match(at.search("kubernets").note ?? "", /"kubernets".*"kubernetes"/u);
  assert.deepEqual(at.found("what did we say about the kubernetes thing?").at(0), session);
  assert.deepEqual(at.found("kubernetes zzzzqqq").at(0), session);
});

test("search never finds sessions of other users and deleted sessions", async () => {
  await using at = await scene();
  const own = await at.begin(["the canary sings", messageBody("yes", "assistant")], { title: "canary" });
  const others = await at.begin(["the canary of bob"], { principal: bob, title: "bob's canary" });
  assert.deepEqual(at.found("canary"), [own]);
  assert.deepEqual(at.found("canary", bob), [others]);
  assert.deepEqual(at.found("canary", { id: "local:eve" }), []);
  assert.ok((await at.store.mark(own, { deleted: true }, anna)).ok);
  assert.deepEqual(at.found("canary"), []);
  assert.ok((await at.store.mark(own, { deleted: false }, anna)).ok);
  assert.deepEqual(at.found("canary"), [own]);
});

test("erased text is removed from the search file, even if its row id is reused", async () => {
  await using at = await scene();
  await at.begin(["something else"]);
  const first = await at.begin(["a secret pineapple"], { title: "pineapple" });
  assert.deepEqual(at.found("pineapple"), [first]);
  await at.store.erase([first], anna);
  assert.deepEqual(at.found("pineapple"), []);
  const second = await at.begin(["a fresh start"]);
  assert.deepEqual(at.found("pineapple"), []);
  assert.deepEqual(at.found("fresh"), [second]);
  while (at.index.tidyStep());
  assert.equal(at.bytes().includes("pineapple"), false);
  await at.store.erase([second], anna);
  assert.equal(at.index.forgetErased(), 1);
  assert.equal(at.index.forgetErased(), 0);
  while (at.index.tidyStep());
  assert.equal(at.bytes().includes("fresh"), false);
});

test("erasing a session that has only a title leaves no byte of the title in the search file", async () => {
  await using at = await scene();
  const titled = await at.begin([], { title: "pineapple" });
  at.search("anything");
  assert.ok(at.bytes().includes("pineapple"));
  await at.store.erase([titled], anna);
  assert.equal(at.index.forgetErased(), 1);
  while (at.index.tidyStep());
  assert.equal(at.bytes().includes("pineapple"), false);
});

test("spelling corrections never reveal words of other principals and prefer the user's own words", async () => {
  await using at = await scene();
  await at.begin(["barkers barkerz barkery barkert", "barkers barkerz barkery barkert barkerq"], { principal: bob });
  for (let times = 0; times < 3; times++) await at.begin(["quicksilver barkerq"], { principal: bob });
  const own = await at.begin(["the barker sleeps"]);
  assert.deepEqual(at.search("quicksilvr"), { hits: [], bounded: false, behind: 0 });
  assert.deepEqual(at.found("barkerq"), [own]);
});

test("search finds a text in the requested time range after thousands of texts outside of it", async () => {
  await using at = await scene();
  const many = Array.from({ length: 2_100 }, (_, n) => `lantern ${n}`);
  const middle = Date.UTC(2026, 10, 1) + 20 * day;
  const old = await at.begin(["lantern"]);
  at.later(40 * day);
  await at.begin(many);
  assert.deepEqual(at.found({ text: "lantern", until: middle }), [old]);
  at.later(40 * day);
  const fresh = await at.begin(["lantern"]);
  const since = middle + 40 * day;
  assert.deepEqual(at.found({ text: "lantern", since, sort: "oldest" }), [fresh]);
});

test("a session that repeats a word many times does not hide other sessions in the results", async () => {
  await using at = await scene();
  const others = [];
  for (let n = 0; n < 5; n++) others.push(await at.begin([`walrus ${n}`, "sleeps"]));
  const often = await at.begin(Array.from({ length: 300 }, (_, n) => `the walrus of day ${n}`));
  for (const text of ["walrus", "walr*", "walrus unheard"]) {
    assert.deepEqual(new Set(at.found({ text, limit: 10 })), new Set([often, ...others]), text);
  }
});

test("search finds a single character alone and in every pair, even among many pairs", async () => {
  await using at = await scene();
  const own = await at.begin(["我喜欢猫"]);
  const pairs = Array.from({ length: 300 }, (_, n) => `猫${String.fromCodePoint(0x4e00 + n)}`);
  await at.begin([pairs.join("。"), pairs.join("。")], { principal: bob });
  assert.deepEqual(at.found("猫"), [own]);
});

test("search respects the filters for role and time, and the sort order", async () => {
  await using at = await scene();
  const old = await at.begin(["lantern one", resultBody("lantern in the output")]);
  at.later(40 * day);
  const middle = await at.begin([messageBody("lantern two", "assistant")]);
  at.later(5 * day);
  const fresh = await at.begin(["lantern three"]);
  assert.deepEqual(at.found({ text: "lantern", sort: "newest" }), [fresh, middle, old]);
  assert.deepEqual(at.found({ text: "lantern", sort: "oldest" }), [old, middle, fresh]);
  assert.deepEqual(at.found({ text: "lantern", roles: ["tool"] }), [old]);
  assert.deepEqual(at.found({ text: "lantern", roles: ["assistant"] }), [middle]);
  assert.deepEqual(at.found({ text: "lantern", roles: [] }), []);
  const start = Date.UTC(2026, 10, 1);
  assert.deepEqual(at.found({ text: "lantern", since: start + 44 * day }), [fresh]);
  assert.deepEqual(at.found({ text: "lantern", until: start + day }), [old]);
  assert.deepEqual(at.found({ text: "lantern", since: start + 2 * day, until: start + 42 * day }), [middle]);
  assert.deepEqual(at.found({ text: "lantern", since: start + 2 * day, until: start + day }), []);
});

test("a session and its children are one search hit; in the searching session only compacted entries are found", async () => {
  await using at = await scene();
  const parent = await at.begin(["walrus first", "walrus second"]);
  const child = await at.begin(["walrus third"], { parent });
  const [hit, more] = at.search("walrus").hits;
  assert.equal(more, undefined);
  assert.equal(hit?.more, 2);
  assert.deepEqual(at.found({ text: "walrus", without: [parent] }), []);
  assert.deepEqual(at.found({ text: "walrus", current: { sessionId: parent } }), []);
  const [first] = await at.store.path(parent);
  assert.ok(first);
  const current = { sessionId: parent, through: first.id };
  const [compacted] = at.search({ text: "walrus", limit: 3, current }).hits;
  assert.equal(compacted?.entry, first.id);
  assert.equal(compacted.more, 0);
  assert.ok(child);
});

test("search finds a single mention among many repetitions by others, tools, subagents or the searching session", async () => {
  await using at = await scene();
  const once = await at.begin(["the walrus sleeps", messageBody("let it sleep", "assistant")]);
  const often = Array.from({ length: 120 }, (_, n) => `walrus ${n}`);
  const asking = await at.begin(often);
  const last = (await at.store.path(asking)).at(-1);
  await at.begin(often, { principal: bob });
  await at.begin(often, { source: "subagent" });
  await at.begin(often.map(resultBody), { title: "outputs" });
  for (const text of ["walrus", '"walrus"', "walr*", "walrus sleeps"]) {
    assert.deepEqual(at.found({ text, limit: 3, current: { sessionId: asking } }), [once], text);
    assert.deepEqual(at.found({ text, limit: 3, without: [asking] }), [once], text);
  }
  const current = { sessionId: asking, ...(last && { through: last.id }) };
  assert.deepEqual(new Set(at.found({ text: "walrus", current, sort: "oldest" })), new Set([once, asking]));
});

test("a search hit names the untrusted sources that its session had read", async () => {
  await using at = await scene();
  const page = { kind: "web" as const, name: "https://example.org/page" };
  await at.begin(["a walrus", { type: "state", name: "todos", value: [] }]);
  await at.begin(["another walrus", { type: "state", name: "taint", value: [page] }]);
  const { hits } = at.search("walrus");
  assert.deepEqual(
    hits.map(({ strangers }) => strangers),
    [undefined, [page]],
  );
});

test("a title match ranks first and is marked; a new title replaces the old one", async () => {
  await using at = await scene();
  await at.begin(["we talked about zebras and zebras and zebras"]);
  const titled = await at.begin(["hello"], { title: "Zebras at night" });
  const [first] = at.search("zebras").hits;
  assert.deepEqual([first?.sessionId, first?.isTitle, first?.snippet], [titled, true, ">>>Zebras<<< at night"]);
  const lease = await at.store.lease(titled, "test");
  assert.ok(lease.ok);
  await at.store.append(titled, [{ type: "titled", title: "Horses", by: "user" }]);
  await lease.value[Symbol.asyncDispose]();
  assert.equal(at.search("horses").hits.at(0)?.sessionId, titled);
  assert.ok(!at.found("zebras").includes(titled));
});

test("a snippet shows the words in context", async () => {
  await using at = await scene();
  await at.begin([`${"filler words here ".repeat(40)}\nthe needle   in\tthe haystack ${"and more text ".repeat(40)}`]);
  const [hit] = at.search("needle haystack").hits;
  assert.match(hit?.snippet ?? "", /^….* the >>>needle<<< in the >>>haystack<<< and more.*…$/u);
  assert.ok((hit?.snippet.length ?? 0) < 400);
});

test("any input is a valid search query", async () => {
  await using at = await scene();
  const session = await at.begin(["plain text with near and words, col umn"]);
  const hostile = [
    '"',
    '""',
    '"""',
    "'",
    "*",
    "**",
    "-",
    "--",
    "OR",
    "AND NOT",
    "a OR",
    "OR a",
    "(",
    "((((",
    ")",
    "NEAR(a b, 2)",
    "words:plain",
    "{words} : plain",
    "^plain",
    "plain + text",
    "\0",
    "plain\0text",
    "\ud800",
    "\ud800\udc00",
    "-words -text",
    '"unfinished',
    "a".repeat(10_000),
    "word ".repeat(3_000),
    "数".repeat(5_000),
    "\u{E000}x",
    "%_[]",
    "ﷺ foo ﷻ",
    "⒈⒉ ⑴⑵",
    "; DROP TABLE texts; --",
  ];
  for (const query of hostile) assert.ok(at.search(query).hits.length <= 1, JSON.stringify(query.slice(0, 20)));
  assert.deepEqual(at.found("plain + (text)"), [session]);
  assert.deepEqual(at.found("NEAR words"), [session]);
});

test("for each language, the expected search hit is among the first ten", async () => {
  const languages: readonly Language[] = ["english", "german", "russian", "chinese", "japanese", "arabic"];
  await using at = await scene();
  const corpus = createCorpus(11, languages, 4_000);
  const sessions: { readonly id: SessionId; readonly language: Language; readonly words: readonly string[] }[] = [];
  const conversations = Array.from({ length: testSize({ quick: 72, full: 120 }) }, () => corpus.conversation());
  await Promise.all(
    conversations.map(async ({ language, messages }) => {
      const id = await at.begin(
        messages.map(({ role, text }) => (role === "tool" ? resultBody(text) : messageBody(text, role))),
      );
      const request = messages.find(({ role }) => role === "user");
      sessions.push({ id, language, words: request?.words ?? [] });
    }),
  );
  for (const language of languages) {
    const all = sessions.filter((session) => session.language === language);
    const hits = all.filter(({ id, words }) => {
      // Picks three of the less common words of a text, which a user might remember.
      const rare = words.toSorted((one, two) => two.length - one.length).slice(0, 3);
      return at.found(rare.join(" ")).includes(id);
    });
    assert.ok(hits.length / all.length >= 0.95, `${language}: ${hits.length} of ${all.length}`);
  }
});
