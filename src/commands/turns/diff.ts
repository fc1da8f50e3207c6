import type { SlashCommand } from "../slash-command.ts";

export const diffCommand: SlashCommand = {
  name: "diff",
  args: "[git | staged | RANGE]",
  summary: "Show file changes since the first change by this session, or the output of git diff",
  async run(args, { run }) {
    if (args === "") {
      const { diff, isUntouched } = await run("session.changes", {});
      if (isUntouched) return { text: "This session has not changed any files. /diff git shows uncommitted changes." };
      return diff === ""
        ? { text: "The files are the same as before the session changed them." }
        : { text: "", output: diff };
    }
    if (!/^[\w./~^@{}:-]+(?: [\w./~^@{}:-]+)*$/u.test(args))
      return { text: `"${args}" is not a range of commits.`, failed: true };
    const range = args === "git" ? "HEAD" : args === "staged" ? "--cached" : args;
    const command = `git --no-pager diff --no-ext-diff ${range}`;
    const { exitCode, output } = await run("shell.run", { command, isLive: false });
    if (exitCode !== 0) return { text: "git reports an error.", output, failed: true };
    return output.trim() === "" ? { text: "git diff shows no changes." } : { text: "", output };
  },
};
