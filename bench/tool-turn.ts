/**
 * Time from the end of a response with shell calls to the next request, measured at the server and compared with a
 * minimal script. In between the calls are checked, stored and run. Measured in a fresh process and in one that has run
 * calls before.
 */
import { performance } from "node:perf_hooks";

import { missingPrograms } from "../test/support/system-programs.ts";
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import type { RecordedRequest, ScriptedTurn } from "../test/support/wire-servers/turn.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";
import { floor, hermes, makeScene, run } from "./support/programs.ts";

const quick = process.argv.includes("--quick");
/** Commands per response, and the number of such responses in a turn before its answer. */
const shapes = {
  "one call": { commands: ["echo 1"], responses: 1 },
  "one call in a warm process": { commands: ["echo 1"], responses: quick ? 2 : 12 },
  "ten calls": { commands: Array.from({ length: 10 }, (_, index) => `echo ${index}`), responses: 1 },
  "ten sleep 0.2": { commands: Array.from({ length: 10 }, (_, index) => `sleep 0.2; echo ${index}`), responses: 1 },
} as const;
type Shape = keyof typeof shapes;

let shape: Shape = "one call";
let answered = 0;
let endedAt = 0;
let gaps: number[] = [];

await using server = await startModelServer({ protocol: "openai-chat", turns: next, record: false });
using scene = makeScene(server.url);
const contenders = {
  floor: floor(server.url, "go"),
  off: hermes("--set", "isolation.mode=off", "-z", "go"),
  ...(missingPrograms({ bwrap: "bubblewrap" }) === false && { on: hermes("-z", "go") }),
};

for (const name of quick ? (["one call", "ten calls"] as const) : (Object.keys(shapes) as Shape[])) {
  shape = name;
  const medians: Record<string, number[]> = {};
  const runs = Object.entries(contenders).map(
    ([contender, command]) =>
      [
        contender,
        async () => {
          [answered, gaps] = [0, []];
          await run(command, scene);
          const { responses } = shapes[shape];
          if (gaps.length !== responses)
            throw new Error(`${contender}: only ${gaps.length} of ${responses} requests arrived`);
          // The first call of a program is a separate measurement.
          (medians[contender] ??= []).push(median(responses > 1 ? gaps.slice(1) : gaps));
        },
      ] as const,
  );
  if (!quick) {
    await interleaved(Object.fromEntries(runs), 1);
    for (const key of Object.keys(medians)) medians[key] = [];
  }
  await interleaved(Object.fromEntries(runs), quick ? 1 : 15);
  tell(name, median(medians["floor"] ?? []), median(medians["off"] ?? []), median(medians["on"] ?? []));
}

function next({ json }: RecordedRequest): ScriptedTurn {
  const now = performance.now();
  const { commands, responses } = shapes[shape];
  // Requests after the answer, for a title or a review, are not part of the turn.
  if (answered > 0 && answered <= responses) gaps.push(now - endedAt);
  const isOver = answered >= responses;
  if (!isOver && !Array.isArray(json["messages"])) throw new Error("a request without messages");
  answered += 1;
  endedAt = performance.now();
  // All calls differ, because guardrails stop repeated calls.
  const calls = commands.map((command) => ({ name: "terminal", args: { command: `${command} # ${answered}` } }));
  return isOver ? { text: "Done." } : { calls };
}

function tell(name: Shape, floorMs: number, off: number, on: number): void {
  const [limit, limitMs] = {
    // The minimal script itself needs more than 10 ms for its first call.
    "one call": [2.5, Infinity],
    "one call in a warm process": [2.5, 10],
    "ten calls": [2, Infinity],
    "ten sleep 0.2": [1.2, Infinity],
  }[name] as [number, number];
  const isOne = name.startsWith("one");
  report("tool-turn", `${name}, isolation off`, {
    ms: rounded(off, 1),
    floorMs: rounded(floorMs, 1),
    ratio: rounded(off / floorMs, 2),
    limit,
    ...(limitMs !== Infinity && { limitMs }),
    holds: off / floorMs <= limit && off <= limitMs,
  });
  if (Number.isNaN(on)) return;
  report("tool-turn", `${name}, isolation on`, {
    ms: rounded(on, 1),
    ...(isOne ? { moreMs: rounded(on - off, 1), limitMs: 8 } : { ratio: rounded(on / floorMs, 2), limit }),
    holds: isOne ? on - off <= 8 : on / floorMs <= limit,
  });
}
