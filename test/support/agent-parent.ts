/**
 * A program that a test kills while its ten child agents are in every possible state. Prints its session id, then a
 * line when the children have started.
 */
import { asId, type SessionId } from "../../src/base/ids.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { textOf } from "../../src/contracts/session/turn-companion.ts";
import { answersByGoal } from "./agent-rig.ts";
import { say } from "./obedient-model.ts";
import { runtimeRig } from "./runtime-rig.ts";
import { scriptedModel } from "./scripted-model.ts";

const [folder = "", seconds = "", resume = ""] = process.argv.slice(2);

const sleep = { name: "terminal", args: { command: `sleep ${seconds}` } };
const answer = answersByGoal({
  "finish at once": [{ text: "There are 7." }],
  "finish later": (_, index) =>
    index < 4 ? { calls: [{ name: "terminal", args: { command: "sleep 0.1" } }] } : { text: "Later." },
  "hang in the model": [{ text: "so far", hangs: true }],
  "hang in a tool": [{ text: "Waiting.", calls: [sleep] }],
  "hang in a script": [
    {
      calls: [{ name: "execute_code", args: { code: `import os\nos.system("sleep ${seconds}")`, language: "python" } }],
    },
  ],
  "write files": (_, index) => ({
    calls: [{ name: "write_file", args: { path: `by-child-${index % 5}.txt`, content: `text ${index}` } }],
  }),
  "start others": [
    {
      calls: [{ name: "delegate_task", args: { tasks: [{ goal: "hang in the model" }, { goal: "hang in a tool" }] } }],
    },
  ],
});
const model = scriptedModel((request, index) => {
  const last = request.messages.at(-1);
  const text = last?.role === "user" ? textOf(last.content) : "";
  // Prompts of this session contain calls to make; messages to children contain their tasks.
  if (text.startsWith("{")) return { calls: [{ name: "delegate_task", args: JSON.parse(text) as JsonObject }] };
  return answer(request, index);
});
const settings = {
  "approvals.mode": "yolo",
  "delegation.max_concurrent_children": 6,
  "delegation.max_iterations": 1_000,
};
const runtime = await runtimeRig({ folder, model, settings });
const session = await runtime.openSession({
  source: "test",
  ...(resume !== "" && { resume: asId<SessionId>(resume) }),
});
if (resume === "") {
  process.stdout.write(`${session.id}\n`);
  await say(session, "hello");
  const background = ["finish at once", "finish later", "hang in the model", "write files"].map((goal) => ({ goal }));
  await say(session, JSON.stringify({ tasks: background, background: true }));
  const foreground = [
    { goal: "start others", role: "orchestrator" },
    ...["hang in a tool", "hang in a script", "finish at once", "hang in the model", "finish later"].map((goal) => ({
      goal,
    })),
  ];
  process.stdout.write("begun\n");
  await say(session, JSON.stringify({ tasks: foreground }));
} else {
  // The program that starts after the kill: looks for lost children and reports them to the model.
  const listed = await session.agents.list();
  await say(session, "go on");
  const deliveries = session
    .history()
    .flatMap(({ role, content }) =>
      content.flatMap((part) =>
        role === "user" && part.type === "text"
          ? [.../^Agent (agent_\w+) .*has ended/gmu[Symbol.matchAll](part.text)]
          : [],
      ),
    )
    .map(([, id = ""]) => id);
  process.stdout.write(`${JSON.stringify({ states: listed.map(({ state }) => state), deliveries })}\n`);
  await runtime[Symbol.asyncDispose]();
}
