import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { isObject, type JsonObject } from "../../src/base/json.ts";
import type { Environment, FileSystem } from "../../src/contracts/environment/environment.ts";
import type { Effect } from "../../src/contracts/tool/effect.ts";
import type { ToolFailure } from "../../src/contracts/tool/tool-result.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";
import { createRealPaths } from "../../src/environments/real-paths.ts";
import { createFileReads } from "../../src/kernel/file-reads.ts";
import patchTool from "../../src/tools/files/patch.tool.ts";
import readTool from "../../src/tools/files/read-file.tool.ts";
import writeTool from "../../src/tools/files/write-file.tool.ts";
import { call, dispatchRig } from "./dispatch-rig.ts";
import { neverAborted } from "./environment-conformance.ts";
import { localDeps } from "./local-deps.ts";
import { tempHome } from "./temp-home.ts";

/** The file tools in a local folder, as a model calls them. */
export interface FileToolsRig {
  readonly folder: string;
  readonly path: (name: string) => string;
  /** The text of a file. */
  readonly text: (name: string) => Promise<string>;
  readonly put: (name: string, content: string | Uint8Array) => Promise<void>;
  /** Makes a call that must succeed, and returns its data. */
  readonly done: (tool: string, args: JsonObject) => Promise<Record<string, unknown>>;
  /** Makes a call that must fail. */
  readonly refused: (tool: string, args: JsonObject) => Promise<ToolFailure>;
  /** The effects that the policy has judged. */
  readonly effects: Effect[];
  readonly environment: Environment;
}

export interface FileToolsOptions {
  /** Replaces file operations of this machine. */
  readonly change?: (files: FileSystem) => Partial<FileSystem>;
  readonly env?: Readonly<Record<string, string>>;
  /** A factor for all timeouts, so that a slow machine does not change the outcome. */
  readonly patience?: number;
  /** The Hermes home, below the temporary folder, and its root. */
  readonly hermes?: { readonly path: string; readonly root: string };
}

export async function withFileTools(
  check: (desk: FileToolsRig) => Promise<void>,
  options: FileToolsOptions = {},
): Promise<void> {
  await using home = await tempHome();
  const folder = join(home.path, "work");
  await mkdir(folder);
  const deps = localDeps(home.path, folder);
  const factory = createLocalFactory({ ...deps, env: { ...deps.env, ...options.env } });
  const opened = await factory.open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok, JSON.stringify(opened));
  await using local = opened.value;
  const environment: Environment = { ...local, files: { ...local.files, ...options.change?.(local.files) } };
  const effects: Effect[] = [];
  const after: Clock["after"] = (ms, run) => systemClock.after(ms * (options.patience ?? 1), run);
  const rig = dispatchRig([readTool, writeTool, patchTool], {
    clock: { ...systemClock, after },
    resolver: createRealPaths(environment.files),
    policy: {
      async decide(request) {
        effects.push(...request.effects);
        return { decision: "allow" };
      },
    },
  });
  const reads = createFileReads({ lines: 2000, lineChars: 2000 });
  const { hermes } = options;
  const below = (name: string) => join(home.path, name);
  const fileReads = hermes ? { ...reads, home: { path: below(hermes.path), root: below(hermes.root) } } : reads;
  const scope = rig.scope({ place: { cwd: folder, backend: "local" }, services: { environment, fileReads } });
  const path = (name: string) => join(folder, name);
  await check({
    folder,
    path,
    effects,
    environment,
    text: (name) => readFile(path(name), "utf8"),
    put: (name, content) => writeFile(path(name), content),
    async done(tool, args) {
      const result = await rig.dispatcher.dispatch(call(tool, args), scope);
      assert.ok(result.ok, JSON.stringify(result));
      assert.ok(isObject(result.value.data));
      return result.value.data;
    },
    async refused(tool, args) {
      const result = await rig.dispatcher.dispatch(call(tool, args), scope);
      assert.ok(!result.ok, JSON.stringify(result));
      return result.error;
    },
  });
}
