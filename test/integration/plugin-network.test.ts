// covers: src/plugins, src/runtime/plugins, src/safety/isolation, src/safety/plugin-sandbox.ts, src/base/process
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";

import { inChild, isRunning } from "../support/child-process.ts";
import { confinedPlugin } from "../support/confined-plugin.ts";
import { eventually } from "../support/eventually.ts";

describe("a plugin cannot use the sockets of the machine", () => {
  for (const language of ["python", "typescript"] as const)
    test(`${language}: no socket of the machine can be reached`, async () => {
      await using rig = await confinedPlugin({ language });
      const path = join(rig.folder, "agent.sock");
      const name = `hermes-test-${process.pid}`;
      const seen: string[] = [];
      const servers = [path, `\0${name}`].map((place) => createServer(() => seen.push(place)).listen(place));
      const tcp = createServer(() => seen.push("tcp")).listen(0, "127.0.0.1");
      await new Promise((resolve) => tcp.once("listening", resolve));
      const address = tcp.address();
      const port = typeof address === "object" && address ? address.port : 0;
      try {
        const answer = await rig.run(
          language === "python"
            ? `import socket
out = []
for family, address in ((socket.AF_UNIX, ${JSON.stringify(path)}), (socket.AF_UNIX, "\\0${name}"), (socket.AF_INET, ("127.0.0.1", ${port})), (socket.AF_INET, ("1.1.1.1", 80))):
    s = socket.socket(family); s.settimeout(5)
    try: s.connect(address); out.append("connected")
    except OSError as error: out.append(type(error).__name__)
result = out`
            : `const { connect } = require("node:net"); const out = [];
for (const target of [{ path: ${JSON.stringify(path)} }, { path: "\\0${name}" }, { port: ${port}, host: "127.0.0.1" }, { port: 80, host: "1.1.1.1" }])
  out.push(await new Promise((done) => connect(target).on("connect", () => done("connected")).on("error", (error) => done(error.code))));
return out`,
        );
        assert.doesNotMatch(answer, /connected/u);
        assert.match(
          answer,
          /FileNotFoundError.*ConnectionRefusedError.*ConnectionRefusedError|ENOENT.*ECONNREFUSED.*ECONNREFUSED/u,
        );
        assert.deepEqual(seen, []);
      } finally {
        for (const server of [...servers, tcp]) server.close();
      }
    });
});

describe("the network", () => {
  for (const language of ["python", "typescript"] as const)
    test(`${language}: only the hosts in its permission are reachable, and each refusal is reported once`, async () => {
      const requests: string[] = [];
      const server = createHttpServer((request, response) => {
        requests.push(`${request.headers.host} ${request.url}`);
        if (request.url === "/away") response.writeHead(302, { location: "http://evil.example.com/x" });
        response.end("hello");
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      const get = {
        python: (url: string) => `import urllib.request, urllib.error
try: result = urllib.request.urlopen(${JSON.stringify(url)}, timeout=20).read().decode()
except Exception as error: result = type(error).__name__ + ": " + str(error) + (error.read().decode() if isinstance(error, urllib.error.HTTPError) else "")`,
        typescript: (
          url: string,
        ) => `try { const response = await fetch(${JSON.stringify(url)}); return response.status + " " + (await response.text()); }
catch (error) { return error + ": " + (error.cause?.message ?? ""); }`,
      }[language];
      try {
        await using rig = await confinedPlugin({ language, rights: { net: [`127.0.0.1:${port}`, "api.example.com"] } });
        assert.match(await rig.run(get(`http://127.0.0.1:${port}/fine`)), /hello/u);
        assert.deepEqual(requests, [`127.0.0.1:${port} /fine`]);
        for (const url of [
          `http://localhost:${port}/`,
          `http://127.0.0.2:${port}/`,
          "http://1.1.1.1/",
          "http://169.254.169.254/latest",
          "http://[::1]:8080/",
          "https://foreign.example.com/",
          `http://127.0.0.1:${port}/away`,
          "https://api.example.com:2222/",
          "https://1.1.1.1/",
          "https://1.1.1.1/again",
        ])
          assert.match(await rig.run(get(url)), /403|refused|Forbidden|fetch failed|Tunnel/iu, url);
        assert.deepEqual(requests, [`127.0.0.1:${port} /fine`, `127.0.0.1:${port} /away`]);
        const targets = rig.refusals.map(({ target }) => target);
        for (const target of [
          "localhost",
          "127.0.0.2",
          "1.1.1.1",
          "169.254.169.254",
          "foreign.example.com",
          "evil.example.com",
        ])
          assert.equal(
            targets.filter((each) => each.startsWith(target)).length,
            1,
            `${target} in ${targets.join(" ")}`,
          );
        assert.ok(targets.includes("api.example.com:2222"), targets.join(" "));
        assert.equal(rig.reports.length, rig.refusals.length);
        assert.match(
          rig.reports.join("\n"),
          /Plugin sample tried to connect to foreign\.example\.com and was refused\. To allow it: hermes plugins grant sample net:foreign\.example\.com/u,
        );
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
});

describe("plugin processes end with the runtime", () => {
  for (const how of ["process.exit()", "process.kill(process.pid, 'SIGKILL')"])
    test(`no process of a plugin outlives Hermes: ${how}`, async () => {
      const module = JSON.stringify(new URL("../support/confined-plugin.ts", import.meta.url));
      const code = `
        import { confinedPlugin } from ${module};
        import { readdirSync, readFileSync } from "node:fs";
        const rig = await confinedPlugin({ language: "python", rights: { exec: true } });
        await rig.run("import subprocess; p = subprocess.Popen(['sleep', '1000'], start_new_session=True)");
        const ofThread = (pid, thread) => readFileSync("/proc/" + pid + "/task/" + thread + "/children", "utf8").match(/\\d+/g) ?? [];
        const childrenOf = (pid) => readdirSync("/proc/" + pid + "/task").flatMap((thread) => ofThread(pid, thread));
        const all = [], waiting = childrenOf(process.pid);
        for (const pid of waiting) { all.push(pid); waiting.push(...childrenOf(pid)); }
        process.stdout.write(all.join(" ") + "\\n" + rig.folder, () => ${how});`;
      const child = inChild(process.cwd(), code, []);
      const { output } = await child.ended;
      const [pids = "", folder = ""] = output.split("\n");
      assert.ok(pids.split(" ").length >= 3, output);
      for (const pid of pids.split(" ")) await eventually(() => !isRunning(Number(pid)), `${pid} of ${pids}`);
      rmSync(folder, { recursive: true, force: true });
    });

  test("an idle plugin does not keep Hermes running", async () => {
    const module = JSON.stringify(new URL("../support/confined-plugin.ts", import.meta.url));
    const code = `
      import { confinedPlugin } from ${module};
      const rig = await confinedPlugin({ language: "python" });
      console.log(await rig.run("result = 'works'"), rig.folder);`;
    const { output, code: exitCode } = await inChild(process.cwd(), code, []).ended;
    assert.match(output, /works/u);
    assert.equal(exitCode, 0);
    rmSync(output.trim().split(" ").at(-1) ?? "", { recursive: true, force: true });
  });
});
