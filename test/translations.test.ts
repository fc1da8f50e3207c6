import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { builtinSkins } from "../src/config/skins/builtin-skins.ts";
import { forPeople } from "../src/hosts/cli/chat/feed/for-people.ts";
import { chineseQuestions } from "../src/hosts/cli/screen/texts/chinese-questions.ts";
import { chineseReasons } from "../src/hosts/cli/screen/texts/chinese-reasons.ts";
import { chinese } from "../src/hosts/cli/screen/texts/chinese.ts";
import { english } from "../src/hosts/cli/screen/texts/english.ts";
import { failureText, reasonText } from "../src/hosts/cli/screen/texts/reason-text.ts";
import { createTranslator, translateReply } from "../src/hosts/cli/screen/texts/translate-reply.ts";
import { rules } from "../src/safety/command/rules.ts";
import { denialText } from "../src/safety/policy/approvals/denial-text.ts";

const root = join(import.meta.dirname, "..");
const inChinese = createTranslator(chinese.replies);
const isChinese = (text: string) => /\p{Script=Han}/u.test(text);

test("every reply that a slash command writes as one text has a Chinese translation", () => {
  const missing = sourcesIn(join(root, "src", "commands")).flatMap((path) =>
    replyLines(readFileSync(path, "utf8"))
      .filter((line) => hasWords(line) && !isChinese(inChinese(line)))
      .map((line) => `${path.slice(root.length + 1)}: ${line}`),
  );
  assert.deepEqual(missing, []);
});

test("every fault of an operation that the screen can show has a Chinese translation", () => {
  const missing = ["agents", "code", "knowledge", "models", "plugins", "references", "safety", "sessions", "tools"]
    .flatMap((theme) => sourcesIn(join(root, "src", "operations", theme)))
    .flatMap((path) =>
      replyLines(readFileSync(path, "utf8"), /\berr\(\{ message/)
        .filter((line) => hasWords(line) && !isChinese(inChinese(line)))
        .map((line) => `${path.slice(root.length + 1)}: ${line}`),
    );
  assert.deepEqual(missing, []);
});

test("every notice of a goal, a loop, a plan and a turn has a Chinese translation", () => {
  const missing = ["goals", "kernel", "sessions"]
    .flatMap((folder) => sourcesIn(join(root, "src", folder)))
    .flatMap((path) =>
      replyLines(
        readFileSync(path, "utf8").replaceAll(/\bnotice\(\s*"(?:info|warn|error)",\s*/gu, "notice: "),
        /\bnotice/,
      )
        .filter((line) => hasWords(line) && !isChinese(inChinese(line)))
        .map((line) => `${path.slice(root.length + 1)}: ${line}`),
    );
  assert.deepEqual(missing, []);
});

test("every end of a turn, fault of a connection, next attempt and reference has a Chinese translation", () => {
  const missing = (
    [
      ["src/kernel/loop/answer", /\b(?:why|message)(?: =|:)/],
      ["src/base/http", /\b(?:message:|=>|return)/],
      ["src/providers/client", /\bhow(?: =|:)/],
      ["src/operations/references", /\b(?:err\(|refused:|push\()/],
      ["src/hosts/cli/chat", /\b(?:parts\.note\(|ports\.tell\(paint\.dim\()/],
    ] as const
  ).flatMap(([folder, key]) =>
    sourcesIn(join(root, folder)).flatMap((path) =>
      literalLines(readFileSync(path, "utf8"), new RegExp(`${key.source} ?`))
        .filter((line) => / \p{L}+ /u.test(line) && !isChinese(inChinese(line.trim())))
        .map((line) => `${path.slice(root.length + 1)}: ${line}`),
    ),
  );
  assert.deepEqual(missing, []);
});

test("figures, attached files and coloured words of a line are translated, and other lists stay", () => {
  const translated = inChinese;
  assert.equal(
    translated("3 s · 1 call · 45 tokens · $0.00 · 2 % context"),
    "3 s · 1 次调用 · 45 token · $0.00 · 上下文 2 %",
  );
  assert.equal(
    translated("  ├ 1 ✓ agent read the notes  3 s · 2 calls · 30 tokens"),
    "  ├ 1 ✓ agent read the notes  3 s · 2 次调用 · 30 token",
  );
  assert.equal(translated("… 12 lines before"), "… 前面还有 12 行");
  assert.equal(translated("  used   about 19 of 128k tokens (0 %)"), "  已用   约 19 / 128k token（0 %）");
  assert.equal(translated("\u{1b}[33mwarning:\u{1b}[39m x"), "\u{1b}[33m警告：\u{1b}[39m x");
  assert.equal(translated("  ares  Clear blue on a light terminal ← here"), "  ares  浅色终端上明亮的蓝色 ← 当前");
  for (const { description } of builtinSkins) assert.ok(isChinese(translated(`x  ${description}`)), description);
  assert.equal(translated("read the files, none, and stop"), "read the files, none, and stop");
});

test("the report of /insights is Chinese on a Chinese screen", () => {
  const text = "3 sessions in the last 30 days (cli 3)\n$0.12; longest session 2 min\n\nModels\n  m  10 tokens, $0.12";
  assert.equal(
    inChinese(text),
    "最近 30 天：3 个会话（cli 3）\n$0.12；最长的会话 2 min\n\n模型\n  m  10 个 token，$0.12",
  );
});

test("the end of a chat is Chinese on a Chinese screen", () => {
  for (const line of [
    "2 queued prompts not sent, kept for the next time:",
    "1 background process stopped:",
    '3 messages saved as "Plan", 2 min here.',
    "1 message saved, 4 s here.",
    "Resume: hermes -r 20260101_000000_ab",
    "Session s1 was deleted. Restore it within a day: hermes sessions undelete s1",
    "This session is in use by cli (process 1): read-only here. Close it there and type /resume s1 here, or type /new.",
  ])
    assert.ok(isChinese(inChinese(line)), line);
});

test("every Chinese reply translates a text of the program, and keeps its values and commands", () => {
  const sources = [
    "commands",
    "hosts/cli/chat",
    "contracts",
    "base/text",
    "operations",
    "sessions",
    "runtime",
    "store",
    "goals",
    "kernel",
    "safety/policy",
    "base/http",
    "providers/client",
    "providers/wire",
    "config",
  ]
    .flatMap((folder) => sourcesIn(join(root, "src", folder)))
    .map((path) => readFileSync(path, "utf8").replaceAll('\\"', '"').replaceAll("\\`", "`"))
    .join("\n");
  for (const [template, translation] of Object.entries(chinese.replies)) {
    for (const fixed of template.split("{}"))
      for (const word of fixed.match(/[\p{L}_-]+/gu) ?? [])
        assert.ok(sources.includes(word) || sources.includes(word.replace(/s$/u, "")), `${template}: ${word}`);
    const values = template.split("{}").length - 1;
    const used = new Set([...translation.matchAll(/\{(\d)\}/gu)].map(([, number]) => Number(number)));
    assert.deepEqual(
      [...used].toSorted((one, other) => one - other),
      Array.from({ length: values }, (_, index) => index + 1),
      template,
    );
    const commands = (text: string) => (text.match(/(?<![\p{L}\w/])\/[a-z]+(?= |$|\b)/gu) ?? []).toSorted();
    assert.deepEqual(commands(translation), commands(template), template);
  }
});

test("tables keep their columns, values are translated, and unknown sentences stay", () => {
  const translated = inChinese;
  assert.equal(translated("  session  ses_1\n  turn     none"), "  会话     ses_1\n  轮次     没有");
  assert.equal(translated("Removed 2 prompts from the queue."), "已从队列中移除 2 个提示。");
  assert.equal(translated("Nothing was cleared. The session continues."), "没有清除任何内容。会话继续。");
  assert.equal(translated('/footer: "x" is not one of on, off.'), "/footer：“x”不在其中：on, off。");
  assert.equal(translated("/tmp/x: no such file"), "/tmp/x: no such file");
  assert.equal(translated("something of a plugin"), "something of a plugin");
  assert.equal(translated("/queue <prompt> | list | edit N [text]"), "/queue <提示> | list | edit N [文字]");
  assert.equal(translateReply("Nothing was sent.", {}), "Nothing was sent.");
});

test("every rule about commands has a Chinese reason", () => {
  const sentences = Object.values(rules).map(({ sentence }) => sentence);
  assert.deepEqual(Object.keys(chineseReasons).toSorted(), sentences.toSorted());
  for (const reason of Object.values(chinese.reasons)) assert.ok(isChinese(reason), reason);
});

test("every question without a sandbox has a Chinese reason", () => {
  const folder = join(root, "src", "safety", "policy");
  const missing = ["without-sandbox", "fetched-code", "open-doors"].flatMap((name) =>
    literalLines(
      readFileSync(join(folder, "commands", `${name}.ts`), "utf8"),
      /\b(?:return |add(?:Once)?\("[a-z_]+", (?:[^"`]+, )?)/,
    ).filter((line) => / \p{L}+ /u.test(line) && !isChinese(reasonText(line, chinese.reasons))),
  );
  assert.deepEqual(missing, []);
  assert.equal(
    reasonText(
      'runs an image of others, and no sandbox limits it (one approval of "image a/b" is enough for this session): docker run a/b',
      chinese.reasons,
    ),
    "运行他人的镜像，而且没有沙箱限制它（本会话中批准一次“image a/b”就够了）：docker run a/b",
  );
  const sources = sourcesIn(folder).map((path) => readFileSync(path, "utf8"));
  for (const template of Object.keys(chineseQuestions))
    for (const fixed of template.split("{}"))
      assert.ok(
        sources.some((source) => source.includes(fixed)),
        template,
      );
});

test("the reason below a denied call is Chinese, except the command and the words of the user", () => {
  const halt = "shuts down or restarts the machine: halt";
  const request = { tool: "terminal", origin: "model" } as const;
  const shown = (text: string) => failureText(forPeople(text), chinese);
  assert.equal(
    shown(denialText("person", ["deletes a file or a whole folder: rm -rf a; ls. x"], request, { said: "no" })),
    "已拒绝：删除一个文件或整个文件夹：rm -rf a；ls. x。你的理由：no。你拒绝了。",
  );
  for (const cause of ["hardline", "rule", "readonly", "refused", "interrupted", "stopped"] as const)
    assert.match(shown(denialText(cause, [halt], request)), /^已拒绝：关闭或重启机器：halt。(?!.*[a-z]{4} [a-z])/u);
  assert.equal(failureText("You declined to answer.", chinese), "你没有回答这个问题。");
  assert.equal(failureText("denied: x. You denied it.", english), "denied: x. You denied it.");
});

function sourcesIn(folder: string): readonly string[] {
  return globSync("**/*.ts", { cwd: folder })
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => join(folder, file));
}

/** The lines of texts after `text:` or another key, with `x` for every value. */
function replyLines(source: string, key = /\btext/): readonly string[] {
  return literalLines(source, new RegExp(`${key.source}: `));
}

/** The lines of texts directly after a key, with `x` for every value. */
function literalLines(source: string, key: RegExp): readonly string[] {
  const literal = /"(?:[^"\\]|\\.)*"|`(?:[^`\\$]|\\.|\$\{[^{}`]*\})*`/;
  return [...source.matchAll(new RegExp(`${key.source}(?<literal>${literal.source})`, "gu"))].flatMap(({ groups }) =>
    (groups?.["literal"] ?? "")
      .slice(1, -1)
      .replaceAll(/\$\{[^{}`]*\}/gu, "x")
      .replaceAll("\\n", "\n")
      .replaceAll(/\\(["`])/gu, "$1")
      // A value before a sentence is a sentence.
      .replaceAll(/^x (?=[A-Z])/gmu, "X. ")
      .split("\n"),
  );
}

/** Names, commands and values need no translation. */
function hasWords(line: string): boolean {
  const words = line.replaceAll(/\/[a-z]\S*/gu, "").match(/\p{L}{3,}/gu) ?? [];
  return words.length > 0 && !/^(?:hermes|\/[a-z]+ [a-z]+) x$/u.test(line);
}
