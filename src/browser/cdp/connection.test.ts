import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";

import { systemClock } from "../../base/clock.ts";
import { CdpError, connectCdp } from "./connection.ts";
import { pipeWire } from "./pipe-wire.ts";

function connectToFake() {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const sent: Record<string, unknown>[] = [];
  toBrowser.setEncoding("utf8").on("data", (text: string) => {
    for (const line of text.split("\0")) if (line !== "") sent.push(JSON.parse(line) as Record<string, unknown>);
  });
  const connection = connectCdp(pipeWire(toBrowser, fromBrowser), { clock: systemClock });
  return { connection, fromBrowser, sent };
}

const isKind = (kind: CdpError["kind"]) => (thrown: unknown) => thrown instanceof CdpError && thrown.kind === kind;

describe("a connection to a browser delivers messages and settles commands", () => {
  test("a connection joins messages that arrive in pieces, and splits messages that arrive together", async () => {
    const { connection, fromBrowser } = connectToFake();
    const seen: unknown[] = [];
    connection.on("A.b", (params, session) => seen.push([params["n"], session]));
    connection.session("s1").on("A.b", (params) => seen.push(["only s1", params["n"]]));
    const text = ["", "s1"]
      .map((sessionId, n) =>
        JSON.stringify({ method: "A.b", params: { n, text: "ä🙂" }, ...(sessionId && { sessionId }) }),
      )
      .join("\0");
    const bytes = Buffer.from(`${text}\0`);
    for (const byte of bytes) fromBrowser.write(Buffer.from([byte]));
    fromBrowser.write(bytes);
    await new Promise(setImmediate);
    const round = [
      [0, undefined],
      [1, "s1"],
      ["only s1", 1],
    ];
    assert.deepEqual(seen, [...round, ...round]);
  });

  test("each response settles its command; a rejection carries the error text of the browser", async () => {
    const { connection, fromBrowser, sent } = connectToFake();
    const [one, two] = [connection.send("X.one"), connection.session("s").send("X.two", { a: 1 })];
    assert.deepEqual(
      sent.map(({ method, sessionId }) => [method, sessionId]),
      [
        ["X.one", undefined],
        ["X.two", "s"],
      ],
    );
    fromBrowser.write(`{"id":2,"error":{"message":"no","data":"because"}}\0{"id":1,"result":{"ok":true}}\0`);
    assert.deepEqual(await one, { ok: true });
    await assert.rejects(two, { kind: "refused", message: "no: because" });
  });

  test("commands to a closed or crashed page fail immediately; when the browser ends, all commands fail", async () => {
    const { connection, fromBrowser } = connectToFake();
    const [closed, crashed, other] = ["a", "b", "c"].map(async (id) => connection.session(id).send("X.y"));
    fromBrowser.write(`{"method":"Target.detachedFromTarget","params":{"sessionId":"a"}}\0`);
    fromBrowser.write(`{"method":"Inspector.targetCrashed","params":{},"sessionId":"b"}\0`);
    await assert.rejects(closed!, { message: "the page was closed" });
    await assert.rejects(crashed!, { message: "the page crashed" });
    fromBrowser.end();
    await assert.rejects(other!, isKind("ended"));
    await assert.rejects(connection.send("X.z"), isKind("ended"));
    assert.equal(await connection.closed, "the browser ended");
  });

  test("a browser command without a response fails at its timeout", async () => {
    const { connection } = connectToFake();
    await assert.rejects(connection.session("s").send("X.y", {}, 5), isKind("timeout"));
  });
});
