/**
 * Advice how to get a working sandbox on Linux, depending on the reason why it does not work. `contentOf` returns the
 * text of a file, if it exists.
 */
export function sandboxAdvice(reason: string, contentOf: (file: string) => string | undefined): string {
  if (reason.includes("not installed")) {
    const command = installCommand(contentOf("/etc/os-release") ?? "");
    if (command !== undefined) return `Install bubblewrap: \`${command}\``;
    return "Install the package bubblewrap (apt, dnf, pacman, zypper and apk have it under this name).";
  }
  const settings = restrictions.filter(({ file, value }) => contentOf(file) === value);
  if (settings.length > 0)
    return `Allow user namespaces: ${settings.map(({ command }) => `\`sudo sysctl ${command}\``).join(", ")}; a file in /etc/sysctl.d keeps it.`;
  if (contentOf("/.dockerenv") !== undefined || contentOf("/run/.containerenv") !== undefined)
    return "In a container, user namespaces must be permitted: start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined.";
  return "Update bubblewrap, and allow user namespaces for it.";
}

/** The command of this distribution, by `ID` and `ID_LIKE` in its os-release file. */
function installCommand(osRelease: string): string | undefined {
  const ids = [...osRelease.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gmu)].flatMap(([, value = ""]) =>
    value.split(/\s+/u),
  );
  return installers.find(({ system }) => ids.includes(system))?.command;
}

const installers: readonly { readonly system: string; readonly command: string }[] = [
  { system: "debian", command: "sudo apt install bubblewrap" },
  { system: "ubuntu", command: "sudo apt install bubblewrap" },
  { system: "fedora", command: "sudo dnf install bubblewrap" },
  { system: "rhel", command: "sudo dnf install bubblewrap" },
  { system: "arch", command: "sudo pacman -S bubblewrap" },
  { system: "suse", command: "sudo zypper install bubblewrap" },
  { system: "opensuse", command: "sudo zypper install bubblewrap" },
  { system: "alpine", command: "sudo apk add bubblewrap" },
];

const restrictions: readonly { readonly file: string; readonly value: string; readonly command: string }[] = [
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    value: "0",
    command: "kernel.unprivileged_userns_clone=1",
  },
  { file: "/proc/sys/user/max_user_namespaces", value: "0", command: "user.max_user_namespaces=15000" },
  {
    file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    value: "1",
    command: "kernel.apparmor_restrict_unprivileged_userns=0",
  },
];
