import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** One run of a bundled skill: the files in the folder, the commands of the skill, and their expected output. */
export interface SkillScenario {
  readonly skill: string;
  /** A required program; without it the run is skipped with the reason. */
  readonly needs?: string;
  prepare(folder: string): void;
  /**
   * `from`: the text in the skill, which is checked; `$DIR` is its folder, `$NODE` the Node that runs the test. `with`:
   * the text that the model uses instead. Undefined: the same. `shows`: patterns of the output, in any order. `fails`:
   * the command ends with a failure.
   */
  readonly steps: readonly {
    readonly from: string;
    readonly with?: string;
    readonly shows: readonly RegExp[];
    readonly fails?: true;
  }[];
}

/** Writes files below a folder. */
export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Runs git as Ann. */
export function git(folder: string, ...args: readonly string[]): string {
  const me = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", ["-C", folder, ...me, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A repository with these commits, oldest first: a subject and the files that it writes. */
export function repository(
  folder: string,
  commits: readonly (readonly [subject: string, files: Readonly<Record<string, string>>])[],
): void {
  git(folder, "init", "-q", "-b", "main");
  for (const [subject, files] of commits) {
    write(folder, files);
    git(folder, "add", "-A");
    git(folder, "commit", "-q", "-m", subject);
  }
}
