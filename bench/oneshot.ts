/** One prompt and its answer, from the start of the program to its exit, compared with a minimal Node script. */
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";
import { floor, hermes, launcher, makeScene, peakMemory, run, type Ran } from "./support/programs.ts";

const rounds = process.argv.includes("--quick") ? 1 : 31;
await using server = await startModelServer({
  protocol: "openai-chat",
  turns: () => ({ text: "Hello." }),
  record: false,
});
using scene = makeScene(server.url);
const commands = {
  floor: floor(server.url, "say hello"),
  bundle: hermes("-z", "say hello"),
  launcher: launcher("-z", "say hello"),
};
type Name = keyof typeof commands;
const names = Object.keys(commands) as Name[];

const ran: Record<Name, Ran[]> = { floor: [], bundle: [], launcher: [] };
const runOf = (name: Name) => async () => void ran[name].push(await run(commands[name], scene));
const contenders = { floor: runOf("floor"), bundle: runOf("bundle"), launcher: runOf("launcher") };
if (rounds > 1) await interleaved(contenders, 2); // fills the compile cache
for (const name of names) ran[name] = [];
await interleaved(contenders, rounds);
for (const name of ["bundle", "launcher"] as const) {
  for (const [what, of] of [
    ["wall", ({ wallMs }: Ran) => wallMs],
    ["processor", ({ cpuMs }: Ran) => cpuMs],
  ] as const) {
    const [floorMedian, ours] = [median(ran.floor.map(of)), median(ran[name].map(of))];
    report("oneshot", `${what} time, ${name}`, {
      ms: rounded(ours, 0),
      floorMs: rounded(floorMedian, 0),
      ratio: rounded(ours / floorMedian, 2),
      limit: 2,
      holds: ours / floorMedian <= 2,
    });
  }
}

const peaks = { floor: [] as number[], bundle: [] as number[] };
await interleaved(
  {
    floor: async () => void peaks.floor.push(await peakMemory(commands.floor, scene)),
    bundle: async () => void peaks.bundle.push(await peakMemory(commands.bundle, scene)),
  },
  Math.ceil(rounds / 3),
);
const [floorPeak, ours] = [median(peaks.floor), median(peaks.bundle)];
report("oneshot", "peak memory", {
  mb: rounded(ours / 1e6, 1),
  floorMb: rounded(floorPeak / 1e6, 1),
  ratio: rounded(ours / floorPeak, 2),
  limit: 1.5,
  holds: ours / floorPeak <= 1.5,
});
