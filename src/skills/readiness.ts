import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

import type { SkillHead, SkillReadiness, SkillVariable } from "../contracts/knowledge/skill.ts";
import { platformName } from "./visibility.ts";

export interface ReadinessDeps {
  /** Value of an environment variable, including those given in this session. */
  variable(name: string): string | undefined;
  /** Root of credential files. */
  readonly home: string;
  /** Whether it is a credential file that a skill may use. */
  isCredentialFile(path: string): boolean;
  /** Commands run on another machine, whose programs are unknown. */
  readonly isElsewhere: boolean;
  readonly platform: NodeJS.Platform;
}

export interface Readiness {
  readonly status: SkillReadiness;
  /** In words, one each. */
  readonly missing: readonly string[];
  readonly variables: readonly SkillVariable[];
  readonly note?: string;
}

/** What is missing before the skill can be used. */
export function readinessOf(head: SkillHead, deps: ReadinessDeps): Readiness {
  const { platforms } = head;
  if (platforms.length > 0 && !platforms.includes(platformName(deps.platform)))
    return {
      status: "unsupported",
      missing: [],
      variables: [],
      note: `It is written for ${platforms.join(", ")}; this machine runs ${platformName(deps.platform)}.`,
    };
  const variables = head.variables.filter(({ name, optional }) => !optional && !deps.variable(name));
  const commands = deps.isElsewhere ? [] : head.commands.filter((name) => !isProgram(name, deps));
  const files = head.credentialFiles.filter(({ path }) => !deps.isCredentialFile(path));
  const missing = [
    ...variables.map(({ name }) => `the variable ${name}`),
    ...commands.map((name) => `the program ${name}`),
    ...files.map(({ path }) => `the file ${path}`),
  ];
  if (missing.length === 0) return { status: "available", missing, variables };
  const steps = [
    ...variables.map(({ name, help }) => `hermes config set ${name} …${help === undefined ? "" : ` (${help})`}`),
    ...commands.map((name) => `install ${name}`),
    ...files.map(({ path, description }) => `put ${description || "the file"} at ${join(deps.home, path)}`),
  ];
  return {
    status: "setup_needed",
    missing,
    variables,
    note: `Missing: ${missing.join(", ")}. To do: ${steps.join("; ")}.`,
  };
}

function isProgram(name: string, { variable, platform }: ReadinessDeps): boolean {
  if (/[/\\]/u.test(name)) return existsSync(name);
  const ends = platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];
  const folders = (variable("PATH") ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => ends.some((end) => existsSync(join(folder, name + end))));
}
