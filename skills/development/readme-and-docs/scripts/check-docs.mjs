// Checks links, scripts and paths in the Markdown files of a folder. Reads only. Usage: node check-docs.mjs [FOLDER]
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(process.argv[2] ?? ".");
const skipped = new Set(["node_modules", ".git", "vendor", "dist", "build", ".venv"]);
const findings = [];

function pages(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : pages(path);
    return /\.(?:md|markdown)$/i.test(entry.name) ? [path] : [];
  });
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Anchors of headings as GitHub generates them, and explicit ones. */
function anchors(text) {
  const names = new Set();
  const counts = new Map();
  for (const line of withoutCode(text).split("\n")) {
    for (const [, id] of line.matchAll(/\b(?:id|name)="([^"]+)"/g)) names.add(id.toLowerCase());
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
    const slug = words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    names.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return names;
}

/** Replaces fenced blocks with empty lines, so that line numbers stay correct. */
function withoutCode(text) {
  return text.replace(/^([ \t]*)(`{3,}|~{3,})[\s\S]*?^\1\2[ \t]*$/gm, (block) => block.replace(/[^\n]/g, ""));
}

function lineOf(text, index) {
  return text.slice(0, index).split("\n").length;
}

function checkLinks(page, text) {
  const prose = withoutCode(text);
  const links = [
    ...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...prose.matchAll(/^\[[^\]]+\]:\s*<?(\S+?)>?\s*$/gm),
  ];
  for (const { 1: target, index } of links) {
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) continue;
    const [path, anchor] = target.split("#");
    const file = path === "" ? page : path.startsWith("/") ? join(root, path) : resolve(dirname(page), decode(path));
    const place = `${relative(root, page)}:${lineOf(prose, index)}`;
    if (!existsSync(file)) findings.push(`${place}: no such file: ${target}`);
    else if (anchor && statSync(file).isFile() && /\.(?:md|markdown)$/i.test(file)) {
      if (!anchors(read(file) ?? "").has(decode(anchor).toLowerCase()))
        findings.push(`${place}: no such heading: ${target}`);
    }
  }
}

function decode(text) {
  try {
    return decodeURIComponent(text.split("?")[0]);
  } catch {
    return text;
  }
}

const manifest = read(join(root, "package.json"));
const scripts = manifest === undefined ? undefined : new Set(Object.keys(JSON.parse(manifest).scripts ?? {}));
const makefile = read(join(root, "Makefile"));
const targets =
  makefile === undefined ? undefined : new Set([...makefile.matchAll(/^([\w.-]+)\s*:(?!=)/gm)].map(([, name]) => name));

function checkCommands(page, text) {
  const place = (index) => `${relative(root, page)}:${lineOf(text, index)}`;
  for (const { 1: name, index } of text.matchAll(/\bnpm run (?:-s |--silent )?([\w:.-]+)/g))
    if (scripts && !scripts.has(name.replace(/[.:]+$/, "")))
      findings.push(`${place(index)}: package.json has no script ${name}`);
  for (const { 1: name, index } of text.matchAll(/(?:^|`)make ([a-z][\w-]*)/gm))
    if (targets && !targets.has(name)) findings.push(`${place(index)}: the Makefile has no target ${name}`);
  for (const { 1: path, index } of text.matchAll(/`((?:\.\/)?(?:[\w-]+\/)+[\w.-]+\.[a-z]{1,5})`/g)) {
    const top = path.replace(/^\.\//, "").split("/")[0];
    // Only paths inside this project: their first folder exists.
    if (!existsSync(join(root, top)) || existsSync(join(root, path)) || existsSync(resolve(dirname(page), path)))
      continue;
    findings.push(`${place(index)}: no such path: ${path}`);
  }
}

const all = pages(root);
for (const page of all) {
  const text = read(page) ?? "";
  checkLinks(page, text);
  checkCommands(page, text);
}
for (const finding of findings) console.log(finding);
console.log(`${findings.length} findings in ${all.length} pages`);
process.exitCode = findings.length > 0 ? 1 : 0;
