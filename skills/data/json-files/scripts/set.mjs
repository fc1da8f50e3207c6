// Changes single values of a JSON file and keeps its form. Usage: node set.mjs FILE PATH=VALUE… (empty value: remove)
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";

const [file, ...changes] = process.argv.slice(2);
if (!file || changes.length === 0) fail("usage: node set.mjs FILE PATH=VALUE... (empty value: remove)");
const text = readFileSync(file, "utf8");
const indent = /^[[{]\r?\n([ \t]+)/.exec(text)?.[1] ?? (text.trimEnd().includes("\n") ? "  " : "");
let document;
try {
  document = JSON.parse(text.replace(/^\uFEFF/, ""));
} catch (error) {
  fail(`${file}: ${error.message}`);
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

for (const change of changes) {
  const [, path, value] = /^((?:[^="[\]]|\[[^\]]*\])+)=([\s\S]*)$/.exec(change) ?? fail(`${change} is not PATH=VALUE`);
  const keys = [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(([, index, quoted, plain]) =>
    index === undefined ? (quoted ?? plain) : Number(index),
  );
  if (keys.some((key) => key === "__proto__" || key === "constructor" || key === "prototype"))
    fail(`${path} cannot be set`);
  let holder = document;
  for (const [position, key] of keys.slice(0, -1).entries()) {
    if (holder[key] === undefined || holder[key] === null) {
      if (value === "") break;
      holder[key] = typeof keys[position + 1] === "number" ? [] : {};
    }
    holder = holder[key];
    if (typeof holder !== "object")
      fail(`${path}: ${keys.slice(0, position + 1).join(".")} is ${JSON.stringify(holder)} and has no parts`);
  }
  const last = keys.at(-1);
  const before = JSON.stringify(holder[last]);
  if (value === "") {
    if (Array.isArray(holder)) holder.splice(last, 1);
    else delete holder[last];
  } else holder[last] = parsed(value);
  console.log(`${path}: ${before ?? "nothing"} -> ${value === "" ? "nothing" : JSON.stringify(holder[last])}`);
}

function parsed(value) {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const ending = text.endsWith("\n") ? "\n" : "";
const written = JSON.stringify(document, null, indent) + ending;
const temporary = `${file}.${process.pid}.new`;
writeFileSync(temporary, text.includes("\r\n") ? written.replaceAll("\n", "\r\n") : written, {
  mode: statSync(file).mode,
});
renameSync(temporary, file);
