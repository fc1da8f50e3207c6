import { words } from "../../../base/text/words.ts";
import { resolvePathText } from "../checks/path-rules.ts";
import { path, rule } from "../fact.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { everyUse, withOption, anyMatching, firstMatching, verbs, withWord } from "./verbs.ts";

const mkfs: Program = (args, { cwd }) => {
  if (args.length > 0 && args.every(({ text }) => /^(?:-V|--version|--help|-h)$/u.test(text))) return [];
  const operands = args.filter(({ text }) => !text.startsWith("-"));
  const isImage =
    operands.some(({ text }) => /[./]/u.test(text)) &&
    operands.every(
      ({ text, isPattern }) => !isPattern && !/^\/dev(?:\/|$)|\u{10FFFD}|\/\w+=/u.test(resolvePathText(text, cwd)),
    );
  return [rule(isImage ? "format_image" : "format_disk", ...args)];
};

const fileSystems = words(`
  ext2 ext3 ext4 xfs btrfs vfat fat ntfs f2fs exfat minix cramfs msdos jfs reiserfs bfs udf nilfs2 ubifs ext4dev
  gfs2 ocfs2 zfs bcachefs erofs hfs hfsplus
`);

/** Every use of these programs needs approval, except for subcommands that only read. */
const looking = (...words: readonly string[]): Program =>
  everyUse("partition", ...words, "--help", "--version", "-V", "-h");

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

export const disks: Programs = {
  "mkfs mke2fs mkdosfs mkntfs mkexfatfs newfs": mkfs,
  [fileSystems.map((type) => `mkfs.${type} newfs_${type}`).join(" ")]: mkfs,
  wipefs: withOption("partition", "a all o offset", "ot"),
  blkdiscard: everyUse("partition", "--help", "-V"),
  badblocks: withOption("partition", "w n", "bcdeiopt"),
  fdisk: looking("-l", "--list", "-x"),
  sfdisk: looking("-l", "--list", "-d", "--dump", "-J"),
  cfdisk: looking(),
  "gdisk tune2fs": looking("-l"),
  sgdisk: looking("-p", "--print", "-i"),
  parted: looking("-l", "--list", "print"),
  partprobe: looking("-s"),
  diskutil: verbs([
    ["partition", "erase*|partition*|secureErase|zeroDisk|randomDisk|reformat|unmount*|eject|apfs|resize*|cs|merge*"],
  ]),
  hdparm: anyMatching("partition", /^--(?:security|trim|write|make-bad|dco)/u),
  nvme: verbs([["partition", "format|sanitize|delete-ns|write|write-zeroes|fw-*"]]),
  mkswap: everyUse("partition"),
  "swapoff sshfs fusermount fusermount3": everyUse("mount"),
  swapon: everyUse("mount", "-s", "--show", "--summary"),
  [`
  lvremove vgremove pvremove lvreduce lvresize lvextend vgreduce pvcreate vgcreate lvcreate pvmove lvconvert
  vgchange lvchange resize2fs xfs_growfs xfs_repair e2fsck fsck dmsetup ntfsfix lvrename vgrename growpart
  sgdisk-wipe e2label xfs_admin fatlabel ntfslabel fsck.ext2 fsck.ext3 fsck.ext4 fsck.xfs fsck.vfat fsck.btrfs
  `]: everyUse("partition", "-n", "-N", "ls", "info", "status", "--help", "-V"),
  debugfs: withOption("partition", "w", "fRbsdz"),
  mdadm: anyMatching("partition", /^(?:--(?:stop|zero-superblock|create|remove|fail|grow|build|assemble)|-[SCrfGBA])/u),
  cryptsetup: verbs([
    ["partition", "luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt|resize|close|luksClose|format"],
  ]),
  zpool: verbs([["partition", "destroy|create|remove|labelclear|offline|detach|export|clear"]]),
  zfs: verbs([["partition", "destroy|rollback|create|rename|unmount|set|receive|recv|promote"]]),
  btrfs: verbs([["partition", "subvolume delete, device remove|delete, balance|rescue|check, filesystem resize"]]),
  losetup: (args) =>
    args.length > 0 && !args.some(({ text }) => /^-[alj]|^--(?:list|all)/u.test(text)) ? [rule("mount", ...args)] : [],
  mount,
  umount: everyUse("mount", "--help", "-V"),
  shred: (args) => readOptions(args).operands.map((target) => path("raw", target)),
  "insmod rmmod perf_event": everyUse("kernel"),
  modprobe: everyUse("kernel", "-n", "--dry-run", "--show-depends", "-D", "-c", "--showconfig", "-V"),
  kexec: (args) =>
    args.length === 0
      ? []
      : [rule(args.some(({ text }) => /^(?:-\w*e|--exec)$/u.test(text)) ? "power" : "kernel", ...args)],
  dkms: verbs([["kernel", "remove|uninstall|install|add"]]),
  depmod: everyUse("kernel", "-n"),
  sysctl: anyMatching("kernel", /^(?:-w|--write|-p|--load.*|--system)$|^[\w.-]+=/u),
  bpftool: verbs([["kernel", "prog load|attach|detach, map update|delete, net attach"]]),
  "iptables ebtables arptables": iptables,
  ip,
  nft: verbs([["firewall", "flush|delete|add|insert|replace|create|destroy|reset"]], { short: "f" }),
  "iptables-restore ifdown ifup": everyUse("firewall"),
  ufw: verbs([["firewall", "disable|reset|enable|allow|deny|reject|delete|limit|default|insert|route"]]),
  "firewall-cmd": anyMatching("firewall", /^--(?:add|remove|set|reload|panic-on|permanent|complete|delete|new)/u),
  pfctl: anyMatching("firewall", /^-[a-z]*[deFf]/u),
  ipset: verbs([["firewall", "flush|destroy|add|del|create|x|f"]]),
  ifconfig: (args) => (args.length > 1 && !args.some(({ text }) => text === "-a") ? [rule("firewall", ...args)] : []),
  route: withWord("firewall", "add", "del", "delete", "flush", "change"),
  nmcli: verbs([
    [
      "firewall",
      "con|connection|c down|delete|mod*|add|edit|up, networking|n off, radio|r * off, dev|device|d disconnect|delete|set",
    ],
  ]),
  networksetup: anyMatching("firewall", /^-(?:set|remove|create|delete|add)/u),
  rfkill: verbs([["firewall", "block"]]),
  tc: verbs([["firewall", "qdisc|class|filter add|del|delete|replace|change"]]),
  arp: withWord("firewall", "-d", "-s"),
  [`
  useradd userdel usermod groupadd groupdel groupmod passwd chpasswd adduser deluser addgroup delgroup gpasswd
  chsh chfn vipw vigr newusers sysadminctl htpasswd-root
  `]: everyUse("user_account", "--help", "--version", "-h", "-S", "--status", "-V"),
  chage: everyUse("user_account", "-l", "--list"),
  dscl: withWord("user_account", "-create", "-delete", "-passwd", "-append", "-change", "create", "delete", "passwd"),
  dseditgroup: everyUse("user_account"),
  visudo: everyUse("privilege", "-c", "--check"),
  "grub-install": everyUse("boot", "--version", "-V", "--help"),
  "grub-mkconfig grub2-mkconfig": withWord("boot", "-o", "--output"),
  "update-grub update-grub2 grub-set-default grub-reboot grub2-install update-initramfs mkinitcpio dracut":
    everyUse("boot"),
  grubby: everyUse("boot", "--info", "--default-kernel"),
  flashrom: withOption("boot", "w write E erase", "pwrEl"),
  fwupdmgr: verbs([["boot", "install|local-install|update|upgrade|downgrade|reinstall"]]),
  resolvectl: (args) =>
    args.length > 2 && /^(?:dns|domain|revert)$/u.test(args[0]?.text ?? "") ? [rule("firewall", ...args)] : [],
  scutil: anyMatching("system_file", /^--set$/u),
  augtool: firstMatching("system_file", /^(?:set|rm|mv|move|ins|insert|clear|setm)$/u),
  efibootmgr: anyMatching("boot", /^-[a-zA-Z]*[BboOcCntT]/u),
  bootctl: verbs([["boot", "install|remove|set-default|update|set-oneshot|unlink|cleanup"]]),
  nvram: anyMatching("boot", /^-[cd]$|=/u),
  bless: everyUse("boot", "--info"),
  tmutil: verbs([["boot", "delete*|disable*|thinlocalsnapshots|removedestination"]]),
  timeshift: withWord("boot", "--delete", "--delete-all", "--restore"),
  restic: verbs([["boot", "forget|prune, key remove"]], { short: "rp", long: ["repo", "password-file"] }),
  borg: verbs([["boot", "delete|prune|compact|recreate"]]),
  snapper: verbs([["boot", "delete|rollback|undochange"]], { short: "c" }),
};
