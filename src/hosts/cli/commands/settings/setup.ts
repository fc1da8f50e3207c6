import type { CliCommand } from "../../command.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["setup"],
    summary: "Set up the model, safety, tools and shell completion, step by step",
    details:
      "SECTION limits the questions to one topic: model, agent (approvals and sandbox), terminal (where commands run), tools, completion, import. " +
      "Each answer is saved when its section is complete; Esc, q or Ctrl-C leaves. Run it again to change answers: the current " +
      "values are the defaults. If you pass any of the answer options, it asks nothing, so that a script can use it. Never pass keys on the " +
      "command line: `hermes auth add PROVIDER` reads one from standard input.",
    args: [
      {
        name: "section",
        summary: "model, agent, terminal, tools, completion or import",
        optional: true,
        choices: ["model", "agent", "terminal", "tools", "completion", "import"],
      },
    ],
    options: [
      { flags: "--quick", summary: "ask only about the model, and only if none is connected" },
      { flags: "--non-interactive", summary: "ask nothing: use only the options" },
      { flags: "--reset", summary: "first set everything that setup manages back to its default; keys stay" },
      { flags: "--reconfigure", summary: "ask everything again; the default" },
      { flags: "-y, --yes", summary: "with --reset: do not ask for confirmation" },
      { flags: "--provider <id>", summary: "provider of the model, such as openrouter or ollama; offline: no model" },
      { flags: "--model <name>", summary: "the model; default: the provider's own default" },
      { flags: "--base-url <url>", summary: "the address of a server of your own" },
      { flags: "--key-env <name>", summary: "the variable with the key for that address" },
      { flags: "--no-test", summary: "save the model without a test request" },
      {
        flags: "--approvals <mode>",
        summary: "readonly, manual, smart or yolo",
        choices: ["readonly", "manual", "smart", "yolo"],
      },
      { flags: "--isolation <mode>", summary: "auto, on or off", choices: ["auto", "on", "off"] },
      {
        flags: "--backend <name>",
        summary: "local, docker, ssh, singularity, modal or daytona",
        choices: ["local", "docker", "ssh", "singularity", "modal", "daytona"],
      },
      { flags: "--tools <names>", summary: "exactly these toolsets, separated by commas" },
      { flags: "--completion <shell>", summary: "bash, zsh, fish or none", choices: ["bash", "zsh", "fish", "none"] },
      { flags: "--import <names>", summary: "import from these: hermes-python, claude-code, codex, openclaw" },
    ],
    examples: [
      "hermes setup",
      "hermes setup model",
      "hermes setup --provider ollama --model qwen3:8b",
      "hermes setup --base-url http://10.0.0.5:8000/v1 --approvals manual --completion bash",
    ],
    async run(input, ctx) {
      const { runSetup } = await import("../../setup/run-setup.ts");
      return runSetup(input, ctx);
    },
  },
];
