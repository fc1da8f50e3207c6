import { type Fact, path, rule } from "../fact.ts";
import { type Field, hole, knownField } from "../shell/field.ts";
import { readDocker } from "./docker-command.ts";
import type { Program, Programs } from "./program.ts";
import { everyUse, anyMatching, firstMatching } from "./verbs.ts";

const docker: Program = (args) => {
  const { words, globals, run } = readDocker(args);
  const phrase = words.map(({ text }) => text).join(" ");
  const facts: Fact[] = [];
  if (globals.has("H", "host", "context", "c", "url", "remote", "connection")) facts.push(rule("container", ...args));
  if (stopping.test(phrase)) facts.push(rule("container", ...args));
  if (/^(?:image )?push(?: |$)|^manifest push|^(?:buildx )?build .*--push/u.test(phrase))
    facts.push(rule("publish", ...args));
  if (run) facts.push(...runFacts(run.options, args));
  return facts;
};

const stopping =
  /^(?:container )?(?:restart|stop|kill|rm|pause|update)(?: |$)|^(?:rmi|image (?:rm|remove|prune))(?: |$)|^(?:system|volume|container|network|builder|buildx|image) prune|^(?:volume|network|service|stack|secret|config|node|plugin|context|pod|machine) (?:rm|remove|use|kill|stop|reset)(?: |$)|^swarm (?:leave|init|join)|^(?:compose (?:down|stop|restart|kill|rm|pause)|play kube|pod (?:rm|kill|stop)|system reset)(?: |$)/u;

/** Options that give a container rights on the host machine. */
function runFacts(
  options: readonly { readonly name: string; readonly value: Field | undefined }[],
  args: readonly Field[],
): readonly Fact[] {
  const facts: Fact[] = [];
  for (const { name, value } of options) {
    const text = value?.text ?? "";
    if (isEscape(name, text)) facts.push(rule("container_escape", ...args));
    if (name === "v" || name === "volume" || name === "mount") facts.push(...mounted(name, value, args));
  }
  return facts;
}

function isEscape(name: string, value: string): boolean {
  switch (name) {
    case "privileged":
      return value !== "false";
    case "pid":
    case "userns":
    case "ipc":
    case "uts":
    case "cgroupns":
      return value === "host";
    case "cap-add":
      return /^(?:ALL|(?:CAP_)?(?:SYS_ADMIN|SYS_MODULE|SYS_PTRACE|SYS_RAWIO|DAC_READ_SEARCH|SYS_BOOT|BPF|SYS_CHROOT))$/iu.test(
        value,
      );
    case "security-opt":
      return /unconfined|disable|no-new-privileges[:=]false/u.test(value);
    case "device":
      return /^\/dev\/(?:sd|nvme|vd|xvd|hd|mem|kmem|mapper|dm-|disk|loop|fuse$)/u.test(value);
    default:
      return false;
  }
}

/** Folders of the host machine that no container needs. */
function mounted(name: string, value: Field | undefined, args: readonly Field[]): readonly Fact[] {
  if (!value) return [];
  const source =
    name === "mount"
      ? /(?:^|,)(?:source|src)=([^,]*)/u.exec(value.text)?.[1]
      : /^((?:[A-Za-z]:)?[^:]*):/u.exec(value.text)?.[1];
  if (source === undefined || source.startsWith(hole)) return [];
  const isHost =
    /^\/(?:\.\/?|\*)?$|^\/(?:etc|root|boot|proc|sys|dev|usr|var|lib|bin|sbin|home|run|private|Users)\/?$|^\/etc\/(?!localtime|timezone|ssl\/certs|ca-cert|hosts|resolv\.conf)|docker\.sock|containerd\.sock|podman\.sock|crio\.sock|^\/var\/(?:run|lib)\/|^\/proc\/|^\/sys\/(?:fs|kernel)|^\/dev\/(?:sd|nvme|mem)/u.test(
      source,
    );
  const isHome = /^\/(?:home|Users)\/[^/]+\/?$/u.test(source);
  if (isHost || isHome) return [rule("container_escape", ...args)];
  return source.startsWith("/") || source.startsWith(".") ? [path("read", { ...value, text: source })] : [];
}

const compose: Program = (args, ran, name) => docker([knownField("compose"), ...args], ran, name);

export const containerPrograms: Programs = {
  docker,
  "docker-compose podman-compose": compose,
  "lxc incus": firstMatching("container", /^(?:delete|stop|restart|rm|move)$/u),
  crictl: firstMatching("container", /^(?:rm|rmp|stop|stopp|rmi)$/u),
  ctr: anyMatching("container", /^(?:rm|delete|kill|remove)$|^--privileged$/u),
  machinectl: firstMatching("container", /^(?:poweroff|reboot|terminate|kill|remove|clean)$/u),
  nsenter: everyUse("container_escape"),
};
