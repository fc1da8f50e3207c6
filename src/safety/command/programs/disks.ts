import { words } from "../../words.ts";
import { type Fact, path, rule } from "../fact.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { every, verbs, withWord } from "./verbs.ts";

const mkfs: Program = (args) =>
  args.length > 0 && args.every(({ text }) => /^(?:-V|--version|--help|-h)$/u.test(text))
    ? []
    : [rule("format_disk", ...args)];

const fileSystems: readonly string[] = words(`
  ext2 ext3 ext4 xfs btrfs vfat fat ntfs f2fs exfat minix cramfs msdos jfs reiserfs bfs udf nilfs2 ubifs ext4dev
  gfs2 ocfs2 zfs bcachefs erofs hfs hfsplus
`);

/** Everything but looking. */
const looking = (...words: readonly string[]): Program =>
  every("partition", ...words, "--help", "--version", "-V", "-h");

const mount: Program = (args) => {
  const { operands, has } = readOptions(args, { short: "toLUO", long: ["types", "options", "source", "target"] });
  return (operands.length > 0 || has("a", "all")) && !has("f", "fake") ? [rule("mount", ...args)] : [];
};

const ip: Program = verbs(
  [
    [
      "firewall",
      "link|l|addr|address|a|route|r|rule|neigh|netns|tunnel add|del|delete|set|flush|replace|change|append|down",
    ],
  ],
  { short: "fn", long: ["family"] },
);

const iptables: Program = (args) =>
  args.length > 0 && !args.some(({ text }) => /^(?:-[nvx]*L[nvx]*|-S|--list.*|-C|--check)$/u.test(text))
    ? [rule("firewall", ...args)]
    : [];

const sysctl: Program = (args) =>
  args.some(({ text }) => /^(?:-w|--write|-p|--load.*|--system)$|^[\w.-]+=/u.test(text))
    ? [rule("kernel", ...args)]
    : [];

const account: Program = every("user_account", "--help", "--version", "-h", "-S", "--status", "-V");

const raw: Program = (args): readonly Fact[] => readOptions(args).operands.map((target) => path("raw", target));

export const disks: Programs = {
  mkfs,
  ...Object.fromEntries(
    fileSystems.flatMap((type) => [
      [`mkfs.${type}`, mkfs],
      [`newfs_${type}`, mkfs],
    ]),
  ),
  mke2fs: mkfs,
  mkdosfs: mkfs,
  mkntfs: mkfs,
  mkexfatfs: mkfs,
  newfs: mkfs,
  wipefs: (args) =>
    readOptions(args, { short: "ot" }).has("a", "all", "o", "offset") ? [rule("partition", ...args)] : [],
  blkdiscard: every("partition", "--help", "-V"),
  badblocks: (args) => (readOptions(args, { short: "bcdeiopt" }).has("w", "n") ? [rule("partition", ...args)] : []),
  fdisk: looking("-l", "--list", "-x"),
  sfdisk: looking("-l", "--list", "-d", "--dump", "-J"),
  cfdisk: looking(),
  gdisk: looking("-l"),
  sgdisk: looking("-p", "--print", "-i"),
  parted: looking("-l", "--list", "print"),
  partprobe: looking("-s"),
  diskutil: verbs([
    ["partition", "erase*|partition*|secureErase|zeroDisk|randomDisk|reformat|unmount*|eject|apfs|resize*|cs|merge*"],
  ]),
  hdparm: (args) =>
    args.some(({ text }) => /^--(?:security|trim|write|make-bad|dco)/u.test(text)) ? [rule("partition", ...args)] : [],
  nvme: verbs([["partition", "format|sanitize|delete-ns|write|write-zeroes|fw-*"]]),
  mkswap: every("partition"),
  swapoff: every("mount"),
  swapon: every("mount", "-s", "--show", "--summary"),
  ...Object.fromEntries(
    words(`
  lvremove vgremove pvremove lvreduce lvresize lvextend vgreduce pvcreate vgcreate lvcreate pvmove lvconvert
  vgchange lvchange resize2fs xfs_growfs xfs_repair e2fsck fsck dmsetup ntfsfix lvrename vgrename growpart
  sgdisk-wipe e2label xfs_admin fatlabel ntfslabel fsck.ext2 fsck.ext3 fsck.ext4 fsck.xfs fsck.vfat fsck.btrfs
`).map((name) => [name, every("partition", "-n", "-N", "ls", "info", "status", "--help", "-V")]),
  ),
  tune2fs: looking("-l"),
  debugfs: (args) => (readOptions(args, { short: "fRbsdz" }).has("w") ? [rule("partition", ...args)] : []),
  mdadm: (args) =>
    args.some(({ text }) =>
      /^(?:--(?:stop|zero-superblock|create|remove|fail|grow|build|assemble)|-[SCrfGBA])/u.test(text),
    )
      ? [rule("partition", ...args)]
      : [],
  cryptsetup: verbs([
    ["partition", "luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt|resize|close|luksClose|format"],
  ]),
  zpool: verbs([["partition", "destroy|create|remove|labelclear|offline|detach|export|clear"]]),
  zfs: verbs([["partition", "destroy|rollback|create|rename|unmount|set|receive|recv|promote"]]),
  btrfs: verbs([["partition", "subvolume delete, device remove|delete, balance|rescue|check, filesystem resize"]]),
  losetup: (args) =>
    args.length > 0 && !args.some(({ text }) => /^-[alj]|^--(?:list|all)/u.test(text)) ? [rule("mount", ...args)] : [],
  mount,
  umount: every("mount", "--help", "-V"),
  shred: raw,
  insmod: every("kernel"),
  rmmod: every("kernel"),
  modprobe: every("kernel", "-n", "--dry-run", "--show-depends", "-D", "-c", "--showconfig", "-V"),
  kexec: (args) =>
    args.length === 0
      ? []
      : [rule(args.some(({ text }) => /^(?:-\w*e|--exec)$/u.test(text)) ? "power" : "kernel", ...args)],
  sshfs: every("mount"),
  fusermount: every("mount"),
  fusermount3: every("mount"),
  dkms: verbs([["kernel", "remove|uninstall|install|add"]]),
  depmod: every("kernel", "-n"),
  sysctl,
  bpftool: verbs([["kernel", "prog load|attach|detach, map update|delete, net attach"]]),
  perf_event: every("kernel"),
  iptables,
  ip,
  nft: verbs([["firewall", "flush|delete|add|insert|replace|create|destroy|reset"]], { short: "f" }),
  "iptables-restore": every("firewall"),
  ufw: verbs([["firewall", "disable|reset|enable|allow|deny|reject|delete|limit|default|insert|route"]]),
  "firewall-cmd": (args) =>
    args.some(({ text }) => /^--(?:add|remove|set|reload|panic-on|permanent|complete|delete|new)/u.test(text))
      ? [rule("firewall", ...args)]
      : [],
  pfctl: (args) => (args.some(({ text }) => /^-[a-z]*[deFf]/u.test(text)) ? [rule("firewall", ...args)] : []),
  ipset: verbs([["firewall", "flush|destroy|add|del|create|x|f"]]),
  ebtables: iptables,
  arptables: iptables,
  ifconfig: (args) => (args.length > 1 && !args.some(({ text }) => text === "-a") ? [rule("firewall", ...args)] : []),
  route: withWord("firewall", "add", "del", "delete", "flush", "change"),
  ifdown: every("firewall"),
  ifup: every("firewall"),
  nmcli: verbs([
    ["firewall", "con|connection|c down|delete|modify|add|edit|up"],
    ["firewall", "networking|n off"],
    ["firewall", "radio|r * off"],
    ["firewall", "dev|device|d disconnect|delete|set"],
  ]),
  networksetup: (args) =>
    args.some(({ text }) => /^-(?:set|remove|create|delete|add)/u.test(text)) ? [rule("firewall", ...args)] : [],
  rfkill: verbs([["firewall", "block"]]),
  tc: verbs([["firewall", "qdisc|class|filter add|del|delete|replace|change"]]),
  arp: withWord("firewall", "-d", "-s"),
  ...Object.fromEntries(
    words(`
  useradd userdel usermod groupadd groupdel groupmod passwd chpasswd adduser deluser addgroup delgroup gpasswd
  chsh chfn vipw vigr newusers sysadminctl htpasswd-root
`).map((name) => [name, account]),
  ),
  chage: every("user_account", "-l", "--list"),
  dscl: withWord("user_account", "-create", "-delete", "-passwd", "-append", "-change", "create", "delete", "passwd"),
  dseditgroup: every("user_account"),
  visudo: every("privilege", "-c", "--check"),
  "grub-install": every("boot", "--version", "-V", "--help"),
  "grub-mkconfig": withWord("boot", "-o", "--output"),
  "update-grub": every("boot"),
  "update-grub2": every("boot"),
  "grub-set-default": every("boot"),
  "grub-reboot": every("boot"),
  "grub2-install": every("boot"),
  "grub2-mkconfig": withWord("boot", "-o", "--output"),
  grubby: every("boot", "--info", "--default-kernel"),
  efibootmgr: (args) => (args.some(({ text }) => /^-[a-zA-Z]*[BboOcCntT]/u.test(text)) ? [rule("boot", ...args)] : []),
  "update-initramfs": every("boot"),
  mkinitcpio: every("boot"),
  dracut: every("boot"),
  bootctl: verbs([["boot", "install|remove|set-default|update|set-oneshot|unlink|cleanup"]]),
  nvram: (args) => (args.some(({ text }) => /^-[cd]$|=/u.test(text)) ? [rule("boot", ...args)] : []),
  bless: every("boot", "--info"),
  tmutil: verbs([["boot", "delete*|disable|thinlocalsnapshots|removedestination"]]),
  timeshift: withWord("boot", "--delete", "--delete-all", "--restore"),
  restic: verbs([["boot", "forget|prune, key remove"]], { short: "rp", long: ["repo", "password-file"] }),
  borg: verbs([["boot", "delete|prune|compact|recreate"]]),
  snapper: verbs([["boot", "delete|rollback|undochange"]], { short: "c" }),
};
