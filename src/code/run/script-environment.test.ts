import assert from "node:assert/strict";
import { test } from "node:test";

import { scriptVariables } from "./script-environment.ts";

test("scripts get locale, path and user variables, and no secret", () => {
  const env = {
    PATH: "/bin",
    HOME: "/home/me",
    LC_ALL: "C",
    XDG_CACHE_HOME: "/c",
    VIRTUAL_ENV: "/v",
    HERMES_HOME: "/h",
    HERMES_PROFILE: "work",
    HERMES_YOLO_MODE: "1",
    GITHUB_TOKEN: "t",
    PATH_SECRET: "s",
    XDG_AUTH_FILE: "a",
    DATABASE_DSN: "d",
    EDITOR: "vi",
    windir: "C:\\Windows",
  };
  assert.deepEqual(Object.keys(scriptVariables(env, [])).toSorted(), [
    "HERMES_HOME",
    "HERMES_PROFILE",
    "HOME",
    "LC_ALL",
    "PATH",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "windir",
  ]);
});

test("variables that the user passes on take precedence, except keys of providers", () => {
  const env = { GITHUB_TOKEN: "t", EDITOR: "vi", OPENAI_API_KEY: "k", ANTHROPIC_TOKEN: "a" };
  assert.deepEqual(scriptVariables(env, Object.keys(env)), { GITHUB_TOKEN: "t", EDITOR: "vi" });
});

test("variables granted to skills are passed on, except keys of providers", () => {
  const granted = new Map([
    ["TENOR_TOKEN", "t"],
    ["OPENAI_API_KEY", "k"],
  ]);
  assert.deepEqual(scriptVariables({ PATH: "/bin" }, [], granted), { PATH: "/bin", TENOR_TOKEN: "t" });
});
