import assert from "node:assert/strict";
import { test } from "node:test";

import { signAws } from "./sign-aws.ts";

// Keys, time and results of AWS's published test suite for Signature Version 4.
const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const scope = { region: "us-east-1", service: "service", now: Date.UTC(2015, 7, 30, 12, 36) };
const sign = (method: "GET" | "POST", path: string, headers = {}, body = "") =>
  signAws({ method, url: new URL(path, "https://example.amazonaws.com"), headers, body }, keys, scope);
const signatureOf = (signed: Readonly<Record<string, string>>) =>
  /Signature=(?<hex>\w+)$/u.exec(signed["authorization"] ?? "")?.groups?.["hex"];

test("signatures match the published test suite", () => {
  assert.equal(
    sign("GET", "/")["authorization"],
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, " +
      "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  );
  const rows: readonly (readonly [ReturnType<typeof sign>, string])[] = [
    // post-vanilla
    [sign("POST", "/"), "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
    // get-vanilla-query-order-key-case
    [sign("GET", "/?Param2=value2&Param1=value1"), "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"],
    // post-x-www-form-urlencoded
    [
      sign("POST", "/", { "Content-Type": "application/x-www-form-urlencoded" }, "Param1=value1"),
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ];
  assert.deepEqual(
    rows.map(([signed]) => signatureOf(signed)),
    rows.map(([, signature]) => signature),
  );
});

test("a session token is sent and signed, and another body, path or day changes the signature", () => {
  const url = new URL("https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1/chat/completions");
  const request = { method: "POST", url, headers: { "content-type": "application/json" }, body: "{}" } as const;
  const session = signAws(request, { ...keys, sessionToken: "token" }, scope);
  assert.equal(session["x-amz-security-token"], "token");
  assert.match(session["authorization"] ?? "", /SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,/u);
  const plain = signatureOf(signAws(request, keys, scope));
  const others = [
    signAws({ ...request, body: "[]" }, keys, scope),
    signAws({ ...request, url: new URL("/other", url) }, keys, scope),
    signAws(request, keys, { ...scope, now: scope.now + 86_400_000 }),
    session,
  ].map(signatureOf);
  assert.equal(new Set([plain, ...others]).size, 5);
});

test("a colon in the path of a model is encoded twice in the signature and once in the request", () => {
  const signatureAt = (path: string) => signatureOf(sign("POST", path));
  assert.notEqual(signatureAt("/model/a:0/invoke"), signatureAt("/model/a%3A0/invoke"));
});
