/** Extra processor time for a long answer compared with a short one, for the whole program and for a bare script. */
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import type { ScriptedTurn } from "../test/support/wire-servers/turn.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";
import { floor, hermes, makeScene, run } from "./support/programs.ts";

const rounds = process.argv.includes("--quick") ? 1 : 21;
const words = (count: number, word: string) => Array.from({ length: count }, () => word);
const answers: Readonly<Record<string, ScriptedTurn>> = {
  short: { text: "Hello." },
  // Each small chunk is a separate packet, as from a reasoning model.
  "2,000 deltas": { text: words(2_000, "word "), fault: { chunkBytes: 200 } },
  "a 200 KB answer": { text: words(10_000, "a short answer ") },
};

let answer: ScriptedTurn = {};
await using server = await startModelServer({ protocol: "openai-chat", turns: () => answer, record: false });
using scene = makeScene(server.url);
const programs = { floor: floor(server.url, "go"), ours: hermes("-z", "go") };
const cpuMs = new Map<string, number[]>();
const runs = Object.entries(answers).flatMap(([name, turn]) =>
  Object.entries(programs).map(([program, command]) => {
    const times: number[] = [];
    cpuMs.set(`${program} ${name}`, times);
    const length = [turn.text].flat().join("").trimEnd().length;
    return [
      `${program} ${name}`,
      async () => {
        answer = turn;
        const ran = await run(command, scene);
        if (ran.output.trimEnd().length !== length) throw new Error(`${program}: ${ran.output.length} of ${length}`);
        times.push(ran.cpuMs);
      },
    ] as const;
  }),
);
if (rounds > 1) await interleaved(Object.fromEntries(runs), 1); // fills the compile cache
for (const times of cpuMs.values()) times.length = 0;
await interleaved(Object.fromEntries(runs), rounds);

const spent = (program: string, name: string) => median(cpuMs.get(`${program} ${name}`) ?? []);
for (const name of Object.keys(answers).slice(1)) {
  const [floorMs, ours] = ["floor", "ours"].map((program) => spent(program, name) - spent(program, "short"));
  if (floorMs === undefined || ours === undefined) continue;
  report("stream", `${name}: extra processor time`, {
    ms: rounded(ours, 0),
    floorMs: rounded(floorMs, 0),
    ratio: rounded(ours / floorMs, 2),
    limit: 1.5,
    holds: ours <= floorMs * 1.5,
  });
}
