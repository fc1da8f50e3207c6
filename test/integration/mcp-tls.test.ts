// covers: src/mcp/client, src/runtime/mcp, src/runtime/open-http.ts, src/base/http
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerOptions } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";

import { mcpConnectionRig } from "../support/mcp-connection.ts";
import { findProgram, missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ openssl: "openssl" });

function makePair(folder: string, name: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const to = ["-keyout", key, "-out", cert, "-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync(findProgram("openssl") ?? "", ["req", "-x509", ...curve, ...to], { stdio: "ignore" });
  return { key, cert };
}

/** Returns the name in the client's certificate. */
async function tlsServer(options: ServerOptions) {
  const server = createServer(options, (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { id, method } = JSON.parse(body === "" ? "{}" : body);
      if (request.method !== "POST" || id === undefined) return response.writeHead(202).end();
      // The socket of an https server.
      const peer = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? "nobody";
      const serverInfo = { name: String(peer), version: "1" };
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
      const reply = method === "initialize" ? { result } : { error: { code: -32601, message: "no" } };
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("the settings of a server select trusted certificates and the client certificate", { skip }, async () => {
  await using rig = await mcpConnectionRig();
  const [own, client] = [makePair(rig.work, "server"), makePair(rig.work, "client")];
  const pem = { key: readFileSync(own.key), cert: readFileSync(own.cert) };
  await using server = await tlsServer({ ...pem, requestCert: true, rejectUnauthorized: false });
  /** The name that the server saw, or why there is no connection. */
  const seen = async (settings: object): Promise<string> => {
    const connection = await rig.connect({ url: server.url, ...settings });
    if (!connection.ok) return connection.error.message;
    const limits = { signal: new AbortController().signal, timeoutMs: 60_000 };
    const listing = await connection.value.list(limits);
    return listing.ok ? listing.value.server.name : listing.error.message;
  };
  assert.match(await seen({}), /the certificate of 127\.0\.0\.1:\d+ is not accepted/u);
  assert.equal(await seen({ ssl_verify: false }), "nobody");
  assert.equal(await seen({ ssl_verify: own.cert }), "nobody");
  assert.equal(await seen({ ssl_verify: own.cert, client_cert: client.cert, client_key: client.key }), "client");
  assert.match(
    await seen({ client_cert: join(rig.work, "missing.pem") }),
    /the client certificate of .* cannot be read/u,
  );
});
