// Prints the shape of a JSON or JSON lines file. Usage: node shape.mjs FILE [MAX_PATHS]
import { readFileSync } from "node:fs";

const [file, max = "200"] = process.argv.slice(2);
if (!file) {
  console.error("usage: node shape.mjs FILE [MAX_PATHS]");
  process.exit(2);
}
const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");

function documents() {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const lines = text.split("\n");
    const parsed = [];
    for (const [index, line] of lines.entries()) {
      if (line.trim() === "") continue;
      try {
        parsed.push(JSON.parse(line));
      } catch (inLine) {
        // More than one valid line: this is a JSON lines file, and this line is damaged.
        if (parsed.length > 0) fail(`line ${index + 1}: ${inLine.message}`);
        const offset = /position (\d+)/.exec(error.message)?.[1];
        const before = text.slice(0, Number(offset ?? 0)).split("\n");
        const place = offset === undefined ? "" : `line ${before.length}, column ${before.at(-1).length + 1}: `;
        fail(`${place}${error.message.replace(/\s+/g, " ")}`);
      }
    }
    return parsed;
  }
}

function fail(message) {
  console.error(`${file} is not JSON: ${message}`);
  process.exit(1);
}

/** path → count, types, an example, and the number of objects that could have had it. */
const paths = new Map();
function note(path, value) {
  const type = value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
  const entry = paths.get(path) ?? { count: 0, types: new Map(), example: undefined, longest: 0 };
  entry.count += 1;
  entry.types.set(type, (entry.types.get(type) ?? 0) + 1);
  if (type === "list") entry.longest = Math.max(entry.longest, value.length);
  if (entry.example === undefined && (type === "string" || type === "number" || type === "boolean"))
    entry.example = JSON.stringify(value).slice(0, 60);
  paths.set(path, entry);
  if (type === "list") for (const each of value) note(`${path}[]`, each);
  if (type === "object")
    for (const [key, each] of Object.entries(value))
      note(`${path}${/^[\w$-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`}`, each);
}

const all = documents();
for (const each of all) note("$", each);
console.log(
  `${file}: ${text.length} characters, ${all.length === 1 ? "1 document" : `${all.length} documents`}, ${paths.size} paths`,
);
for (const [path, { count, types, example, longest }] of [...paths].slice(0, Number(max))) {
  const parent = paths.get(path.replace(/(?:\.[\w$-]+|\["(?:[^"\\]|\\.)*"\]|\[\])$/, ""));
  const objects = path.endsWith("[]") ? count : (parent?.types.get("object") ?? count);
  const missing = objects > count ? `, missing in ${objects - count}` : "";
  const kinds = [...types].map(([type, number]) => (types.size > 1 ? `${type} ${number}` : type)).join(", ");
  console.log(
    `${path}  ${kinds} ×${count}${missing}${longest > 0 ? `, longest ${longest}` : ""}${example === undefined ? "" : `, e.g. ${example}`}`,
  );
}
if (paths.size > Number(max))
  console.log(`… ${paths.size - Number(max)} more paths: node shape.mjs FILE ${paths.size}`);
