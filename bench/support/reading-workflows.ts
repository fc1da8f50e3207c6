import { parsedObject } from "../../src/base/json.ts";
import {
  callAll,
  filesOf,
  fileText,
  many,
  matchesOf,
  outputOf,
  readFileCall,
  scriptText,
  searchCall,
  terminalCall,
  type Workflow,
} from "./workflow.ts";

const filler = (seed: number, lines: number) =>
  Array.from(
    { length: lines },
    (_, line) => `Line ${line} of note ${seed}: nothing to see here, ${(seed * 37 + line * 11) % 97}.`,
  ).join("\n");

const readThirty: Workflow = {
  name: "search and read 30 files",
  task: "Which owner has most of the notes that mention the word deprecated?",
  files: () =>
    many(60, (index) => [
      `notes/n${String(index).padStart(2, "0")}.md`,
      `Owner: ${["ada", "bob", "cy"][index % 7 === 0 ? 0 : index % 3]}\n${filler(index, 18)}\n${index % 2 === 0 ? "This one is deprecated." : "This one is current."}\n`,
    ]),
  *single() {
    const [matched] = yield [
      searchCall({ pattern: "deprecated", path: "notes", output_mode: "files_only", limit: 100 }),
    ];
    const texts = yield* callAll(filesOf(matched).map(readFileCall));
    return mostOwner(texts.map(fileText));
  },
  script: () => `
from collections import Counter
from hermes_tools import search_files, read_file
${scriptText}
paths = search_files(pattern="deprecated", path="notes", output_mode="files_only", limit=100)["files"]
owners = Counter(text(path).split("\\n")[0].split(": ")[1] for path in paths)
print("%s %d of %d" % (*owners.most_common(1)[0], len(paths)))`,
  expected: "ada 13 of 30",
};

function mostOwner(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const owner = /^Owner: (\w+)/u.exec(text)?.[1] ?? "";
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  const [name, count] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  return `${name} ${count} of ${texts.length}`;
}

const pages = 24;

/** Each page names the next one, so the pages cannot be requested in parallel. */
const paginate: Workflow = {
  name: "paginate a local site",
  task: "Follow the list of orders to its end and add up the amounts.",
  files: () => ({ "readme.txt": "Orders are on the site." }),
  *single({ site }) {
    let [sum, next] = [0, "start"];
    while (next !== "") {
      const [page] = yield [terminalCall(`curl -s '${site}/orders?after=${next}'`)];
      const { orders, after } = parsedObject(outputOf(page));
      for (const { amount } of orders as readonly { readonly amount: number }[]) sum += amount;
      next = typeof after === "string" ? after : "";
    }
    return String(sum);
  },
  script: ({ site }) => `
from hermes_tools import terminal, json_parse
total, after = 0, "start"
while after:
    page = json_parse(terminal(command="curl -s '${site}/orders?after=%s'" % after)["output"])
    total += sum(order["amount"] for order in page["orders"])
    after = page["after"]
print(total)`,
  expected: String(
    Array.from({ length: pages }, (_, page) => orderPage(page))
      .flatMap(({ orders }) => orders)
      .reduce((sum, { amount }) => sum + amount, 0),
  ),
};

function orderPage(page: number) {
  const orders = Array.from({ length: 10 }, (_, index) => ({
    order: `o-${page}-${index}`,
    customer: `Customer number ${(page * 7 + index * 3) % 40}`,
    amount: (page * 13 + index * 29) % 101,
  }));
  return { orders, after: page + 1 < pages ? `cursor${(page + 1) * 7919}` : null };
}

/** The responses of the local site. */
export function sitePage(url: string): string {
  const after = /after=(\w+)/u.exec(url)?.[1];
  if (after !== undefined) return JSON.stringify(orderPage(after === "start" ? 0 : Number(after.slice(6)) / 7919));
  const city = /city\/(\d+)/u.exec(url)?.[1];
  if (city === undefined) return "";
  const index = Number(city);
  const text = `<p>${filler(index, 12).replaceAll("\n", "</p>\n<p>")}</p>`;
  return `<html><body><h1>City ${index}</h1>\n${text}\n<dl><dt>Founded</dt><dd>${1100 + ((index * 53) % 700)}</dd></dl></body></html>`;
}

const customers = 40;
const joinTables: Workflow = {
  name: "join three CSVs",
  task: "Which country has the highest revenue? Join orders, customers and products.",
  files: () => ({
    "orders.csv": [
      "id,customer,product,count",
      ...Array.from(
        { length: 200 },
        (_, index) => `${index},${(index * 7) % customers},${(index * 5) % 15},${(index % 4) + 1}`,
      ),
    ].join("\n"),
    "customers.csv": [
      "id,name,country",
      ...Array.from(
        { length: customers },
        (_, index) => `${index},Customer ${index},${["DE", "FR", "IT", "ES"][index % 4]}`,
      ),
    ].join("\n"),
    "products.csv": [
      "id,name,price",
      ...Array.from({ length: 15 }, (_, index) => `${index},Product ${index},${10 + index * 3}`),
    ].join("\n"),
  }),
  *single() {
    // The first lines of each file show the columns, then one command joins the tables.
    yield ["orders.csv", "customers.csv", "products.csv"].map((path) => ({
      name: "read_file",
      args: { path, limit: 3 },
    }));
    const [done] = yield [terminalCall(`python3 -c '\n${joinCode("open(name)")}'`)];
    return outputOf(done).trim();
  },
  script: () => `
from hermes_tools import read_file
${scriptText}
${joinCode('text(name).split("\\n")')}`,
  expected: bestCountry(),
};

function bestCountry(): string {
  const totals = [0, 0, 0, 0];
  for (let index = 0; index < 200; index++) {
    const country = ((index * 7) % customers) % 4;
    totals[country] = (totals[country] ?? 0) + (10 + ((index * 5) % 15) * 3) * ((index % 4) + 1);
  }
  const best = Math.max(...totals);
  return `${["DE", "FR", "IT", "ES"][totals.indexOf(best)]} ${best}`;
}

/** The code has no single quotes, so that a shell can quote it. */
function joinCode(rows: string): string {
  return `import csv
def table(name):
    return list(csv.DictReader(${rows}))
customers = {row["id"]: row["country"] for row in table("customers.csv")}
prices = {row["id"]: int(row["price"]) for row in table("products.csv")}
totals = {}
for order in table("orders.csv"):
    country = customers[order["customer"]]
    totals[country] = totals.get(country, 0) + prices[order["product"]] * int(order["count"])
print("%s %d" % max(totals.items(), key=lambda item: item[1]))`;
}

const logFiles = 200;
const triage: Workflow = {
  name: "triage 200 log files",
  task: "Which error is the most frequent in the logs, in how many files, and what is the first line of one such file?",
  files: () =>
    many(logFiles, (index) => [
      `logs/host${String(index).padStart(3, "0")}.log`,
      `boot host${index}\n${filler(index, 6)}\n${index % 3 === 0 ? `ERROR code=${["E17", "E42", "E99"][index % 9 === 0 ? 1 : index % 2]} on host${index}` : "all is well"}\n`,
    ]),
  *single() {
    const errors: { readonly path: string; readonly content: string }[] = [];
    for (let offset = 0; ; offset += 50) {
      const [matched] = yield [searchCall({ pattern: "ERROR code=", path: "logs", limit: 50, offset })];
      errors.push(...matchesOf(matched));
      if (matched?.["truncated"] !== true) break;
    }
    const { code, paths } = mostFrequent(errors);
    const [first] = yield [readFileCall(paths[0] ?? "")];
    return `${code} in ${paths.length}: ${fileText(first).split("\n")[0]}`;
  },
  script: () => `
from hermes_tools import search_files, read_file
${scriptText}
matched = {}
for match in search_files(pattern="ERROR code=", path="logs", limit=500)["matches"]:
    matched.setdefault(match["content"].split("code=")[1].split()[0], []).append(match["path"])
code, paths = max(matched.items(), key=lambda item: len(item[1]))
print("%s in %d: %s" % (code, len(paths), text(sorted(paths)[0]).split("\\n")[0]))`,
  expected: "E42 in 45: boot host0",
};

function mostFrequent(errors: readonly { readonly path: string; readonly content: string }[]) {
  const byCode = Map.groupBy(errors, ({ content }) => /code=(\w+)/u.exec(content)?.[1] ?? "");
  const [code = "", matched = []] = [...byCode].toSorted((a, b) => b[1].length - a[1].length)[0] ?? [];
  return { code, paths: matched.map(({ path }) => path).toSorted() };
}

const compareTrees: Workflow = {
  name: "compare two trees",
  task: "Which JSON files of left and right differ in more than the order of their keys?",
  files: () => ({
    ...many(24, (index) => [
      `left/f${String(index).padStart(2, "0")}.json`,
      JSON.stringify({ a: index, b: [index, 2], note: filler(index, 4) }, undefined, 1),
    ]),
    ...many(24, (index) => [
      `right/f${String(index).padStart(2, "0")}.json`,
      JSON.stringify({ note: filler(index, 4), b: [index, index % 6 === 5 ? 3 : 2], a: index }, undefined, 2),
    ]),
  }),
  *single() {
    const matched = yield ["left", "right"].map((path) =>
      searchCall({ pattern: "*.json", path, target: "files", limit: 100 }),
    );
    const [left = [], right = []] = matched.map(filesOf);
    const texts = (yield* callAll([...left, ...right].map(readFileCall))).map(fileText);
    const shape = (text: string | undefined) =>
      JSON.stringify(Object.entries(parsedObject(text ?? "")).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const names = left.map((path) => path.split("/").at(-1) ?? "");
    return names.filter((_, index) => shape(texts[index]) !== shape(texts[left.length + index])).join(" ");
  },
  script: () => `
from hermes_tools import search_files, read_file, json_parse
${scriptText}
names = sorted(path.split("/")[-1] for path in search_files(pattern="*.json", path="left", target="files", limit=100)["files"])
print(" ".join(name for name in names if json_parse(text("left/" + name)) != json_parse(text("right/" + name))))`,
  expected: "f05.json f11.json f17.json f23.json",
};

const cities = 25;
const gatherFacts: Workflow = {
  name: "gather facts from 25 pages",
  task: "Which of the cities 0 to 24 of the site is the oldest?",
  files: () => ({ "readme.txt": "Pages are at /city/NUMBER." }),
  *single({ site }) {
    const calls = Array.from({ length: cities }, (_, index) => terminalCall(`curl -s ${site}/city/${index}`));
    const years = (yield* callAll(calls)).map((page) => Number(/<dd>(\d+)/u.exec(outputOf(page))?.[1]));
    const first = Math.min(...years);
    return `City ${years.indexOf(first)}, ${first}`;
  },
  script: ({ site }) => `
import re
from hermes_tools import terminal, parallel
def founded(city):
    return int(re.search(r"<dd>(\\d+)", terminal(command="curl -s ${site}/city/%d" % city)["output"]).group(1))
years = parallel([lambda city=city: founded(city) for city in range(${cities})])
print("City %d, %d" % (years.index(min(years)), min(years)))`,
  expected: `City 0, 1100`,
};

export const readingWorkflows: readonly Workflow[] = [
  readThirty,
  paginate,
  joinTables,
  triage,
  compareTrees,
  gatherFacts,
];
