// The functions that take most time in .cpuprofile files. Usage: node top-functions.mjs FILE|FOLDER [COUNT]
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const [at = ".", most = "15"] = process.argv.slice(2);
const files = statSync(at).isDirectory()
  ? readdirSync(at)
      .filter((name) => name.endsWith(".cpuprofile"))
      .map((name) => join(at, name))
  : [at];
if (files.length === 0) {
  console.error(`no .cpuprofile in ${at}`);
  process.exit(1);
}
const self = new Map();
let total = 0;
for (const file of files) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8"));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const [index, id] of samples.entries()) {
    const { functionName, url, lineNumber } = byId.get(id).callFrame;
    const name = `${functionName || "(anonymous)"}  ${url.replace(/^file:\/\//, "")}${url ? `:${lineNumber + 1}` : ""}`;
    const took = Math.max(0, timeDeltas[index] ?? 0);
    self.set(name, (self.get(name) ?? 0) + took);
    total += took;
  }
}
console.log(`${(total / 1000).toFixed(0)} ms sampled in ${files.length} profile(s); self time:`);
for (const [name, micros] of [...self].toSorted((a, b) => b[1] - a[1]).slice(0, Number(most)))
  console.log(
    `${(micros / 1000).toFixed(1).padStart(9)} ms ${((100 * micros) / total).toFixed(1).padStart(5)} %  ${name}`,
  );
