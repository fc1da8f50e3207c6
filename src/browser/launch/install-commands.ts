/** How to install a browser on a system. */
export interface InstallCommands {
  readonly system: string;
  /** Commands in order of preference. */
  readonly commands: readonly string[];
}

/** `osRelease` is the content of /etc/os-release. */
export function browserInstallCommands(platform: NodeJS.Platform, osRelease: string): InstallCommands {
  if (platform === "darwin")
    return { system: "macOS", commands: ["brew install --cask chromium", "brew install --cask google-chrome"] };
  if (platform !== "linux") return { system: platform, commands: ["install Chromium or Google Chrome"] };
  const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)`, "mu").exec(osRelease)?.[1] ?? "";
  const names = [field("ID"), ...field("ID_LIKE").split(" ")];
  const system = field("PRETTY_NAME") || "Linux";
  // Ubuntu's package is a snap, which cannot read the folders that Hermes passes to it.
  if (names[0] === "ubuntu")
    return { system, commands: ["install the .deb package of Google Chrome: https://www.google.com/chrome/"] };
  const row = systems.find(({ ids }) => names.some((name) => ids.includes(name)));
  return { system, commands: row?.commands ?? ["install Chromium with the package manager of this system"] };
}

const systems: readonly { readonly ids: readonly string[]; readonly commands: readonly string[] }[] = [
  {
    ids: ["debian"],
    commands: [
      "apt-get install --no-install-recommends chromium-headless-shell",
      "apt-get install --no-install-recommends chromium",
    ],
  },
  { ids: ["fedora", "rhel", "centos"], commands: ["dnf install chromium-headless", "dnf install chromium"] },
  { ids: ["alpine"], commands: ["apk add chromium"] },
  { ids: ["arch"], commands: ["pacman -S chromium"] },
  { ids: ["opensuse", "suse"], commands: ["zypper install chromium"] },
];
