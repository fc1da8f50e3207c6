import type { PanelName } from "../../../../contracts/host/command.ts";
import type { PanelHost } from "./panel-host.ts";

/** Opens a panel by its name, until the user closes it. `about`: the initial search text. */
export async function openPanel(name: PanelName, about: string, host: PanelHost): Promise<void> {
  switch (name) {
    case "palette":
      return (await import("../pickers/palette.ts")).openPalette(host, about);
    case "sessions":
      return (await import("../pickers/pick-session.ts")).pickSession(host, about);
    case "tree":
      return (await import("../pickers/pick-branch.ts")).pickBranch(host);
    case "checkpoints":
      return (await import("../pickers/pick-checkpoint.ts")).pickCheckpoint(host);
    case "queue":
      return (await import("../pickers/pick-queued.ts")).pickQueued(host);
    case "models":
      return (await import("../pickers/pick-model.ts")).pickModel(host, about);
    case "calls":
      return (await import("../pickers/pick-call.ts")).pickCall(host);
    case "keys":
      return (await import("../pickers/pick-key.ts")).pickKey(host);
    case "agents":
      return (await import("../pickers/pick-agent.ts")).pickAgent(host);
    case "files":
      return (await import("../pickers/pick-file.ts")).pickFile(host, about);
    case "prompt":
      return (await import("./prompt-composer.ts")).openPromptComposer(host, about);
  }
}
