import { rowsByName } from "../../../base/text/words.ts";
import type { Field } from "../shell/field.ts";

/** Returns whether the program only prints what it would do. Programs with a verb table handle `--dry-run` there. */
export function isDryRun(name: string, args: readonly Field[]): boolean {
  const pattern = rehearsals.get(name);
  return pattern !== undefined && pattern.test(args.map(({ text }) => text.replaceAll(/\s/gu, "_")).join(" "));
}

const rehearsals: ReadonlyMap<string, RegExp> = new Map(
  rowsByName({
    "apt-get": option("-s|--simulate|--just-print|--dry-run|--recon|--no-act"),
    dnf: option("--assumeno"),
    "pacman yay paru": option("-p|--print|-R[a-z]*p[a-z]*"),
    "brew restic borg rclone nix-collect-garbage": option("-n|--dry-run"),
    "sfdisk wipefs": option("-n|--no-act"),
    sgdisk: option("-P|--pretend"),
    "lvremove lvreduce lvresize lvextend lvcreate lvconvert lvchange lvrename": option("-t|--test"),
    "vgremove vgreduce vgcreate vgchange vgrename pvremove pvcreate pvmove": option("-t|--test"),
    "iptables-restore": option("-t|--test"),
    alembic: option("--sql"),
    rake: option("-n|--dry-run"),
    hg: /^purge (?:.* )?(?:-p|--print)(?: |$)/u,
    mc: option("--fake|--dry-run"),
    puppet: option("--noop"),
    salt: option("test=True"),
    pulumi: option("--preview-only"),
    docker:
      /^compose (?:--dry-run (?:down|stop|rm|kill|restart)(?: |$)|(?:down|stop|rm|kill|restart) (?:.* )?--dry-run(?: |$))/u,
  }),
);

function option(words: string): RegExp {
  return new RegExp(`(?:^| )(?:${words})(?: |$)`, "u");
}
