// Compares two JSON files by content. Usage: node compare.mjs OLD NEW
import { readFileSync } from "node:fs";

const [before, after] = process.argv.slice(2);
if (!after) {
  console.error("usage: node compare.mjs OLD NEW");
  process.exit(2);
}
const changes = [];
const show = (value) => (JSON.stringify(value) ?? "nothing").slice(0, 120);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The field that names the objects of both lists, if there is one. */
function idOf(...lists) {
  return ["id", "key", "name"].find((field) =>
    lists.every(
      (list) =>
        list.length > 0 &&
        list.every((each) => isObject(each) && each[field] !== undefined) &&
        new Set(list.map((each) => each[field])).size === list.length,
    ),
  );
}

function compare(path, a, b) {
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const below = key.startsWith("[") ? `${path}${key}` : `${path}.${key}`;
      if (!Object.hasOwn(b, key)) changes.push(`- ${below}: ${show(a[key])}`);
      else if (!Object.hasOwn(a, key)) changes.push(`+ ${below}: ${show(b[key])}`);
      else compare(below, a[key], b[key]);
    }
  } else if (Array.isArray(a) && Array.isArray(b)) {
    const field = idOf(a, b);
    const named = (list) =>
      Object.fromEntries(
        list.map((each, index) => [field === undefined ? `[${index}]` : `[${field}=${each[field]}]`, each]),
      );
    compare(path, named(a), named(b));
  } else if (!Object.is(a, b)) changes.push(`~ ${path}: ${show(a)} -> ${show(b)}`);
}

const read = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    console.error(`${file}: ${error.message}`);
    process.exit(2);
  }
};
compare("$", read(before), read(after));
for (const change of changes.slice(0, 500)) console.log(change);
if (changes.length > 500) console.log(`… ${changes.length - 500} more`);
console.log(`${changes.length} differences`);
process.exitCode = changes.length > 0 ? 1 : 0;
