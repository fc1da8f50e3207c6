import { CommandFailed } from "../command.ts";
import { withoutControls } from "../without-controls.ts";
import type { SetupOutcome, SetupScene } from "./setup-answers.ts";

const approvalModes = [
  { mode: "manual", label: "Ask me", description: "you decide about actions that can do harm (manual)" },
  { mode: "smart", label: "A model decides the harmless ones", description: "you decide the rest (smart)" },
  { mode: "readonly", label: "Only reading", description: "nothing can be changed (readonly)" },
  { mode: "yolo", label: "Never ask", description: "hard blocks and deny rules still apply (yolo)" },
] as const;

const isolationModes = [
  { mode: "auto", label: "On where it works", description: "without a sandbox, Hermes asks once per session" },
  { mode: "on", label: "Always", description: "without a sandbox, commands that you did not approve are refused" },
  { mode: "off", label: "Off", description: "commands run with all your rights" },
] as const;

/** Approvals and the sandbox. */
export async function setUpSafety({ ctx, answers, dialog, say }: SetupScene): Promise<SetupOutcome> {
  const { approvals, isolation } = (await ctx.renewed().config()).values;
  const state = await ctx.renewed().run("status.show", {});
  const mode =
    answers.approvals ??
    (dialog &&
      approvalModes[
        indexOf(
          await dialog.choose({
            title: "Who decides about actions that can do harm?",
            choices: approvalModes,
            initial: approvalModes.findIndex((each) => each.mode === approvals.mode),
          }),
        )
      ]?.mode);
  if (dialog) {
    say(`Sandbox ${withoutControls(state.isolation.text)}`);
    if (state.isolation.hint !== undefined) say(ctx.paint.warn(`To get it: ${withoutControls(state.isolation.hint)}`));
  }
  const sandbox =
    answers.isolation ??
    (dialog &&
      isolationModes[
        indexOf(
          await dialog.choose({
            title: "Run commands that you did not approve in a sandbox?",
            choices: isolationModes,
            initial: isolationModes.findIndex((each) => each.mode === isolation.mode),
          }),
        )
      ]?.mode);
  const changed: string[] = [];
  const set = async (key: string, value: string | undefined, before: string) => {
    if (value === undefined || value === before) return;
    await ctx.renewed().run("config.set", { key, value });
    changed.push(`${key} ${value}`);
  };
  await set("approvals.mode", mode, approvals.mode);
  await set("isolation.mode", sandbox, isolation.mode);
  return { section: "agent", isChanged: changed.length > 0, result: changed.join(", ") || "unchanged" };
}

const backends = [
  { backend: "local", label: "This machine", description: "in the sandbox, where it works" },
  { backend: "docker", label: "Docker or Podman", description: "a container on this machine" },
  { backend: "ssh", label: "SSH", description: "another machine" },
  { backend: "singularity", label: "Singularity or Apptainer", description: "a container without root" },
  { backend: "modal", label: "Modal", description: "a rented machine; needs an account" },
  { backend: "daytona", label: "Daytona", description: "a rented machine; needs an account" },
] as const;

/** Configures where commands run. */
export async function setUpTerminal({ ctx, answers, dialog }: SetupScene): Promise<SetupOutcome> {
  const { terminal } = (await ctx.renewed().config()).values;
  const initial = Math.max(
    0,
    backends.findIndex(({ backend }) => backend === terminal.backend),
  );
  const picked = dialog && (await dialog.choose({ title: "Where should commands run?", choices: backends, initial }));
  const backend = answers.backend ?? (picked === undefined ? undefined : backends[indexOf(picked)]?.backend);
  const settings: [key: string, value: string][] = [];
  if (backend !== undefined && backend !== terminal.backend) settings.push(["terminal.backend", backend]);
  if (dialog && backend === "ssh") {
    const host = await dialog.line("Host", terminal.ssh_host === "" ? undefined : terminal.ssh_host);
    const user = await dialog.line("User", terminal.ssh_user === "" ? undefined : terminal.ssh_user);
    if (host === "")
      throw new CommandFailed("SSH needs a host.", "Nothing was changed. hermes setup terminal asks again.");
    settings.push(
      ["terminal.ssh_host", host],
      ...(user === "" ? [] : [["terminal.ssh_user", user] as [string, string]]),
    );
  }
  if (dialog && backend === "docker") {
    const image = await dialog.line("Image", terminal.docker_image);
    if (image !== terminal.docker_image) settings.push(["terminal.docker_image", image]);
  }
  for (const [key, value] of settings) await ctx.renewed().run("config.set", { key, value });
  const result = settings.map(([key, value]) => `${key} ${value}`).join(", ");
  return { section: "terminal", isChanged: settings.length > 0, result: result || "unchanged" };
}

/** Toolsets of new sessions. */
export async function setUpTools({ ctx, answers, dialog }: SetupScene): Promise<SetupOutcome> {
  const { toolsets } = await ctx.renewed().run("toolsets.choices", {});
  const marked =
    answers.toolsets ??
    (dialog &&
      (
        await dialog.mark({
          title: "Which tools should the agent have?",
          choices: toolsets.map(({ name, description }) => ({ label: name, description })),
          initial: toolsets.flatMap(({ isOn }, index) => (isOn ? [index] : [])),
        })
      ).map((index) => toolsets[index]?.name ?? ""));
  if (marked === undefined) return { section: "tools", isChanged: false, result: "unchanged" };
  const unknown = marked.find((name) => !toolsets.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new CommandFailed(
      `There is no toolset "${unknown}".`,
      `Use: ${toolsets.map(({ name }) => name).join(", ")}`,
      2,
    );
  const on = toolsets.filter(({ name, isOn }) => !isOn && marked.includes(name)).map(({ name }) => name);
  const off = toolsets.filter(({ name, isOn }) => isOn && !marked.includes(name)).map(({ name }) => name);
  if (on.length + off.length === 0) return { section: "tools", isChanged: false, result: "unchanged" };
  await ctx.renewed().run("toolsets.select", { on, off });
  const result = [...on.map((name) => `${name} on`), ...off.map((name) => `${name} off`)].join(", ");
  return { section: "tools", isChanged: true, result };
}

function indexOf(picked: number | string): number {
  return typeof picked === "number" ? picked : -1;
}
