import { type JsonObject, parsedObject } from "../../src/base/json.ts";
import {
  callAll,
  fileText,
  inGroups,
  many,
  matchesOf,
  outputOf,
  readFileCall,
  scriptText,
  searchCall,
  terminalCall,
  type Workflow,
  type WorkflowCall,
} from "./workflow.ts";

const places = 40;
const limitOf = (index: number) => 5 + ((index * 17) % 60);
const client = (index: number) => `clients/c${String(index).padStart(2, "0")}.py`;
const clientText = (index: number, call: string) =>
  `import net\n\n\ndef load_${index}(url):\n    # Service ${index} answers slowly.\n    return ${call}\n`;

/** Each file needs a different value from a table, so no single command can make all changes. */
const patchForty: Workflow = {
  name: "patch in 40 places",
  task: "Give every call of net.get the timeout that limits.json has for its module.",
  files: () => ({
    "limits.json": JSON.stringify(
      Object.fromEntries(Array.from({ length: places }, (_, index) => [client(index), limitOf(index)])),
      undefined,
      1,
    ),
    ...many(places, (index) => [client(index), clientText(index, "net.get(url)")]),
  }),
  *single() {
    const [limits, matched] = yield [
      readFileCall("limits.json"),
      searchCall({ pattern: "net\\.get\\(url\\)", path: "clients", limit: 100 }),
    ];
    const table = parsedObject(fileText(limits));
    const hunks = matchesOf(matched).map(({ path }) => {
      const name = `clients/${path.split("/").at(-1)}`;
      return `*** Update File: ${name}\n@@\n-    return net.get(url)\n+    return net.get(url, timeout=${String(table[name])})`;
    });
    // One patch call changes several files, and one answer contains four of them.
    const done = yield* callAll(
      inGroups(hunks).map((group) => ({
        name: "patch",
        args: { mode: "patch", patch: `*** Begin Patch\n${group.join("\n")}\n*** End Patch` },
      })),
    );
    const changed = done.reduce((sum, { files_modified: files }) => sum + (Array.isArray(files) ? files.length : 0), 0);
    yield [searchCall({ pattern: "net\\.get\\(url\\)", path: "clients", output_mode: "count" })];
    return String(changed);
  },
  script: () => `
from hermes_tools import search_files, read_file, patch, json_parse
${scriptText}
limits = json_parse(text("limits.json"))
changed = 0
for match in search_files(pattern=r"net\\.get\\(url\\)", path="clients", limit=100)["matches"]:
    name = "clients/" + match["path"].split("/")[-1]
    done = patch(mode="replace", path=name, old_string="net.get(url)", new_string="net.get(url, timeout=%d)" % limits[name])
    changed += 1 if done.get("success") else 0
print(changed)`,
  expected: String(places),
  fault: (read) =>
    Array.from({ length: places }, (_, index) => index)
      .filter((index) => read(client(index)) !== clientText(index, `net.get(url, timeout=${limitOf(index)})`))
      .map(client)[0],
};

const required = [
  "color=red",
  "depth=4",
  "width=80",
  "height=25",
  "mode=fast",
  "lang=de",
  "cache=on",
  "retry=3",
  "user=ada",
  "port=81",
];
/** Each run reports one missing setting, like a compiler that stops at the first error. */
const checkProgram = `import sys
have = open("settings.txt").read().split()
for line in ${JSON.stringify(required)}:
    if line not in have:
        print("missing setting: " + line)
        sys.exit(1)
print("all green")
`;
const untilGreen: Workflow = {
  name: "retry until green",
  task: "Run python3 check.py and add what it asks for to settings.txt until it is green.",
  files: () => ({ "check.py": checkProgram, "settings.txt": "name=demo\n" }),
  *single() {
    let runs = 1;
    let [ran] = yield [terminalCall("python3 check.py")];
    while (!outputOf(ran).includes("green")) {
      const missing = /setting: (\S+)/u.exec(outputOf(ran))?.[1] ?? "";
      runs += 1;
      [ran] = yield [terminalCall(`echo '${missing}' >> settings.txt && python3 check.py`)];
    }
    return `green after ${runs} runs`;
  },
  script: () => `
from hermes_tools import terminal
runs, output = 1, terminal(command="python3 check.py")["output"]
while "green" not in output:
    runs += 1
    output = terminal(command="echo '%s' >> settings.txt && python3 check.py" % output.split("setting: ")[1].strip())["output"]
print("green after %d runs" % runs)`,
  expected: `green after ${required.length + 1} runs`,
  fault: (read) => (read("settings.txt") === `name=demo\n${required.join("\n")}\n` ? undefined : "settings.txt"),
};

const users = 30;
const moduleOf = (index: number) => `src/m${String(index).padStart(2, "0")}.py`;
const usesText = (index: number, name: string) =>
  `from shop import ${name}\n\n\ndef total_${index}(cart):\n    return ${name}(cart) + ${index}  # not fetch_prices\n`;

/** The word must stay unchanged in comments and in longer names. */
const renameEverywhere: Workflow = {
  name: "rename across a repository",
  task: "Rename the function fetch_price to price_of in src, but not in comments; then check that everything compiles.",
  files: () => many(users, (index) => [moduleOf(index), usesText(index, "fetch_price")]),
  *single() {
    const [matched] = yield [searchCall({ pattern: "\\bfetch_price\\b", path: "src", limit: 200 })];
    const paths = [...new Set(matchesOf(matched).map(({ path }) => path))].toSorted();
    const edits = paths.map((path): WorkflowCall => {
      const lines = matchesOf(matched).filter((match) => match.path === path);
      const hunks = lines.map(({ content }) => `@@\n-${content}\n+${content.replace(/\bfetch_price\b/u, "price_of")}`);
      return {
        name: "patch",
        args: { mode: "patch", patch: `*** Begin Patch\n*** Update File: ${path}\n${hunks.join("\n")}\n*** End Patch` },
      };
    });
    const done = yield* callAll(edits);
    const [compiled] = yield [terminalCall("python3 -m compileall -q src && echo compiled")];
    return `${done.filter((each) => each["success"] === true).length} ${outputOf(compiled).trim()}`;
  },
  script: () => `
import re
from hermes_tools import search_files, patch, terminal
edits = {}
for match in search_files(pattern=r"\\bfetch_price\\b", path="src", limit=200)["matches"]:
    line = match["content"]
    edits.setdefault(match["path"], []).append("@@\\n-%s\\n+%s" % (line, re.sub(r"\\bfetch_price\\b", "price_of", line)))
changed = 0
for path, hunks in edits.items():
    done = patch(mode="patch", patch="*** Begin Patch\\n*** Update File: %s\\n%s\\n*** End Patch" % (path, "\\n".join(hunks)))
    changed += 1 if done.get("success") else 0
print(changed, terminal(command="python3 -m compileall -q src && echo compiled")["output"].strip())`,
  expected: `${users} compiled`,
  fault: (read) =>
    Array.from({ length: users }, (_, index) => index)
      .filter((index) => read(moduleOf(index)) !== usesText(index, "price_of"))
      .map(moduleOf)[0],
};

const matrixProgram = `import sys
mode, level, flag = sys.argv[1], int(sys.argv[2]), sys.argv[3:] == ["--explain"]
bad = mode == "strict" and level in (2, 4) or mode == "loose" and level == 5
print("\\n".join("step %d of %s done" % (step, mode) for step in range(12)))
if bad:
    print("FAILED" + (" because of rule %d" % (level * 10) if flag else ""))
sys.exit(1 if bad else 0)
`;
const modes = ["strict", "loose", "fast", "safe"];
const combinations = modes.flatMap((mode) => [1, 2, 3, 4, 5].map((level) => `${mode} ${level}`));

const commandMatrix: Workflow = {
  name: "run a matrix of commands",
  task: "Run tool.py with every mode and level; run those that fail again with --explain. Which rules break?",
  files: () => ({ "tool.py": matrixProgram }),
  *single() {
    const first = yield* callAll(combinations.map((words) => terminalCall(`python3 tool.py ${words}`)));
    const failed = combinations.filter((_, index) => first[index]?.["exit_code"] !== 0);
    const why = yield* callAll(failed.map((words) => terminalCall(`python3 tool.py ${words} --explain`)));
    return failed.map((words, index) => `${words}: ${ruleOf(why[index])}`).join(", ");
  },
  script: () => `
from hermes_tools import terminal, parallel
words = ["%s %d" % (mode, level) for mode in ${JSON.stringify(modes)} for level in range(1, 6)]
first = parallel([lambda each=each: terminal(command="python3 tool.py " + each) for each in words])
failed = [each for each, ran in zip(words, first) if ran["exit_code"] != 0]
why = [terminal(command="python3 tool.py %s --explain" % each)["output"] for each in failed]
print(", ".join("%s: %s" % (each, text.split("rule ")[1].split()[0]) for each, text in zip(failed, why)))`,
  expected: "strict 2: 20, strict 4: 40, loose 5: 50",
};

function ruleOf(result: JsonObject | undefined): string {
  return /rule (\d+)/u.exec(outputOf(result))?.[1] ?? "";
}

export const changingWorkflows: readonly Workflow[] = [patchForty, untilGreen, renameEverywhere, commandMatrix];
