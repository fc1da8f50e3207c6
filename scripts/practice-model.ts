/**
 * A model on loopback for a bundle that practises: it answers at once, in the usual protocol, and what it asks for is what
 * most sessions are made of. After its plan it says that it is done.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface PracticeModel extends AsyncDisposable {
  readonly url: string;
}

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export async function startPracticeModel(): Promise<PracticeModel> {
  const left = plan();
  let answered = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(response, left.shift() ?? [], (answered += 1)));
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** No two calls are the same: a model that repeats itself is stopped. */
function plan(): Call[][] {
  const file = (at: number) => `file-${at % 4}.txt`;
  const single = Array.from({ length: singles }, (_, at): Call[] => {
    if (at % 8 === 3) return [{ name: "write_file", args: { path: file(at), content: `line ${at}\n` } }];
    if (at % 8 === 5) return [{ name: "read_file", args: { path: file(at - 2) } }];
    return [terminal(at % 2 === 0 ? `echo ${at}` : `ls -la | head -${at}`)];
  });
  const together = Array.from({ length: batches }, (_, batch) =>
    Array.from({ length: 10 }, (_, at) => terminal(`echo ${batch} ${at}`)),
  );
  return [...single, ...together];
}

const singles = 32;
const batches = 4;

function terminal(command: string): Call {
  return { name: "terminal", args: { command } };
}

function answer(response: ServerResponse, calls: readonly Call[], number: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish?: string) =>
    response.write(
      `data: ${JSON.stringify({ object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish ?? null }] })}\n\n`,
    );
  for (const [index, { name, args }] of calls.entries()) {
    const text = JSON.stringify(args);
    const id = `call_${number}_${index}`;
    send({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    send({ tool_calls: [{ index, function: { arguments: text } }] });
  }
  if (calls.length === 0) for (const word of ["That", " is", " done."]) send({ content: word });
  send({}, calls.length === 0 ? "stop" : "tool_calls");
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
}
