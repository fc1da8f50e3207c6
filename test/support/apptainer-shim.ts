import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * A program with the command line of apptainer. An instance is a separate process namespace with this machine's
 * files; commands in it really run. Each call is recorded as a line in `calls`.
 */
export async function writeApptainerShim(
  folder: string,
): Promise<{ readonly program: string; readonly calls: string }> {
  const program = join(folder, "bin", "apptainer");
  const calls = join(folder, "calls");
  await mkdir(join(folder, "bin"), { recursive: true });
  await mkdir(join(folder, "instances"), { recursive: true });
  await writeFile(program, script(folder, calls));
  await chmod(program, 0o755);
  return { program, calls };
}

function script(folder: string, calls: string): string {
  return `#!/bin/bash
cd '${folder}/instances'
line=
for word in "$@"; do line="$line\${line:+ }\${word%%$'\\n'*}"; done
printf '%s\\n' "$line" >>'${calls}'
fatal() { echo "FATAL:   $*" >&2; exit 255; }
alive() { [ -s "$1" ] && read -r pid start outer <"$1" && [ "$(started "$pid")" = "$start" ]; }
started() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }
case "$1 $2" in
  "version "*) echo 1.3.4;;
  "build "*)
    image=\${@: -1}; file=\${@: -2:1}
    case $image in *missing*) fatal "while building: $image: manifest unknown";; esac
    echo "INFO:    Creating SIF file..." >&2; sleep 0.2; echo "$image" >"$file";;
  "instance list")
    printf '{"instances":['; comma=
    for one in *; do alive "$one" && { printf '%s{"instance":"%s","pid":%s}' "$comma" "$one" "$pid"; comma=,; }; done
    printf ']}\\n';;
  "instance start")
    name=\${@: -1}; image=\${@: -2:1}
    [ -e "$image" ] || fatal "could not open image $image: no such file or directory"
    [ -e '${folder}/no-cgroups' ] && case "$*" in *--cpus*) fatal "while applying cgroups config: cgroups are not usable";; esac
    (set -C; : >"$name") 2>/dev/null || { alive "$name" && fatal "instance $name already exists"; }
    setsid unshare --fork --pid --mount-proc --kill-child sleep infinity </dev/null >/dev/null 2>&1 &
    outer=$!
    while pid=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null); pid=\${pid% }; [ -z "$pid" ] || [ "$(cat /proc/$pid/comm)" != sleep ]; do sleep 0.01; done
    printf '%s %s %s\\n' "$pid" "$(started "$pid")" "$outer" >|"$name"
    echo "INFO:    instance started successfully" >&2;;
  "instance stop")
    alive "$3" || fatal "no instance found"
    kill -KILL "$pid"; rm -f "$3"
    # A dead process is there until somebody takes note of it, which is not waited for.
    while read -r line <"/proc/$outer/stat" && [[ $line != *') Z '* ]]; do sleep 0.01; done 2>/dev/null;;
  "exec "*)
    shift; cleaned=
    while :; do case $1 in
      --cleanenv) cleaned=1; shift;;
      --pwd) pwd=$2; shift 2;;
      *) break;;
    esac; done
    name=\${1#instance://}; shift
    alive "$name" || fatal "no instance found with name $name"
    cd "\${pwd:-/}"
    [ -n "$cleaned" ] && set -- env -i TMPDIR='${folder}' PATH="$PATH" HOME="$HOME" TERM="\${TERM:-dumb}" "$@"
    exec nsenter --target "$pid" --pid --mount "$@";;
  *) fatal "unknown command: $*";;
esac
`;
}
