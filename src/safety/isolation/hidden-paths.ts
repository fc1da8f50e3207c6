import { join } from "node:path";

import { words } from "../../base/text/words.ts";

/** Paths that sandboxed commands cannot see. */
export interface HiddenPaths {
  readonly paths: readonly string[];
  /** The hidden sockets, and folders that contain sockets. */
  readonly doors: readonly string[];
  /** Settings files that are hidden only if they contain a secret. */
  readonly mixed: ReadonlySet<string>;
}

export interface PersonFacts {
  readonly home: string;
  readonly userId: number;
  /** The environment variables at the start of this program. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns keys, passwords, browser data, and sockets through which another program could run commands. */
export function hiddenPaths({ home, userId, env }: PersonFacts): HiddenPaths {
  const secrets = [...secretNames, ...furtherNames].map((name) => join(home, name));
  const settings = settingNames.map((name) => join(home, name));
  const system = userId === 0 ? systemSecrets : [];
  const own = [`/run/user/${userId}`, `/tmp/tmux-${userId}`, `/tmp/emacs${userId}`];
  const allDoors = [...doors, ...own, ...namedDoors(env)];
  const clusters = env["KUBECONFIG"]?.split(":").filter((path) => /^\/./u.test(path)) ?? [];
  return {
    paths: [...secrets, ...settings, ...system, ...allDoors, ...clusters],
    doors: allDoors,
    mixed: new Set(settings),
  };
}

/** Returns whether a settings file contains a secret. */
export function hasSecret(text: string): boolean {
  return /_auth|auth_?token|passw(?:or)?d|secret|token|api_?key|identityToken|:\/\/[^/\s:@]*:[^/\s@]+@/iu.test(text);
}

/** Paths below the home folder that need approval to read. */
export const secretNames: readonly string[] = words(`
  .ssh .gnupg .aws .azure .kube .oci .fly .docker/config.json .config/gcloud .config/gh .config/hub .config/op .config/doctl
  .config/rclone .config/heroku .config/helm .config/containers/auth.json .config/solana .config/google-chrome .config/chromium
  .config/BraveSoftware .mozilla .local/share/keyrings .password-store .netrc .pgpass .my.cnf .mylogin.cnf .pypirc
  .git-credentials .vault-token .terraform.d/credentials.tfrc.json .gem/credentials .cargo/credentials .cargo/credentials.toml
  .s3cfg .boto .electrum .bitcoin .ethereum
`);

/** Data that no developer command needs: other agents, other services, browsers, chats, shell history. */
const furtherNames: readonly string[] = words(`
  .claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot .config/anthropic
  .huggingface/token .cache/huggingface/token .cache/huggingface/stored_tokens .kaggle/kaggle.json .config/sops .config/age
  .config/git/credentials .m2/settings-security.xml .databrickscfg .snowflake .config/snowflake .dbt/profiles.yml .config/ngrok
  .ngrok2 .config/stripe .config/netlify .local/share/com.vercel.cli .config/vercel .wrangler .config/.wrangler .railway
  .config/argocd .argocd .consul-token .nomad-token .config/scw .config/hcloud .config/linode-cli .aliyun .bluemix .step .pki
  .config/1Password .config/Bitwarden .config/rbw .local/share/kwalletd .config/microsoft-edge .config/vivaldi .config/opera
  snap/firefox snap/chromium .thunderbird .config/Signal .config/Slack .config/discord .local/share/TelegramDesktop .Xauthority
  .bash_history .zsh_history .python_history .psql_history .mysql_history .sqlite_history .node_repl_history .lesshst
  Library/Keychains Library/Cookies .local/share/fish/fish_history .screen .emacs.d/server .docker/desktop .docker/run .colima .lima .rd
`);

/** Settings that package managers need. They work without the tokens in them. */
export const settingNames: readonly string[] = words(`
  .npmrc .yarnrc .yarnrc.yml .m2/settings.xml .gradle/gradle.properties .config/pip/pip.conf .pip/pip.conf .terraformrc
  .bundle/config .composer/auth.json .config/composer/auth.json .nuget/NuGet/NuGet.Config .config/uv/uv.toml
`);

/** Files that are hidden only from root. Other users cannot read them anyway. */
const systemSecrets: readonly string[] = words(`
  /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/krb5.keytab /etc/kubernetes /etc/rancher
  /etc/ssl/private /etc/letsencrypt/live /etc/letsencrypt/archive /etc/wireguard /etc/NetworkManager/system-connections
`);

/** Sockets accept connections even on a read-only file system. */
const doors: readonly string[] = words(`
  /run/secrets /var/run/docker.sock /run/docker.sock /run/docker /run/containerd /run/crio /run/podman /run/dbus /run/systemd/private
  /run/systemd/io.systemd.ManagedOOM /run/snapd.socket /run/snapd-snap.socket /run/libvirt /run/screen /run/tmux /run/lxd
  /run/incus /var/lib/lxd/unix.socket /var/lib/incus/unix.socket /var/snap/lxd/common/lxd/unix.socket /tmp/.X11-unix
  /tmp/.ICE-unix
`);

/** Returns the sockets in environment variables: agents, buses, daemons, and programs that accept commands. */
function namedDoors(env: PersonFacts["env"]): readonly string[] {
  const values = doorVariables.flatMap((name) => env[name]?.split(/[,;]/u, 1) ?? []);
  const paths = values.map((value) => /^(?:unix:(?:\/\/|path=)?)?(\/.+)$/u.exec(value)?.[1]);
  return paths.flatMap((path) => path ?? []);
}

const doorVariables: readonly string[] = words(`
  SSH_AUTH_SOCK DOCKER_HOST CONTAINER_HOST DBUS_SESSION_BUS_ADDRESS XAUTHORITY XDG_RUNTIME_DIR TMUX NVIM NVIM_LISTEN_ADDRESS
  KITTY_LISTEN_ON VSCODE_IPC_HOOK_CLI VSCODE_IPC_HOOK VSCODE_GIT_IPC_HANDLE SWAYSOCK I3SOCK
`);
