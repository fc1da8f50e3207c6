import { findProgram } from "../../../base/process/find-program.ts";
import { type CliContext, type CliInput, CommandFailed, type Reply } from "../command.ts";
import { confirm } from "../input.ts";
import {
  answeredSections,
  readSetupAnswers,
  type SetupOutcome,
  type SetupScene,
  type SetupSection,
  setupSections,
} from "./setup-answers.ts";
import { openSetupDialog, type SetupDialog, SetupLeft } from "./setup-dialog.ts";

const runners: Readonly<Record<SetupSection, (scene: SetupScene) => Promise<SetupOutcome>>> = {
  model: async (scene) => (await import("./setup-model.ts")).setUpModel(scene),
  agent: async (scene) => (await import("./setup-safety.ts")).setUpSafety(scene),
  terminal: async (scene) => (await import("./setup-safety.ts")).setUpTerminal(scene),
  tools: async (scene) => (await import("./setup-safety.ts")).setUpTools(scene),
  completion: async (scene) => (await import("./setup-completion.ts")).setUpCompletion(scene),
  import: async (scene) => (await import("./setup-import.ts")).setUpImport(scene),
};

/** The settings that the wizard manages; `--reset` removes them. */
const managedSettings = [
  "model",
  "approvals.mode",
  "isolation.mode",
  "terminal.backend",
  "agent.disabled_toolsets",
  "platform_toolsets.cli",
] as const;

/** Asks section by section; each one is saved when it is complete, so that exiting loses nothing. */
export async function runSetup(input: CliInput, ctx: CliContext): Promise<Reply> {
  const section = sectionOf(input.optionalArg("section"));
  const answers = readSetupAnswers(input);
  const answered = answeredSections(answers);
  if (input.flag("reset")) await reset(input, ctx);
  using dialog = input.flag("nonInteractive") || answered.length > 0 ? undefined : openSetupDialog(ctx);
  if (!dialog && answered.length === 0) {
    if (input.flag("reset")) return { data: { outcomes: [], reset: managedSettings }, text: "Reset." };
    throw new CommandFailed(
      "hermes setup asks questions and needs a terminal.",
      "Answer with options, such as: hermes setup --provider openrouter --model NAME --approvals manual. `hermes setup --help` lists them.",
    );
  }
  const sections = dialog ? await sectionsToAsk(section, input, ctx) : answered;
  const say = (text: string) => (dialog ? dialog.say(text) : ctx.json || ctx.io.warn(`${text}\n`));
  const outcomes: SetupOutcome[] = [];
  let hasLeft = false;
  if (dialog) greet(dialog, ctx, section === undefined);
  for (const each of sections) {
    try {
      outcomes.push(
        await runners[each]({ ctx: ctx.renewed(), answers, say: (text) => void say(text), ...(dialog && { dialog }) }),
      );
    } catch (thrown) {
      if (thrown instanceof SetupLeft) {
        hasLeft = true;
        break;
      }
      // At a terminal, the other sections continue after a failed one.
      if (!dialog || !(thrown instanceof CommandFailed)) throw thrown;
      dialog.say(`${ctx.paint.bad("error:")} ${thrown.message}${thrown.hint === undefined ? "" : ` ${thrown.hint}`}`);
      outcomes.push({ section: each, isChanged: false, isFailed: true, result: thrown.message });
    }
  }
  dialog?.[Symbol.dispose]();
  const isFailed = outcomes.some((outcome) => outcome.isFailed);
  return {
    data: { outcomes, hasLeft },
    text: [summary(outcomes, hasLeft, ctx), ...(dialog && !hasLeft ? await pathHint(ctx) : [])].join("\n"),
    exitCode: ctx.signal.aborted ? 130 : isFailed ? 1 : 0,
  };
}

/** Runs one section as a separate picker. Undefined without a terminal. */
export async function runSetupSection(
  section: SetupSection,
  input: CliInput,
  ctx: CliContext,
): Promise<Reply | undefined> {
  using dialog = openSetupDialog(ctx);
  if (!dialog) return undefined;
  const answers = { isTested: !input.flag("noTest") };
  try {
    const outcome = await runners[section]({ ctx, answers, dialog, say: dialog.say });
    dialog[Symbol.dispose]();
    return { data: outcome, text: outcome.isChanged ? `Saved: ${outcome.result}` : "Nothing was changed." };
  } catch (thrown) {
    if (!(thrown instanceof SetupLeft)) throw thrown;
    dialog[Symbol.dispose]();
    return { data: { section, hasLeft: true }, text: "Nothing was changed.", exitCode: ctx.signal.aborted ? 130 : 0 };
  }
}

function greet(dialog: SetupDialog, { paint }: CliContext, isWhole: boolean): void {
  if (!isWhole) return;
  dialog.say(paint.bold("Hermes setup"));
  dialog.say(
    "Enter keeps what is marked. Esc, q or Ctrl-C leaves; finished answers stay, and you can change each one later.",
  );
}

function sectionOf(name: string | undefined): SetupSection | undefined {
  if (name === undefined) return undefined;
  const section = setupSections.find((each) => each === name);
  if (section) return section;
  if (name === "gateway" || name === "tts")
    throw new CommandFailed(
      `hermes setup ${name}: this version has no ${name === "tts" ? "speech" : "gateway"} yet.`,
      undefined,
      2,
    );
  throw new CommandFailed(`There is no section "${name}".`, `Use: ${setupSections.join(", ")}.`, 2);
}

/** `--quick` asks only about the model, and only if none is connected. */
async function sectionsToAsk(
  section: SetupSection | undefined,
  input: CliInput,
  ctx: CliContext,
): Promise<readonly SetupSection[]> {
  if (section !== undefined) return [section];
  if (!input.flag("quick")) return setupSections;
  const { model } = await ctx.run("status.show", {});
  return "fault" in model || model.isOffline || !model.hasKey ? ["model"] : [];
}

async function reset(input: CliInput, ctx: CliContext): Promise<void> {
  await confirm(input, ctx, `Set ${managedSettings.join(", ")} back to their defaults? Keys and sessions stay.`);
  for (const key of managedSettings) await ctx.renewed().run("config.unset", { key });
}

/** How to call Hermes by its name, if the shell does not know it. */
async function pathHint(ctx: CliContext): Promise<readonly string[]> {
  if (findProgram(["hermes"], ctx.env) !== undefined) return [];
  const { launcher } = await ctx.run("status.show", {});
  return [
    `Your shell does not know \`hermes\` yet. Add it to a folder of your PATH: ln -s ${launcher} ~/.local/bin/hermes`,
  ];
}

function summary(outcomes: readonly SetupOutcome[], hasLeft: boolean, { paint }: CliContext): string {
  const changed = outcomes.filter(({ isChanged }) => isChanged);
  const isNote = ({ isChanged, isFailed, result }: SetupOutcome) => !isChanged && !isFailed && result !== "unchanged";
  const notes = outcomes.length === 1 ? outcomes.filter(isNote) : [];
  const lines = changed.map(({ section, result }) => `${paint.good("✓")} ${section}: ${result}`);
  const first = lines.length === 0 ? ["Nothing was changed."] : lines;
  const next = hasLeft
    ? "You left the setup. `hermes setup` asks again, with your answers as defaults."
    : "`hermes` starts a chat, `hermes setup SECTION` changes one answer.";
  return [...first, ...notes.map(({ section, result }) => `${section}: ${result}`), paint.dim(next)].join("\n");
}
