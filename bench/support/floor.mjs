/**
 * The minimal agent on Node, the baseline of the benches: fetch, a reader of server-sent events and one shell tool, in
 * plain JavaScript. `node floor.mjs URL PROMPT…`: each prompt is a turn of one session; answers go to standard output.
 * An importer can continue that session.
 */
import { spawn } from "node:child_process";

const [, , url, ...prompts] = process.argv;
const tools = [
  {
    type: "function",
    function: {
      name: "terminal",
      description: "Runs a shell command",
      parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    },
  },
];
const messages = [{ role: "system", content: "You are an agent. Use the terminal tool to run commands." }];

for (const prompt of prompts) process.stdout.write(`${await answerTo(prompt)}\n`);

export async function answerTo(prompt) {
  messages.push({ role: "user", content: prompt });
  for (;;) {
    const answer = await ask();
    messages.push(answer);
    if (!answer.tool_calls) return answer.content;
    messages.push(...(await Promise.all(answer.tool_calls.map(run))));
  }
}

async function ask() {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify({ model: "floor", stream: true, messages, tools }),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const calls = [];
  let content = "";
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      const delta = JSON.parse(line.slice(6)).choices?.[0]?.delta ?? {};
      content += delta.content ?? "";
      for (const { index, id, function: part } of delta.tool_calls ?? []) {
        const call = (calls[index] ??= { id, type: "function", function: { name: "", arguments: "" } });
        call.function.name += part.name ?? "";
        call.function.arguments += part.arguments ?? "";
      }
    }
  }
  return { role: "assistant", content, ...(calls.length > 0 && { tool_calls: calls }) };
}

function run({ id, function: { arguments: text } }) {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", JSON.parse(text).command], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (data) => (output += data));
    child.on("error", reject);
    child.on("close", (code) => resolve({ role: "tool", tool_call_id: id, content: `${output}\n(exit code ${code})` }));
  });
}
