import { readDocker } from "../programs/docker-command.ts";
import { type Option, readOptions } from "../programs/options.ts";
import { type Field, knownField } from "../shell/field.ts";
import { joinedPayload, textOption } from "./shells.ts";
import { commandAfter, prefixWrapper, type Wrapper } from "./wrapper.ts";

/** Handles programs that run a command on another machine. The command is judged like a local one. */
const ssh: Wrapper = (ran, name) => {
  const shape = { short: "BbcDEeFIiJLlmOopQRSWw", isPrefix: true };
  const { operands: given, values } = readOptions(ran.argv.slice(1), shape);
  // Options may also follow the host.
  const operands = [...given.slice(0, 1), ...readOptions(given.slice(1), shape).operands];
  const proxies = values("o").flatMap(
    ({ text }) => /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]([^]*)$/iu.exec(text)?.[1] ?? [],
  );
  const inner = operands.slice(1);
  const rest = inner[0]?.text === "--" ? inner.slice(1) : inner;
  const code = rest.length === 0 && ran.stdin.text !== undefined ? [knownField(ran.stdin.text)] : rest;
  return [
    ...joinedPayload(code, name),
    ...proxies.filter((text) => text !== "none").flatMap((text) => joinedPayload([knownField(text)], name)),
  ];
};

/** Handles `docker exec`, `docker run` and `docker compose exec`. */
const docker: Wrapper = (ran, name) => {
  // `podman unshare` runs a command of the host.
  if (ran.argv[1]?.text === "unshare") return [{ argv: ran.argv.slice(2), via: name }];
  const words = name === "docker" ? ran.argv.slice(1) : [knownField("compose"), ...ran.argv.slice(1)];
  const { run } = readDocker(words);
  if (!run) return [];
  const entry = run.options.findLast((option) => option.name === "entrypoint")?.value;
  const argv = entry && entry.text !== "" ? [entry, ...run.command] : run.command;
  if (argv.length === 0 || argv[0]?.text.startsWith("-") === true) return [];
  return [{ argv: onHost(argv, run.options, ran.cwd), via: `${name} run` }];
};

/** Replaces paths inside the container by the mounted folders of the host, so that the path rules apply. */
function onHost(argv: readonly Field[], options: readonly Option[], cwd: string): readonly Field[] {
  const mounts = options.flatMap(({ name, value }): [string, string][] => {
    const text = /^(?:v|volume|mount)$/u.test(name) ? (value?.text ?? "") : "";
    const given = /(?:^|,)(?:source|src)=([^,]*)/u.exec(text)?.[1] ?? text.split(":")[0] ?? "";
    const source = /^\.{1,2}(?:\/|$)/u.test(given) ? `${cwd}/${given}` : given;
    const target = /(?:^|,)(?:target|dst|destination)=([^,]*)/u.exec(text)?.[1] ?? text.split(":")[1] ?? "";
    return /^\/[\w./-]*$/u.test(source) && /^\/[\w./-]+$/u.test(target) ? [[source, target.replace(/\/$/u, "")]] : [];
  });
  if (mounts.length === 0) return argv;
  const renamed = (given: string) =>
    mounts.reduce(
      (text, [source, target]) =>
        text.replaceAll(new RegExp(`(?<![\\w./-])${target.replaceAll(".", "\\.")}(?![\\w.-])`, "gu"), () =>
          source.replace(/(?<=.)\/$/u, ""),
        ),
      given,
    );
  return argv.map((word) => ({ ...word, text: renamed(word.text) }));
}

/** Handles `kubectl exec pod -- cmd`, `kubectl run x --image=y -- cmd` and `kubectl debug … -- cmd`. */
const kubectl: Wrapper = (ran, name) => {
  const words = ran.argv.slice(1);
  const index = words.findIndex(({ text }) => /^(?:exec|run|debug|rsh)$/u.test(text));
  if (index < 0) return [];
  const read = readOptions(words.slice(index + 1), {
    short: "cfn",
    long: ["container", "namespace", "filename", "context", "image", "target", "kubeconfig", "restart", "overrides"],
  });
  if (read.afterDashes.length > 0) return [{ argv: read.afterDashes, via: `${name} exec` }];
  return words[index]?.text === "exec" || words[index]?.text === "rsh"
    ? commandAfter(ran, `${name} exec`, read, 1, false)
    : [];
};

/** Returns the words after a subcommand and a target: `lxc exec box -- cmd`. */
function execIn(...own: readonly string[]): Wrapper {
  return (ran, name) => {
    const words = ran.argv.slice(1);
    const index = words.findIndex(({ text }) => own.includes(text));
    if (index < 0) return [];
    const read = readOptions(words.slice(index + 1), {
      short: "Btubenpw",
      long: ["env", "user", "cwd", "bind", "home", "pwd", "name"],
      isPrefix: true,
    });
    const rest = read.operands.slice(1);
    return rest.length === 0 ? [] : [{ argv: rest[0]?.text === "--" ? rest.slice(1) : rest, via: name }];
  };
}

/** Handles `ansible -m shell -a 'code'`. Other modules are not analysed. */
const ansible: Wrapper = (ran, name) => {
  const read = readOptions(ran.argv.slice(1), {
    short: "aimfleutTkBPc",
    long: ["args", "module-name", "inventory", "user", "limit"],
  });
  const module = read.value("m", "module-name")?.text ?? "command";
  return /(?:^|\.)(?:command|shell|raw|script)$/u.test(module)
    ? read.values("a", "args").flatMap((text) => joinedPayload([text], name))
    : [];
};

const salt: Wrapper = (ran, name) => {
  const index = ran.argv.findIndex(({ text }) => text.startsWith("cmd."));
  return index < 0 ? [] : joinedPayload(ran.argv.slice(index + 1), name);
};

/** The operands are the hosts, followed by the command. */
const afterHosts =
  (short: string): Wrapper =>
  (ran, name) =>
    joinedPayload(readOptions(ran.argv.slice(1), { short, isPrefix: true }).operands, name);

const dashed: Wrapper = (ran, name) => {
  const words: readonly Field[] = readOptions(ran.argv.slice(1)).afterDashes;
  return words.length === 0 ? [] : [{ argv: words, via: name }];
};

/** Handles `heroku run rm x`, with or without `--`. */
function afterWord(verb: string): Wrapper {
  return (ran, name) => {
    const index = ran.argv.findIndex(({ text }) => text === verb);
    if (index < 0) return dashed(ran, name);
    const { operands } = readOptions(ran.argv.slice(index + 1), {
      short: "ars",
      long: ["app", "remote", "size", "env"],
      isPrefix: true,
    });
    return operands.length === 0 ? [] : [{ argv: operands, via: name }];
  };
}

export const remoteWrappers: Readonly<Record<string, Wrapper>> = {
  "ssh autossh": ssh,
  sshpass: prefixWrapper({ short: "pfdP" }),
  mosh: (ran, name) => {
    const read = readOptions(ran.argv.slice(1), { long: ["ssh", "server", "port"] });
    return joinedPayload(read.operands.slice(1), name);
  },
  "docker docker-compose podman-compose": docker,
  "kubectl k oc": kubectl,
  "lxc incus crictl nomad multipass": execIn("exec"),
  "machinectl limactl": execIn("shell"),
  "apptainer singularity": execIn("exec", "run"),
  lima: prefixWrapper(),
  vagrant: textOption("c", ["command"]),
  fly: textOption("C", ["command"]),
  "gcloud flatpak": textOption("", ["command"]),
  heroku: afterWord("run"),
  distrobox: dashed,
  toolbox: execIn("run"),
  ansible,
  salt,
  pdsh: afterHosts("wxlf"),
  dsh: afterHosts("mgM"),
  clush: afterHosts("wgxl"),
  pssh: afterHosts("hHlptoe"),
};
