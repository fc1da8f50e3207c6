import { words } from "../../../base/text/words.ts";
import { readOptions } from "../../command/programs/options.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";

/** Returns the image that a command runs as a container, unless it is a common one. */
export function foreignImage({ argv }: SimpleCommand, name: string): string | undefined {
  if (name === "kubectl") {
    const [verb] = argv.slice(1);
    return /^(?:run|create|set)$/u.test(verb?.text ?? "")
      ? argv
          .map(({ text }) => /^--image=(.*)$/su.exec(text)?.[1])
          .find((image) => image !== undefined && !isCommon(image))
      : undefined;
  }
  if (name !== "docker") return undefined;
  const index = argv.findIndex(({ text }, place) => place < 4 && /^(?:run|create)$/u.test(text));
  const group = argv[1]?.text;
  if (index < 0 || (index > 1 && group !== "container" && !group?.startsWith("-"))) return undefined;
  const [image] = readOptions(argv.slice(index + 1), runOptions).operands;
  return image && !isCommon(image.text) ? image.text : undefined;
}

/** An image without an owner is maintained by the registry itself, or was built here. */
function isCommon(image: string): boolean {
  return !image.replace(/^docker\.io\/(?:library\/)?/u, "").includes("/");
}

const runOptions = {
  short: "aceuhlmpvwP",
  long: words(`
    name env env-file volume mount publish workdir user network platform entrypoint hostname add-host cpus memory restart
    label shm-size gpus ulimit cap-add cap-drop security-opt device tmpfs link log-driver log-opt pull expose dns ip
    volumes-from attach cidfile ipc pid runtime stop-signal stop-timeout userns health-cmd group-add
  `),
  isPrefix: true,
};
