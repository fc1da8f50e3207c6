import { withoutUndefined } from "../../../base/without-undefined.ts";
import { type CliContext, type CliInput } from "../command.ts";
import { choiceOption } from "../input.ts";
import type { SetupDialog } from "./setup-dialog.ts";

/** Sections of the wizard, in order. */
export const setupSections = ["model", "agent", "terminal", "tools", "completion", "import"] as const;
export type SetupSection = (typeof setupSections)[number];

/** Answers from the command line. A section asks only for the missing ones. */
export interface SetupAnswers {
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly keyEnv?: string;
  readonly approvals?: "readonly" | "manual" | "smart" | "yolo";
  readonly isolation?: "auto" | "on" | "off";
  readonly backend?: "local" | "docker" | "ssh" | "singularity" | "modal" | "daytona";
  readonly toolsets?: readonly string[];
  readonly completion?: "bash" | "zsh" | "fish" | "none";
  /** Programs to import from, such as claude-code. */
  readonly imports?: readonly string[];
  /** False: the model is saved without a request. */
  readonly isTested: boolean;
}

/** The context of a running section. */
export interface SetupScene {
  readonly ctx: CliContext;
  readonly answers: SetupAnswers;
  /** The dialog with the user. Undefined: nobody can answer. */
  readonly dialog?: SetupDialog;
  say(text: string): void;
}

/** Outcome of a section, for `--json` and the summary. */
export interface SetupOutcome {
  readonly section: SetupSection;
  readonly isChanged: boolean;
  readonly result: string;
  readonly isFailed?: boolean;
}

export function readSetupAnswers(input: CliInput): SetupAnswers {
  const text = (name: string) => input.option(name);
  const words = (name: string) =>
    text(name)
      ?.split(/[\s,]+/u)
      .filter((word) => word !== "");
  return {
    ...withoutUndefined({
      provider: text("provider"),
      model: text("model"),
      baseUrl: text("baseUrl"),
      keyEnv: text("keyEnv"),
      approvals: choiceOption(input, "approvals", ["readonly", "manual", "smart", "yolo"]),
      isolation: choiceOption(input, "isolation", ["auto", "on", "off"]),
      backend: choiceOption(input, "backend", ["local", "docker", "ssh", "singularity", "modal", "daytona"]),
      toolsets: words("tools"),
      completion: choiceOption(input, "completion", ["bash", "zsh", "fish", "none"]),
      imports: words("import"),
    }),
    isTested: !input.flag("noTest"),
  };
}

/** The sections that the options answer. */
export function answeredSections(answers: SetupAnswers): readonly SetupSection[] {
  const { provider, model, baseUrl, approvals, isolation, backend, toolsets, completion, imports } = answers;
  const isAnswered: Readonly<Record<SetupSection, boolean>> = {
    model: [provider, model, baseUrl].some((value) => value !== undefined),
    agent: approvals !== undefined || isolation !== undefined,
    terminal: backend !== undefined,
    tools: toolsets !== undefined,
    completion: completion !== undefined,
    import: imports !== undefined,
  };
  return setupSections.filter((section) => isAnswered[section]);
}
