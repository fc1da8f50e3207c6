import { err, ok } from "../../base/result.ts";
import { flag, object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation, writeOperation } from "../operation.ts";

const name = string("the skill");

export const operations = {
  status: readOperation({
    summary: "Show the use of skills and the schedule of the curator",
    needs: ["curator"],
    async run(_input, { curator: { curator } }) {
      const { skills, lastAt = null, dueAt, isPaused } = await curator.status();
      return ok({ skills, lastAt, dueAt, paused: isPaused });
    },
  }),

  run: writeOperation({
    summary: "Archive the agent's unused skills",
    input: object({ dryRun: optional(flag("only report what would be archived")) }),
    needs: ["curator"],
    run: async ({ dryRun = false }, { curator: { curator } }, { signal }) =>
      sentence(await curator.run(dryRun, signal)),
  }),

  backup: writeOperation({
    summary: "Back up all skills now",
    needs: ["config", "curator"],
    async run(_input, { config, curator: { backups } }) {
      const outcome = sentence(await backups.make(config.values.curator.keep_backups));
      return outcome.ok ? ok({ backup: outcome.value }) : outcome;
    },
  }),

  rollback: writeOperation({
    summary: "Restore all skills from a backup; newer skills stay",
    input: object({ backup: optional(string("name of the backup; default: the newest")) }),
    needs: ["curator"],
    async run({ backup: requested }, { curator: { curator, backups } }, { signal }) {
      const backup = requested ?? backups.list().at(-1);
      if (backup === undefined) return err({ message: "There is no backup yet.", hint: "hermes curator backup" });
      const restored = sentence(await curator.rollback(backup, signal));
      return restored.ok ? ok({ backup, skills: restored.value }) : restored;
    },
  }),

  pause: pausing(true, "Stop running the curator automatically"),
  resume: pausing(false, "Run the curator automatically again"),
  pin: pinning(true, "Pin a skill: never archive it"),
  unpin: pinning(false, "Unpin a skill: allow archiving it again"),

  archive: writeOperation({
    summary: "Move a skill into the archive",
    input: object({ name }),
    needs: ["curator"],
    async run({ name: skill }, { curator: { curator } }, { signal }) {
      const done = sentence(await curator.archive(skill, signal));
      return done.ok ? ok({ archived: skill }) : done;
    },
  }),

  restore: writeOperation({
    summary: "Restore a skill from the archive",
    input: object({ name }),
    needs: ["curator"],
    async run({ name: skill }, { curator: { curator } }, { signal }) {
      const done = sentence(await curator.restore(skill, signal));
      return done.ok ? ok({ restored: skill }) : done;
    },
  }),

  archived: readOperation({
    summary: "List the archived skills",
    needs: ["curator"],
    run: async (_input, { curator: { curator } }) => ok({ archived: curator.archived() }),
  }),
};

function pausing(paused: boolean, summary: string) {
  return writeOperation({
    summary,
    needs: ["curator"],
    async run(_input, { curator: { curator } }) {
      await curator.pause(paused);
      return ok({ paused });
    },
  });
}

function pinning(pinned: boolean, summary: string) {
  return writeOperation({
    summary,
    input: object({ name }),
    needs: ["curator"],
    async run({ name: skill }, { curator: { curator, usage } }, { signal }) {
      if (!(await curator.status()).skills.some((each) => each.name === skill))
        return err({ message: `There is no skill ${skill} in the home.` });
      await usage.pin(skill, pinned, signal);
      return ok({ name: skill, pinned });
    },
  });
}

type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: { readonly message: string } };

/** Adds the full stop that messages of the skills module lack. */
function sentence<T>(outcome: Outcome<T>): Outcome<T> {
  return outcome.ok ? outcome : err({ message: `${outcome.error.message}.` });
}
