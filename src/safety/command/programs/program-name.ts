import { rowsByName, words } from "../../../base/text/words.ts";
import { type Field, literal } from "../shell/field.ts";
import { matchesGlob } from "../text/glob.ts";

/** Returns the name of a program without folder, version and extension. Undefined if unknown. */
export function programName(word: Field | undefined): string | undefined {
  const text = word && literal(word);
  if (text === undefined) return undefined;
  // A fast path for plain names.
  if (plain.test(text)) return aliases.get(text) ?? text;
  if (/^\/proc\/(?:self|\$\$|\d+)\/exe$/u.test(text)) return "bash";
  const last = text.slice(text.lastIndexOf("/") + 1).toLowerCase();
  const name = word?.isPattern === true && text !== "[" ? namesThatFit(last) : last;
  if (name === undefined) return undefined;
  const bare = name.replace(/\.(?:exe|cmd|bat|com)$/u, "");
  return (
    aliases.get(bare) ?? bare.replace(/^(python|pip|node|ruby|perl|php|lua|gcc|clang|bash|tclsh)-?\d[\d.]*$/u, "$1")
  );
}

const plain = /^[a-z_:-]+$/u;

/** Returns the most dangerous program that a pattern such as `/bin/r?` matches. */
function namesThatFit(pattern: string): string | undefined {
  return /[*?[]/u.test(pattern) ? graveNames.find((name) => matchesGlob(pattern, name)) : pattern;
}

const graveNames: readonly string[] = words(`
  rm mkfs mkfs.ext4 dd shutdown reboot poweroff halt init kill killall systemctl bash sh zsh dash ksh sudo env
  xargs find eval python3 python perl node chmod chown mv cp tee shred curl wget nc ncat cat git crontab busybox
`);

/** Other names of the same program. */
const aliases: ReadonlyMap<string, string> = new Map(
  rowsByName({
    gmake: "make",
    "nvim vi view ex rvim": "vim",
    nodejs: "node",
    gsed: "sed",
    "gawk mawk nawk": "awk",
    "gtar bsdtar": "tar",
    gfind: "find",
    grm: "rm",
    gdd: "dd",
    gxargs: "xargs",
    "pypy pypy3": "python",
    rbash: "bash",
    "ash dash": "sh",
    mksh: "ksh",
    pwsh: "powershell",
    "ncat netcat nc.traditional nc.openbsd": "nc",
    "podman nerdctl": "docker",
    gcp: "cp",
    gmv: "mv",
    gchmod: "chmod",
    gchown: "chown",
    gshred: "shred",
    gtruncate: "truncate",
    tofu: "terraform",
    flyctl: "fly",
    "ip6tables iptables-legacy iptables-nft": "iptables",
    fdfind: "fd",
    mariadb: "mysql",
    "mariadb-admin": "mysqladmin",
    "apt aptitude": "apt-get",
    "yum microdnf": "dnf",
    "keydb-cli valkey-cli": "redis-cli",
    mongo: "mongosh",
    sdelete64: "sdelete",
  }),
);
