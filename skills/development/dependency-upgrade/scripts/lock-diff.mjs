// Lists the changes of package-lock.json since a commit. Usage: node lock-diff.mjs [COMMIT] [LOCKFILE]
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const [commit = "HEAD", file = "package-lock.json"] = process.argv.slice(2);

function packagesOf(text) {
  const found = new Map();
  for (const [path, facts] of Object.entries(JSON.parse(text).packages ?? {})) if (path !== "") found.set(path, facts);
  return found;
}

function before() {
  try {
    return packagesOf(execFileSync("git", ["show", `${commit}:./${file}`], { encoding: "utf8", maxBuffer: 1e9 }));
  } catch {
    return new Map();
  }
}

const old = before();
const now = packagesOf(readFileSync(file, "utf8"));
const nameOf = (path) => path.replace(/^.*node_modules\//, "");
const added = [...now].filter(([path]) => !old.has(path));
const removed = [...old].filter(([path]) => !now.has(path));
const changed = [...now].filter(([path, facts]) => old.has(path) && old.get(path).version !== facts.version);
const scripts = [...now].filter(([path, facts]) => facts.hasInstallScript && !old.get(path)?.hasInstallScript);
const print = (title, rows) => {
  console.log(`== ${title}: ${rows.length}`);
  for (const row of rows) console.log(`  ${row}`);
};
print(
  "changed",
  changed.map(([path, { version }]) => `${nameOf(path)} ${old.get(path).version} -> ${version}`),
);
print(
  "added",
  added.map(([path, { version }]) => `${nameOf(path)} ${version}`),
);
print(
  "removed",
  removed.map(([path, { version }]) => `${nameOf(path)} ${version}`),
);
print(
  "new install scripts",
  scripts.map(([path]) => nameOf(path)),
);
