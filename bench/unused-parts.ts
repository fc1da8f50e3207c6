/**
 * A start and a one-shot turn with the tools of the web, the browser, pictures and speech, compared with a home that
 * disables them. A second home with all tools shows the noise of the machine.
 */
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import { interleaved, median, quantile, report, rounded } from "./support/measure.ts";
import { hermes, makeScene, type Ran, run, type Scene } from "./support/programs.ts";

const rounds = process.argv.includes("--quick") ? 1 : 31;
/** Two equal programs differ by this much on a quiet machine. */
const minNoise = 0.02;
await using server = await startModelServer({
  protocol: "openai-chat",
  turns: () => ({ text: "Hello." }),
  record: false,
});
const toolsets = "web, search, x_search, browser, browser-cdp, vision, video, image_gen, video_gen, tts";
using all = makeScene(server.url);
using again = makeScene(server.url);
using fewer = makeScene(server.url, `agent:\n  disabled_toolsets: [${toolsets}]\n`);
const scenes: Readonly<Record<Name, Scene>> = { all, again, fewer };
type Name = "all" | "again" | "fewer";

for (const [what, command] of [
  ["one-shot turn", hermes("-z", "say hello")],
  ["start of a program that opens the tools (tools list)", hermes("tools", "list")],
] as const) {
  const ran: Record<Name, Ran[]> = { all: [], again: [], fewer: [] };
  const runOf = (name: Name) => async () => void ran[name].push(await run(command, scenes[name]));
  const contenders = { all: runOf("all"), fewer: runOf("fewer"), again: runOf("again") };
  if (rounds > 1) await interleaved(contenders, 2); // fills the compile cache
  for (const name of ["all", "again", "fewer"] as const) ran[name] = [];
  await interleaved(contenders, rounds);
  for (const [time, of] of [
    ["wall", ({ wallMs }: Ran) => wallMs],
    ["processor", ({ cpuMs }: Ran) => cpuMs],
  ] as const) {
    const ratios = (other: Name) => ran.all.map((each, round) => of(each) / of(ran[other][round] ?? each));
    const [ratio, same] = [median(ratios("fewer")), ratios("again")];
    /** How uncertain the median of this many ratios is, by the quartiles of two equal homes. */
    const noise = (1.57 * (quantile(same, 0.75) - quantile(same, 0.25))) / Math.sqrt(rounds);
    report("unused-parts", `${time} time, ${what}`, {
      ms: rounded(median(ran.all.map(of)), 0),
      withoutMs: rounded(median(ran.fewer.map(of)), 0),
      ratio: rounded(ratio, 3),
      equalHomesRatio: rounded(median(same), 3),
      noise: rounded(noise, 3),
      reach: "at most the noise more than without these tools",
      holds: ratio - 1 <= Math.max(noise, minNoise),
    });
  }
}
