import { plural } from "../../../../base/text/text.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../../command.ts";
import { confirm } from "../../input.ts";
import { secretAskerAt } from "../../questions/ask-secret.ts";

const variable = "HERMES_BACKUP_PASSPHRASE";

export const commands: readonly CliCommand[] = [
  {
    path: ["backup"],
    summary: "Back up the home to one file",
    details:
      "Works while Hermes runs: databases are copied as one consistent state. The backup has settings, sessions, memory, skills, agents and\n" +
      `plugins, with a checksum for each file. Secrets (.env, keys, tokens) are encrypted with a passphrase; without one they are omitted: at a\n` +
      `terminal Hermes asks for it, elsewhere set ${variable}. Logs, caches and file checkpoints are not included.`,
    args: [{ name: "file", summary: "the file to write, the same as --output", optional: true }],
    options: [
      { flags: "-o, --output <path>", summary: "the file to write; default: ~/hermes-backup-DATE.tar.gz" },
      { flags: "-q, --quick", summary: "without large data: results, recordings, plugins, audit log" },
      { flags: "-l, --label <text>", summary: "a note in the backup and in its name" },
      { flags: "--no-secrets", summary: "leave the secrets out without asking" },
    ],
    examples: [
      "hermes backup",
      "hermes backup -q -l before-cleanup",
      `${variable}=… hermes backup -o /mnt/disk/hermes.tar.gz`,
    ],
    async run(input, ctx) {
      const [output, file] = [input.option("output"), input.optionalArg("file")];
      if (output !== undefined && file !== undefined)
        throw new CommandFailed("FILE and --output both name the file.", "Use one of them.", 2);
      const created = await ctx.run("backup.create", {
        file: output ?? file,
        quick: input.flag("quick"),
        label: input.option("label"),
        passphrase: input.flag("noSecrets") ? undefined : await newPassphrase(ctx, input.flag("quick")),
      });
      return { data: created, text: createdText(created, ctx) };
    },
  },
];

export const restoreCommands: readonly CliCommand[] = [
  {
    path: ["restore"],
    summary: "Replace the home by a backup, or undo that",
    details:
      "First verifies the whole backup: every file and its checksum, no links, no paths outside. Then replaces the home; if Hermes is killed\n" +
      "meanwhile, the next start completes the restore. Secrets of the home stay unless the backup has its own and you give the passphrase.\n" +
      "The state before is kept for --undo until the next restore. Close all other Hermes processes first.",
    args: [{ name: "file", summary: "the backup", optional: true }],
    options: [
      { flags: "--check", summary: "only verify and describe the backup" },
      { flags: "--undo", summary: "return to the state before the last restore" },
      { flags: "-y, --yes", summary: "do not ask" },
    ],
    examples: ["hermes restore ~/hermes-backup-20260101-120000.tar.gz", "hermes restore --undo"],
    async run(input, ctx) {
      if (input.flag("undo")) {
        const undone = await ctx.run("backup.undo", {});
        return { data: undone, text: `${undone.home} has its state from before the last restore again.` };
      }
      const file = input.optionalArg("file");
      if (file === undefined)
        throw new CommandFailed("FILE is missing: the backup.", "`hermes restore --help` shows the usage.", 2);
      const backup = await ctx.run("backup.inspect", { file });
      const about = `${plural(backup.files, "file")} of ${dateText(backup.createdAt)}, profile ${backup.profile}, Hermes ${backup.version}, secrets ${backup.secrets}`;
      if (input.flag("check")) return { data: backup, text: `The backup is complete: ${about}.` };
      await confirm(input, ctx, `Replace ${backup.home} by this backup (${about})?`);
      const passphrase = backup.secrets === "encrypted" ? await knownPassphrase(ctx) : undefined;
      const restored = await ctx.run("backup.restore", { file, passphrase });
      const secrets = restored.hasSecrets
        ? "Its secrets were restored too."
        : "The secrets of the home stayed as they were.";
      return {
        data: restored,
        text: `Restored ${plural(restored.files, "file")} to ${restored.home}. ${secrets}\n\`hermes restore --undo\` goes back.`,
      };
    },
  },
];

function createdText(
  {
    file,
    files,
    bytes,
    secrets,
    omitted,
  }: {
    readonly file: string;
    readonly files: number;
    readonly bytes: number;
    readonly secrets: string;
    readonly omitted: readonly string[];
  },
  { paint }: CliContext,
): string {
  const notes = {
    encrypted: "Secrets are in it, encrypted with your passphrase.",
    "left out": "Secrets were left out.",
    none: "There are no secrets in the home.",
  };
  return [
    `${paint.good("Backed up and verified")}: ${file} (${plural(files, "file")}, ${megabytes(bytes)})`,
    notes[secrets as keyof typeof notes],
    ...(omitted.length > 0
      ? [
          `Not in it, because they are links or special files: ${omitted.slice(0, 5).join(", ")}${omitted.length > 5 ? " …" : ""}`,
        ]
      : []),
    `To restore it: hermes restore ${file}`,
  ].join("\n");
}

/**
 * Asks for the passphrase twice, because a typing error would make the secrets unreadable. Does not ask if the home has
 * no secrets.
 */
async function newPassphrase(ctx: CliContext, quick: boolean): Promise<string | undefined> {
  const preset = ctx.env["HERMES_BACKUP_PASSPHRASE"];
  const asker = ctx.json ? undefined : secretAskerAt(ctx.io);
  if (preset || !asker) return preset;
  const { secrets } = await ctx.run("backup.preview", { quick });
  if (secrets.length === 0) return undefined;
  const first = await asker.askSecret(
    "passphrase",
    "Passphrase for the secrets (Enter alone leaves them out)",
    ctx.signal,
  );
  if (!first.ok) throw new CommandFailed("Nothing was written.", undefined, 130);
  if (first.value === "") return undefined;
  const second = await asker.askSecret("passphrase", "Repeat the passphrase", ctx.signal);
  if (second.ok && second.value === first.value) return first.value;
  if (!second.ok) throw new CommandFailed("Nothing was written.", undefined, 130);
  throw new CommandFailed("The passphrases differ; nothing was written.");
}

async function knownPassphrase(ctx: CliContext): Promise<string | undefined> {
  const preset = ctx.env["HERMES_BACKUP_PASSPHRASE"];
  const asker = ctx.json ? undefined : secretAskerAt(ctx.io);
  if (preset || !asker) return preset;
  const typed = await asker.askSecret(
    "passphrase",
    "Passphrase of its secrets (Enter alone keeps the secrets of the home)",
    ctx.signal,
  );
  if (!typed.ok && typed.error.reason === "aborted")
    throw new CommandFailed("Interrupted; nothing was changed.", undefined, 130);
  return typed.ok && typed.value !== "" ? typed.value : undefined;
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function dateText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
