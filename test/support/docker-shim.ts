import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * A program with the command line of docker that records its calls. Containers are files in a folder; their commands
 * run on this machine. `refuse` is the engine's error for `run` while a flag file exists.
 */
export interface DockerShim {
  readonly program: string;
  /** Arguments of each call so far. */
  calls(): Promise<readonly (readonly string[])[]>;
}

export async function writeDockerShim(
  folder: string,
  refuse: Readonly<Record<string, string>> = {},
  info: Readonly<Record<string, unknown>> = defaultInfo,
): Promise<DockerShim> {
  const program = join(folder, "docker");
  const log = join(folder, "calls");
  for (const part of ["containers", "run"]) await mkdir(join(folder, part), { recursive: true });
  await writeFile(log, "");
  await writeFile(join(folder, "info"), JSON.stringify(info));
  await writeFile(program, script(folder, log, refuse));
  await chmod(program, 0o755);
  return {
    program,
    calls: async () =>
      (await readFile(log, "utf8"))
        .split("\0\0")
        .slice(0, -1)
        .map((call) => call.split("\0")),
  };
}

const defaultInfo = { MemoryLimit: true, CpuCfsQuota: true, PidsLimit: true, Driver: "overlay2", ServerVersion: "1" };

function script(folder: string, log: string, refuse: Readonly<Record<string, string>>): string {
  const refusals = Object.entries(refuse).map(
    ([flag, words]) =>
      `case " $* " in *" ${flag} "*) echo 'docker: Error response from daemon: ${words}.' >&2; exit 125;; esac`,
  );
  return `#!/bin/bash
{ printf '%s' "$1"; for word in "\${@:2}"; do printf '\\0%s' "$word"; done; printf '\\0\\0'; } >>'${log}'
cd '${folder}/containers'
case $1 in
  info) cat ../info;;
  ps) ls;;
  inspect)
    [ -e "\${@: -1}" ] || exit 1
    case " $* " in *" --format "*) echo true;; *) echo "[$(cat -- "\${@: -1}")]";; esac;;
  run)
    ${refusals.join("\n    ")}
    labels=; before=
    for word; do
      [ "$before" = --label ] && labels="$labels\${labels:+,}\\"\${word%%=*}\\":\\"\${word#*=}\\""
      before=$word
    done
    while [ "$1" != --name ]; do shift; done
    (set -C; echo "{\\"Id\\":\\"$2\\",\\"State\\":{\\"Status\\":\\"running\\"},\\"Config\\":{\\"Labels\\":{$labels}}}" >"$2") 2>/dev/null || { echo "docker: Error response from daemon: Conflict. The container name is already in use." >&2; exit 125; }
    echo "$2";;
  rm) rm -f -- "\${@: -1}";;
  exec)
    shift; [ "$1" = --interactive ] && shift
    [ -e "$1" ] || { echo "Error response from daemon: No such container: $1" >&2; exit 1; }
    shift; cd /
    # The lease of a container is in its own /run, not in this machine's.
    exec unshare --map-root-user --mount sh -c 'mount --bind "$0" /run && exec "$@"' '${folder}/run' env TMPDIR='${folder}' "$@";;
esac
`;
}
