import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import { answers } from "./answers.ts";
import { type Intent, intent, type IntentMatch, type SentenceParts } from "./intent.ts";
import { listIn } from "./report.ts";
import type { CallStep, CallOutcome, Step } from "./step.ts";

/** Questions that can be answered by one harmless command. */
const questions: readonly (readonly [pattern: string, command: string])[] = [
  ["what(?:'s| is) the (?:time|date)|what time is it|what day is (?:it|today)", "date"],
  ["where am i|what(?:'s| is) the current (?:folder|directory)", "pwd"],
  ["how (?:large|big) is this (?:folder|project)", "du -sh ."],
  ["how many files are (?:there|here|in this folder)", "find . -type f | wc -l"],
  ["what (?:has )?changed|show (?:me )?the git status", "git status --short"],
  ["show (?:me )?the (?:git )?diff", "git diff"],
  ["show (?:me )?the (?:git log|last commits)", "git log --oneline -20"],
  ["ls|(?:list|show|show me|what)(?: are)?(?: all)?(?: the| my)? files(?: are)?(?: here| in here)?", "ls -Ap"],
  ["what(?:'s| is) (?:in )?(?:here|this (?:folder|directory|project|repo))", "ls -Ap"],
];

/** A sentence that starts with one of these names is a command. */
const programs =
  "git|npm|npx|pnpm|yarn|node|python3?|pip3?|go(?= (?:build|run|test|mod|vet|version)\\b)|cargo|make(?= [\\w-]+$)|docker|kubectl|ls|cat|head|tail|grep(?= (?:-|\\S+ (?!in )))|rg|pwd|cd|echo|wc|du|df|ps|uname|whoami|env|curl|tar|chmod|mkdir|rm|mv|cp|sed|awk|bash|sh|jq|touch|sleep|find(?= [./~]\\S* -)";

const run = "(?:run|execute|start)(?: (?:this|the|the following) command| (?:this|the following)(?=:))?:?";
const read = "(?:read|show me|show|open|display|print|view|cat|look at|what is in|what's in)";
const the = "(?:the |my |a |an )?(?:new |empty |text )*";
const file = `(?:the contents? of )?${the}(?:files? )?(?:called |named )?<path>`;
const folder = `${the}(?:(?:folder|directory) (?:called |named )?<path>|<from> (?:folder|directory))`;
const remove = "(?:delete|remove|rm)";
const write = "(?:write|put|save)";
const holding = "(?:with|containing|that says|saying)(?: the)?(?: text| content| line)?:?";
const search = "(?:search for|search|look for|find|grep)";
const place = "(?: (?:in|under) (?:here|this (?:folder|project)|the (?:project|code)|(?:the )?(?:folder )?<folder>))?";
const plan = "(?:the |my |a )?(?:plan|todo list|to-do list|todos|todo|task list|tasks)";

/** The order matters: more specific rows come first. */
export const intents: readonly Intent[] = [
  ...answers.map(([pattern, text]) => intent(pattern, () => ({ text }))),
  ...questions.map(([pattern, command]) => intent(pattern, () => shellStep(command))),
  intent("(?:say|(?:answer|reply) with):? <text>", ({ text }) => ({ text, takesRest: true })),

  intent(`(?:show|list|what(?:'s| is))(?: me)?(?: on)? ${plan}|what(?:'s| is) left(?: to do)?|${plan}`, () =>
    call("todo", {}),
  ),
  intent(`(?:clear|delete|reset) ${plan}`, () => call("todo", { todos: [] })),
  intent(`(?:(?:make|create|write) )?${plan}(?: (?:with|to|for))?:? ?<items>`, ({ items }) => ({
    ...call("todo", { todos: splitItems(items).map((content, index) => todo(index + 1, content)) }),
    takesRest: true,
  })),
  intent(
    `(?:add|put)(?: the)?(?: task)?:? <items> (?:to|on) ${plan}|add (?:a |the )?(?:task|todo|item):? <text>`,
    ({ items, text }) =>
      changePlan((todos) => {
        const lastId = Math.max(0, ...todos.map(({ id }) => Number(id) || 0));
        return splitItems(items || text).map((content, index) => todo(lastId + index + 1, content));
      }),
  ),
  intent(
    "(?:mark|set) (?:(?:the )?(?:task|item|step) )?#?<item> (?:as )?(?:done|completed|finished)|(?:check|tick) off <text>",
    ({ item, text }) =>
      changePlan((todos) => {
        const words = (item || text).toLowerCase();
        const chosen = todos.filter(
          ({ id, content }) =>
            words === "all" || words === id || (!/^\d+$/u.test(words) && String(content).toLowerCase().includes(words)),
        );
        return chosen.map(({ id, content }) => todo(String(id), String(content), "completed"));
      }),
  ),

  intent("(?:remember|note)(?: that)?:? <text>", ({ text }) =>
    /^(?:this|that|it)$/iu.test(text)
      ? undefined
      : { ...call("memory", { action: "add", target: "memory", content: text }), takesRest: true },
  ),
  intent("(?:show (?:me )?(?:my|your|the) memory|what do you (?:remember|know))(?: about .+)?", () =>
    call("memory", { target: "memory" }),
  ),
  intent(
    "(?:use|call)(?: the)?(?: tool)? (?<name>[\\w.-]+)(?:,? with:? ?(?<args>\\{.*\\}))?",
    ({ name, args }, { sentence }) => {
      const parsed = parseJson(args || "{}", { maxChars: 100_000, maxDepth: 50 });
      const isTool = args !== "" || /\btool\b|_/iu.test(sentence);
      return isTool && parsed.ok && isObject(parsed.value) ? call(name, parsed.value) : undefined;
    },
  ),

  intent(`${run} <command> in (?:the )?background`, ({ command }) =>
    call("terminal", { command, background: true, notify_on_complete: true }),
  ),
  intent("(?:show (?:me )?(?:the )?background|list(?: the)?) processes|what(?:'s| is) running", () =>
    call("process", { action: "list" }),
  ),
  intent("show (?:me )?the output of (?<name>proc_\\w+)", ({ name }) =>
    call("process", { action: "poll", session_id: name }),
  ),
  intent("(?:stop|kill) (?<name>proc_\\w+)", ({ name }) => call("process", { action: "kill", session_id: name })),
  intent("\\$ ?<command>", (_, { sentence, masked }) => shellStep(masked.restore(sentence.slice(1)))),
  intent(`in(?: the folder)? <folder>,? ${run} <command>`, ({ command, folder: workdir }) =>
    shellStep(command, workdir),
  ),
  intent(`${run} <command> in(?: the folder)? <folder>`, ({ command, folder: workdir }, { isQuoted }) =>
    isQuoted("command") || isProgram.test(command) ? shellStep(command, workdir) : undefined,
  ),
  intent(`${run} <command>`, ({ command }, { sentence, isQuoted }) => {
    const isCommand = !isProse.test(command) && (isProgram.test(command) || !/^start/iu.test(sentence));
    return isQuoted("command") || isCommand ? shellStep(command) : undefined;
  }),
  intent("(?:go|change) to(?: the folder)? <folder>", ({ folder: to }) =>
    shellStep(`cd -- ${quoteForShellIfNeeded(to)}`),
  ),

  intent(
    `(?:(?:list|show|show me|what)(?: are)?(?: all)?(?: the| my)? files(?: are)? (?:in|of|under)|list|what(?:'s| is) in(?= [^.]+$))(?: the)?(?: folder)? <path>(?: folder)?`,
    ({ path }) => shellStep(`ls -Ap -- ${quoteForShellIfNeeded(path)}`),
  ),
  intent(`${read} (?:the )?first <last> lines of ${file}`, ({ last, path }) => readLines(path, 1, Number(last))),
  intent(`${read} (?:the )?lines? <first>(?: ?(?:-|to) ?<last>)? of ${file}`, ({ first, last, path }) =>
    readLines(path, Number(first), Number(last || first)),
  ),
  intent(`(?:create|make) ${folder}`, ({ path, from }) => change("mkdir -p", path || from)),
  intent(`${remove} ${folder}`, ({ path, from }) => change("rm -r", path || from)),
  intent(`${remove} the (?:word|text) <old> from ${file}`, replace),
  intent(
    `(?:replace|change)(?: all| the)*(?: word| text| occurrences of)? <old> (?:with|by|to) <new> in ${file}`,
    replace,
  ),
  intent(`${remove} ${file}`, ({ path }) => change("rm", path)),
  // The option -n prevents overwriting a file with the new name.
  intent(`copy ${the}(?:file |folder )?<from> (?:to|as|into) ${the}(?:folder )?<to>`, ({ from, to }) =>
    change("cp -R -n", from, to),
  ),
  intent(`(?:move|rename) ${the}(?:file |folder )?<from> (?:to|as|into) ${the}(?:folder )?<to>`, ({ from, to }) =>
    change("mv -n", from, to),
  ),
  intent(`(?:append|add) (?:a |the )?(?:new )?line to ${file} ${holding} <content>`, append),
  intent(`(?:append|add|${write})(?: (?:the )?(?:line|text))?:? <content> (?:to|at) the end of ${file}`, append),
  intent(`(?:append|add)(?: (?:the )?(?:line|text))?:? <content> to ${file}`, append),
  intent(`${write}(?: this| the following)? to ${file}: ?<content>`, writeFile),
  intent(`(?:create|make|write) ${file}: <content>`, writeFile),
  intent(`${write}(?: (?:the )?(?:text|words?|line))?:? <content> (?:to|in|into|as) ${file}`, writeFile),
  intent(`(?:create|make|write) ${file},? ${holding} <content>(?: in it)?`, writeFile),
  intent(`(?:create|make) ${file}`, ({ path }, { sentence }) =>
    path.includes(".") || /\bfile\b/iu.test(sentence) ? change("touch", path) : undefined,
  ),
  intent(
    `(?:${search}|list|show)(?: me)?(?: all)?(?: the)? files (?:named|called|like|ending in) <name>${place}`,
    findFiles,
  ),
  intent(`(?:${search}|list|show)(?: me)?(?: all)?(?: the)? (?<name>\\S*[.*]\\S*) files${place}`, findFiles),
  intent(`(?:find|where is)(?: the file)? (?<name>[\\w@*?-]*\\.\\w{1,8})${place}`, findFiles),
  intent(
    `(?:which|what|find) files? (?:contains?|containing|mention|with|have|has)(?: the)?(?: text| word)? <words>${place}`,
    searchText,
  ),
  intent("(?:search|look in)(?: the folder)? <folder> for <words>", searchText),
  intent(`${search}(?: all)?(?: the)?(?: text| word| occurrences of)? <words>${place}`, searchText),
  intent(`where is <words> used${place}`, searchText),
  intent(`${read} ${file}`, ({ path }) => readFile(path)),
  intent(`(?<command>(?:${programs})(?: .+)?|(?:\\.{1,2}/|~/|/[^\\s/]+/)\\S+(?: .+)?)`, (_, { sentence, masked }) =>
    shellStep(masked.restore(sentence).replace(/^[A-Z]/u, (letter) => letter.toLowerCase())),
  ),
];

export function shellStep(command: string, workdir?: string): CallStep {
  return call("terminal", { command, ...(workdir !== undefined && { workdir }) });
}

const isProgram = new RegExp(`^(?:${programs}|\\S*/\\S*)(?:\\s|$)`, "u");

/** Sentences that are not commands: "run a marathon", "run ls and save the output". */
const isProse =
  /^(?:an?|the|it|that|this|some\w*|any\w*|my|your|me|over|away|out|commands?)(?:\s|$)|\s(?:and|then) (?:save|write|put|show|tell|explain|fix|send|give)\s/iu;

function call(name: string, args: JsonObject): CallStep {
  return { call: { name, args } };
}

function change(command: string, ...paths: readonly string[]): CallStep {
  const path = paths.at(-1) ?? "";
  return { ...shellStep([command, "--", ...paths.map(quoteForShellIfNeeded)].join(" ")), path };
}

function readFile(path: string, range: JsonObject = {}): CallStep {
  const read = call("read_file", { path, ...range });
  // The tool omits a text that it has shown before; a second call returns it.
  return { ...read, second: ({ data }) => (data["dedup"] === true ? read.call : undefined), path };
}

function readLines(path: string, first: number, last: number): CallStep {
  return readFile(path, { offset: first, limit: Math.max(1, last - first + 1) });
}

function writeFile({ path, content }: SentenceParts): Step {
  return { ...call("write_file", { path, content }), path };
}

function append({ path, content }: SentenceParts, { isQuoted }: IntentMatch): Step | undefined {
  // Such a text would have to be invented: "add a comment to app.ts".
  if (!isQuoted("content") && /^(?:an?|some|more)\s/iu.test(content)) return undefined;
  const lines = content.replace(/^|\n(?!$)/gu, (end) => `${end}+`);
  const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n${lines}*** End of File\n*** End Patch`;
  const create = call("write_file", { path, content }).call;
  const second = ({ failed, denied, text }: CallOutcome) =>
    failed && !denied && isMissing.test(text) ? create : undefined;
  return { ...call("patch", { mode: "patch", patch }), second, path };
}

const isMissing = /does not exist|no such file|is not there|nothing to update/iu;

function replace({ path, old: oldText, new: newText }: SentenceParts): Step {
  const args = { mode: "replace", path, old_string: oldText, new_string: newText, replace_all: true };
  return { ...call("patch", args), path };
}

/** A text between slashes (`/…/`) is a regular expression; any other text is literal. */
function searchText({ words, folder: path }: SentenceParts, { sentence, isQuoted }: IntentMatch): Step | undefined {
  const isVague = /^(?:(?:it|that|this|\w+thing|the|an?|files?)$|(?:out|me|a way|why|how|what)\b)/iu.test(words);
  if (words.includes("\n") || (isVague && !isQuoted("words")) || isProgram.test(sentence)) return undefined;
  const expression = /^\/(.+)\/$/u.exec(words)?.[1];
  const pattern = expression ?? words.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
  return call("search_files", { pattern, ...(path !== "" && { path }) });
}

function findFiles({ name, folder: path }: SentenceParts): Step | undefined {
  const pattern = name.startsWith(".") ? `*${name}` : name;
  return /\s/u.test(name)
    ? undefined
    : call("search_files", { target: "files", pattern, ...(path !== "" && { path }) });
}

function todo(id: number | string, content: string, status = "pending"): JsonObject {
  return { id: String(id), content, status };
}

/** Reads the todo list first, because the change depends on it. */
function changePlan(change: (todos: ReturnType<typeof listIn>) => readonly JsonObject[]): CallStep {
  const second = ({ data, failed }: CallOutcome) => {
    if (failed) return undefined;
    const todos = change(listIn(data, "todos"));
    return todos.length === 0
      ? { text: "The plan has no such item.", failed: true }
      : { name: "todo", args: { todos: [...todos], merge: true } };
  };
  return { ...call("todo", {}), second, takesRest: true };
}

/** Parses one item per line. In a single line, commas, semicolons and numbers separate the items. */
function splitItems(text: string): readonly string[] {
  const separator = text.trim().includes("\n")
    ? /\n/u
    : /\s*(?:[;,](?:\s+and)?(?=\s)|\s+and(?=\s)|(?:\s|^)\d{1,2}[.)](?=\s))\s*/u;
  const items = text.split(separator).map((item) => item.trim().replace(/^(?:[-*•]|\d{1,2}[.)])\s*|[.;,]$/gu, ""));
  return items.filter((item) => item !== "");
}
