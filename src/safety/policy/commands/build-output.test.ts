import assert from "node:assert/strict";
import { test } from "node:test";

import { policyRig } from "../../../../test/support/policy-rig.ts";
import { err, ok } from "../../../base/result.ts";

/** Creates a project with these files. A path in `links` is a symbolic link to another place. */
function project(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}) {
  const texts: Readonly<Record<string, string>> = {
    ".git/HEAD": "ref: x",
    ".git/index": "DIRC\0\0\0\u0002 src/a.ts\0",
    ...files,
  };
  const missing = err({ kind: "missing", message: "missing" });
  const environment = {
    state: async () => ({ cwd: "/project", path: "", functions: {}, aliases: {}, programs: {} }),
    files: {
      realPath: async (path: string) => {
        const link = Object.keys(links).find((each) => path === each || path.startsWith(`${each}/`));
        return ok(link === undefined ? path : `${links[link]}${path.slice(link.length)}`);
      },
      read: async (path: string) => {
        const text = texts[path.replace("/project/", "")];
        return text === undefined ? missing : ok(Buffer.from(text, "latin1"));
      },
      stat: async (path: string) =>
        texts[path.replace("/project/", "")] === undefined ? missing : ok({ kind: "file" }),
    },
  } as never;
  const { run } = policyRig({ settings: { denialLimit: 99 } });
  return async (command: string) => (await run(command, { environment })).decision;
}

const ignoring = { ".gitignore": "node_modules/\n/dist\n.env\npackages/a/build\n*.log\n" };

test("build output that version control ignores is deleted without approval", async () => {
  const decide = project({ ...ignoring, "web/.gitignore": ".next\n" });
  for (const command of [
    "rm -rf dist",
    "rm -rf dist node_modules",
    "rm -rf packages/b/node_modules",
    "rm -rf node_modules/.cache",
    "rm -r packages/a/build",
    "cd web && rm -rf .next",
    "rm -rf dist && npm run build",
  ])
    assert.equal(await decide(command), "allow", command);
  for (const command of [
    "rm -rf .env",
    "rm -rf src",
    "rm -rf build",
    "rm -rf web/dist",
    "rm -rf dist src",
    "rm -rf dist/..",
    "rm -rf $x",
    "rm -rf /project",
    "rm -rf /other/node_modules",
    "sudo rm -rf dist",
    "mv src dist && rm -rf dist",
  ])
    assert.equal(await decide(command), "deny", command);
});

test("a build folder is recognised by the files that its program left in it", async () => {
  const decide = project({ ".gitignore": "env\nsecrets\n", "env/pyvenv.cfg": "home = /usr" });
  assert.equal(await decide("rm -rf env"), "allow");
  assert.equal(await decide("rm -rf secrets"), "deny");
});

test("tracked files, exceptions, links and folders without version control need approval", async () => {
  const index = (path: string) => ({ ".git/index": `DIRC\0\0\0\u0002 ${path}\0` });
  assert.equal(await project({ ...ignoring, ...index("dist/keep.js") })("rm -rf dist"), "deny");
  assert.equal(await project({ ...ignoring, ".git/index": "DIRC\0\0\0\u0004" })("rm -rf dist"), "deny");
  assert.equal(await project({ ".gitignore": "dist\n!dist/keep\n" })("rm -rf dist"), "deny");
  assert.equal(
    await project(ignoring, { "/project/packages": "/srv/packages" })("rm -rf packages/b/node_modules"),
    "deny",
  );
  assert.equal(await project({ "dist/a.js": "" })("rm -rf dist"), "deny");
});

test("copying an example to a missing settings file needs no approval", async () => {
  assert.equal(await project({ ".env.example": "A=" })("cp .env.example .env"), "allow");
  assert.equal(await project({ ".env.example": "A=", ".env": "A=1" })("cp .env.example .env"), "deny");
  assert.equal(await project({ other: "" })("cp other .env"), "deny");
  assert.equal(await project({}, { "/project/.env": "/srv/.env" })("cp .env.example .env"), "deny");
});
