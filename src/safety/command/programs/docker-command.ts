import { words } from "../../../base/text/words.ts";
import type { Field } from "../shell/field.ts";
import { type Option, type ReadOptions, readOptions } from "./options.ts";

export interface DockerCommand {
  /** The subcommand and its arguments, such as `run` or `compose down -v`. */
  readonly words: readonly Field[];
  readonly globals: ReadOptions;
  /** The options, the image or container, and the command inside it. Set for `run`, `create` and `exec`. */
  readonly run: { readonly options: readonly Option[]; readonly command: readonly Field[] } | undefined;
}

const globalOptions = words(
  "host context config log-level tlscacert tlscert tlskey url connection root runroot identity",
);

/** Parses the arguments of `docker`, `podman` and similar programs, with their global options. */
export function readDocker(args: readonly Field[]): DockerCommand {
  const globals = readOptions(args, {
    short: "Hcl",
    long: globalOptions,
    isPrefix: true,
  });
  const { operands } = globals;
  const isCompose = operands[0]?.text === "compose";
  const inner = isCompose
    ? readOptions(operands.slice(1), {
        short: "fp",
        long: ["file", "project-name", "profile", "env-file", "project-directory"],
        isPrefix: true,
      }).operands
    : /^(?:container|pod)$/u.test(operands[0]?.text ?? "")
      ? operands.slice(1)
      : operands;
  const verb = inner[0]?.text;
  const named = isCompose && operands[0] ? [operands[0], ...inner] : operands;
  if (verb !== "run" && verb !== "exec" && verb !== "create") return { words: named, globals, run: undefined };
  const read = readOptions(inner.slice(1), { ...runShape, isPrefix: true });
  return { words: named, globals, run: { options: read.options, command: read.operands.slice(1) } };
}

const runShape = {
  short: "aceuwvplhm",
  long: words(`
  name env env-file volume mount publish expose network net user workdir entrypoint hostname label memory cpus
  restart platform pull gpus device cap-add cap-drop security-opt pid ipc userns uts cgroupns tmpfs ulimit
  shm-size dns add-host link log-driver log-opt runtime stop-signal stop-timeout volumes-from volume-driver
  group-add health-cmd health-interval cidfile cpu-shares cpuset-cpus ip mac-address isolation sysctl detach-keys
  index memory-swap pids-limit arch os pod secret authfile annotation
`),
};
