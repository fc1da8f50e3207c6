import assert from "node:assert/strict";
import { test } from "node:test";

import { McpUnauthorized } from "../../contracts/mcp/authorize.ts";
import { faultOf, TransportError } from "./fault.ts";

const plain = (text: string) => text;
const kindOf = (thrown: unknown) => faultOf("s", thrown, plain).kind;
const withFields = (fields: object) => Object.assign(new Error("it"), fields);

test("only connection failures count as failures of an MCP server", () => {
  assert.equal(kindOf(withFields({ code: -32_602 })), "server");
  assert.equal(kindOf(withFields({ code: "REQUEST_TIMEOUT" })), "timeout");
  assert.equal(kindOf(withFields({ code: "CONNECTION_CLOSED" })), "transport");
  assert.equal(kindOf(withFields({ code: "INVALID_RESULT" })), "malformed");
  assert.equal(kindOf(new SyntaxError("it")), "malformed");
  assert.equal(kindOf(new McpUnauthorized("sign in")), "auth");
  assert.equal(kindOf("thrown text"), "transport");
});

test("the HTTP status of a response determines the hint in the message", () => {
  const status = (code: number, text = "") => kindOf(withFields({ code: "X", data: { status: code, text } }));
  assert.deepEqual(
    [status(401), status(403), status(404), status(400), status(400, "No valid session ID"), status(429), status(503)],
    ["auth", "auth", "session", "server", "session", "transport", "transport"],
  );
});

test("a failed version negotiation is reported with its underlying cause", () => {
  const cause = new TransportError("transport", "nothing listens", false);
  assert.deepEqual(faultOf("s", withFields({ code: "ERA_NEGOTIATION_FAILED", data: { cause } }), plain), {
    kind: "transport",
    message: "MCP server s: nothing listens",
    isSent: false,
  });
});

test("a fault message is one line without secrets, and the exit of a program replaces the end of its connection", () => {
  const redact = (text: string) => text.replaceAll("secret", "***");
  assert.equal(
    faultOf("s", withFields({ message: "a\nsecret", code: 1 }), redact).message,
    "MCP server s: it answered: a ***",
  );
  const closed = withFields({ code: "CONNECTION_CLOSED" });
  assert.equal(
    faultOf("s", closed, plain, "it ended with exit code 3").message,
    "MCP server s: it ended with exit code 3",
  );
});
