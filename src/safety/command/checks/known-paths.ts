import { words } from "../../../base/text/words.ts";
import type { RuleId } from "../rules.ts";

export interface PathPlace {
  readonly home: string;
  /** The folder of the project. Files in it and in temporary folders may change without approval. */
  readonly workspace: string;
}

/** Files that contain keys and passwords. */
export function isSecretFile(path: string, place: PathPlace): boolean {
  if (systemSecret.test(path) || isHistoryFile(path, place)) return true;
  if (/\/\.env(?:\.(?:local|development|production|test|staging|prod|dev)(?:\.local)?)?$|\/\.envrc$/u.test(path))
    return true;
  if (keyFile.test(path)) return true;
  const own = belowHome(path, place.home) ?? "";
  const within = /\/(\.(?:ssh|aws|gnupg|kube)(?:\/.*)?)$/u.exec(path)?.[1] ?? own;
  return (
    (secretBelowHome.test(own) || secretBelowHome.test(within)) &&
    !openBelowHome.test(own) &&
    !openBelowHome.test(within)
  );
}

const systemSecret =
  /^\/etc\/(?:shadow|gshadow|sudoers|security\/opasswd|krb5\.keytab|master\.passwd|kubernetes\/(?:admin|.*\.conf|pki)|rancher\/k3s\/k3s\.yaml|ssl\/private|letsencrypt\/(?:live|archive)|wireguard|NetworkManager\/system-connections|ppp\/chap-secrets|ssh\/ssh_host_\w+_key)(?:[.-]|\/|$)|^\/proc\/(?:\d+|self|\*|[^/]+)\/(?:environ|mem)$|^\/dev\/(?:mem|kmem|port)$|^\/proc\/kcore$|^\/run\/secrets\/|^\/var\/run\/secrets\/|^\/var\/lib\/(?:docker|kubelet)\/.*(?:secret|token|config\.v2)|^\/(?:private\/)?var\/db\/dslocal/u;

/** Key files that are recognised by their name in any folder. */
const keyFile =
  /\/(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|credentials\.json|service[-_]account(?:[-_]key)?\.json|client_secret[^/]*\.json|\.git-credentials|\.netrc|\.pgpass|\.pypirc|\.vault-token|\.htpasswd|secrets?\.(?:ya?ml|json|toml)|[^/]*\.(?:p12|pfx|jks|keystore|kdbx|ppk))$|\/\.aws\/credentials$|\/\.kube\/config$|\/\.docker\/config\.json$/u;

const secretBelowHome =
  /^(?:\.ssh(?:\/|$)|\.gnupg(?:\/|$)|\.aws(?:\/|$)|\.kube(?:\/|$)|\.docker(?:\/config\.json)?$|\.azure(?:\/|$)|\.config\/(?:gh|gcloud|op|hub|doctl|rclone|heroku|helm|configstore|containers\/auth\.json)(?:\/|$)|\.netrc$|\.pgpass$|\.my\.cnf$|\.mylogin\.cnf$|\.npmrc$|\.yarnrc\.yml$|\.pypirc$|\.git-credentials$|\.vault-token$|\.password-store(?:\/|$)|\.terraform\.d\/credentials|\.terraformrc$|\.gem\/credentials|\.cargo\/credentials|\.m2\/settings|\.gradle\/gradle\.properties$|\.s3cfg$|\.boto$|\.oci(?:\/|$)|\.fly(?:\/|$)|\.electrum|\.bitcoin|\.ethereum|\.config\/solana|\.mozilla(?:\/|$)|\.config\/(?:google-chrome|chromium|BraveSoftware)|Library\/(?:Keychains|Application Support\/(?:Google\/Chrome|Firefox|BraveSoftware)|Cookies)|\.local\/share\/keyrings|\.hermes\/(?:\.env|credentials\.json|sessions\.db|auth\.json|auth\.lock|\.anthropic_oauth\.json|webhook_subscriptions\.json|state\.db|auth|mcp-tokens|pairing|sessions|audit|skills\/\.hub|cache\/bws_cache))/u;

/** Files in a secret folder that contain no secret, such as `known_hosts`. */
const openBelowHome =
  /^\.ssh\/(?:[^/]*\.pub|known_hosts(?:\.old)?|config|config\.d\/.*|allowed_signers|authorized_keys)$|^\.aws\/config$|^\.gnupg\/(?:gpg(?:-agent)?\.conf|pubring\.kbx)$|^\.config\/gh\/config\.yml$|^\.kube\/cache/u;

/** Returns the rule for a change to a special file: secrets, start-up files, scheduled code, files of Hermes. */
export function specialFileRule(path: string, place: PathPlace): RuleId | undefined {
  if (isHermes(path)) return "own_files";
  if (path.endsWith("/.git/config")) return "git_config";
  if (persistentAnywhere.test(path)) return "persistence";
  const own = belowHome(path, place.home);
  if (own !== undefined) {
    if (persistentBelowHome.test(own)) return "persistence";
    if (secretBelowHome.test(own) || startFile.test(own)) return "user_secret";
  }
  return systemSecret.test(path) || /\/\.(?:netrc|pgpass|npmrc|pypirc|git-credentials)$/u.test(path)
    ? "user_secret"
    : undefined;
}

const startFile =
  /^(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xinitrc|xsession|xprofile|pam_environment|vimrc|emacs|tmux\.conf|screenrc|gitconfig|gdbinit|pythonrc|irbrc|curlrc|wgetrc)|\.config\/(?:fish\/.+|git\/config|nvim\/.+|environment\.d\/.+|pip\/pip\.conf)|\.pip\/pip\.conf|\.vim\/.+|\.oh-my-zsh\/.+|\.zsh\/.+|\.bashrc\.d\/.+)$/u;

const persistentBelowHome =
  /^(?:\.config\/(?:autostart|systemd)(?:\/|$)|\.local\/share\/systemd(?:\/|$)|Library\/Launch(?:Agents|Daemons)(?:\/|$)|\.ssh\/(?:authorized_keys2?|rc)$|\.config\/upstart)/u;

const persistentAnywhere =
  /\/\.git\/hooks\/(?!.*\.sample$)|\/\.ssh\/authorized_keys2?$|^\/etc\/(?:cron|systemd|init\.d|rc\.|profile|bash\.bashrc|zsh\/|environment|ld\.so|pam\.d|xdg\/autostart|update-motd\.d|udev|modules-load|apt\/apt\.conf)|^\/var\/spool\/(?:cron|at)|^\/Library\/Launch|^\/(?:usr\/)?lib\/systemd\//u;

function isHermes(path: string): boolean {
  return /\/\.hermes(?:\/|$)/u.test(path) && !/\/\.hermes\/(?:plans|notes|workspace|worktrees)\//u.test(path);
}

export function isHistoryFile(path: string, { home }: PathPlace): boolean {
  const own = belowHome(path, home);
  return (
    own !== undefined && /^\.(?:bash|zsh|sh|python|mysql|psql|node_repl|local\/share\/fish\/fish)_history$/u.test(own)
  );
}

/** Returns the part of a path below the home folder of this user, of root or of any user. */
function belowHome(path: string, home: string): string | undefined {
  if (path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  return /^\/(?:root|(?:home|Users)\/[^/]+)\/(.+)$/u.exec(path)?.[1];
}

/** Returns the paths that a pattern such as `/e?c/sh*` can match. */
export function wellKnownPaths({ home }: PathPlace): readonly string[] {
  return [...everywhere, home, ...inHome.map((name) => `${home}/${name}`)];
}

const everywhere: readonly string[] = words(`
  / /home /root /etc /usr /var /bin /sbin /boot /lib /lib64 /dev /proc /sys /etc/shadow /etc/gshadow /etc/sudoers
  /etc/passwd /etc/crontab /etc/hosts /usr/bin /usr/lib /dev/sda /dev/sda1 /dev/sdb /dev/nvme0n1 /dev/vda
  /dev/xvda /dev/hda /dev/mmcblk0 /proc/sysrq-trigger /proc/1/environ /root/.ssh/id_rsa
`);

const inHome: readonly string[] = words(`
  .ssh .ssh/id_rsa .ssh/id_ed25519 .ssh/id_ecdsa .ssh/authorized_keys .bashrc .zshrc .profile .aws
  .aws/credentials .kube/config .netrc .npmrc .pypirc .pgpass .git-credentials .gnupg .hermes .hermes/.env
  .hermes/config.yaml .hermes/auth.json .hermes/credentials.json .docker/config.json .bash_history
`);
