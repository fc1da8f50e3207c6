/** Maps the tool names of Claude Code to ours. Null means that no child agent has the tool. */
const counterparts: Readonly<Record<string, readonly string[] | null>> = {
  Read: ["read_file"],
  NotebookRead: ["read_file"],
  Write: ["write_file"],
  Edit: ["patch"],
  MultiEdit: ["patch"],
  NotebookEdit: ["patch"],
  Grep: ["search_files"],
  Glob: ["search_files"],
  LS: ["search_files"],
  Bash: ["terminal", "process"],
  BashOutput: ["process"],
  KillBash: ["process"],
  KillShell: ["process"],
  WebFetch: ["web_extract"],
  WebSearch: ["web_search"],
  TodoRead: ["todo"],
  TodoWrite: ["todo"],
  Task: ["delegate_task"],
  Agent: ["delegate_task"],
  Skill: ["skills_list", "skill_view"],
  AskUserQuestion: null,
  ExitPlanMode: null,
};

/** Tools under our names, and an error sentence for each unknown word. */
export interface NamedTools {
  readonly tools: readonly string[];
  readonly problems: readonly string[];
}

/** Reads names of tools and toolsets in our spelling or that of Claude Code. */
export function namedTools(words: readonly string[]): NamedTools {
  const tools = new Set<string>();
  const problems: string[] = [];
  for (const word of words) {
    const server = /^mcp__(.+?)__(.+)$/u.exec(word);
    if (Object.hasOwn(counterparts, word)) {
      const own = counterparts[word];
      if (own) for (const tool of own) tools.add(tool);
      else problems.push(`tools: a child agent has no ${word}; it works without.`);
    } else if (server) tools.add(`mcp_${server[1]}_${server[2]}`.replaceAll(/[^\w-]/gu, "_"));
    else if (/^[a-z][\w-]{0,63}$/u.test(word)) tools.add(word);
    else if (/^\w+\(.*\)$/su.test(word))
      problems.push(`tools: ${word} limits a tool to some arguments, which Hermes cannot do; the tool is left out.`);
    else problems.push(`tools: ${JSON.stringify(word)} is not a tool or toolset; it is left out.`);
  }
  return { tools: [...tools], problems };
}
