/**
 * An answer of 2,000 deltas on the full screen: bytes to the terminal per byte of text, and processor time compared
 * with the plain chat.
 */
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import type { ScriptedTurn } from "../test/support/wire-servers/turn.ts";
import { median, report, rounded } from "./support/measure.ts";
import { hermes, makeScene } from "./support/programs.ts";
import { processorMs, startScreenProgram } from "./support/screen-program.ts";

const quick = process.argv.includes("--quick");
const rounds = quick ? 1 : 7;
const deltas = quick ? 100 : 2_000;
/** The first round fills the compile cache. */
const warmUps = quick ? 0 : 1;
const text = Array.from({ length: deltas }, (_, index) => (index % 80 === 79 ? "words.\n\n" : "words "));
const size = text.join("").length;
const answers: Readonly<Record<string, ScriptedTurn>> = {
  short: { text: "The end." },
  // Like a model with 400 tokens per second.
  long: { text: [...text, "The end."], fault: { chunkBytes: 500, dripMs: 5 } },
};

let answer: ScriptedTurn = {};
await using server = await startModelServer({ protocol: "openai-chat", turns: () => answer, record: false });
using scene = makeScene(server.url, "auxiliary:\n  title_generation:\n    enabled: false\n");
const cpuMs = new Map<string, number[]>();
const bytes: number[] = [];

async function run(flag: string, name: string): Promise<void> {
  answer = answers[name] ?? {};
  await using program = startScreenProgram(hermes(flag), scene);
  await program.until("/help");
  await program.until("❯");
  program.type("go");
  await program.until("go");
  const from = program.raw().length;
  const before = processorMs(program.pid);
  program.type("\r");
  await program.until("The end.", from);
  const key = `${flag} ${name}`;
  cpuMs.set(key, [...(cpuMs.get(key) ?? []), processorMs(program.pid) - before]);
  if (flag === "--tui" && name === "long") bytes.push(program.raw().length - from);
}

for (let round = 0; round < warmUps + rounds; round++) {
  if (round === warmUps) {
    cpuMs.clear();
    bytes.length = 0;
  }
  for (const flag of ["--tui", "--cli"]) for (const name of Object.keys(answers)) await run(flag, name);
}
const spent = (flag: string) => median(cpuMs.get(`${flag} long`) ?? []) - median(cpuMs.get(`${flag} short`) ?? []);
const written = median(bytes);
report("tui-stream", `${deltas.toLocaleString("en")} deltas: bytes to the terminal`, {
  bytes: written,
  text: size,
  ratio: rounded(written / size, 2),
  limit: 3,
  holds: written <= 3 * size,
});
const [screenMs, plainMs] = [spent("--tui"), spent("--cli")];
report("tui-stream", `${deltas.toLocaleString("en")} deltas: extra processor time`, {
  ms: rounded(screenMs, 0),
  plainMs: rounded(plainMs, 0),
  ratio: rounded(screenMs / plainMs, 2),
  limit: 3,
  holds: screenMs <= 3 * plainMs,
});
