import { once } from "../../base/async/once.ts";
import { combineLedgers } from "../../kernel/loop/record/session-log.ts";
import { recordTouchedFiles } from "../../kernel/loop/record/touched-files.ts";
import { usedSkills } from "../../skills/used-skills.ts";
import { childWorkplace, usesParentsPlace } from "../agents/child-place.ts";
import { openWorkbench, type Workbench } from "../calls/open-workbench.ts";
import { openWorkplace } from "../calls/open-workplace.ts";
import { sessionTask } from "../environment/session-containers.ts";
import { withVariables, type SessionSkills, sessionSkills } from "../knowledge/session-skills.ts";
import { createSkillGrants } from "../knowledge/skill-surroundings.ts";
import type { OpenedRecord } from "./services/open-record.ts";
import type { SessionDeps } from "./session-deps.ts";

/** Second stage: the workbench of a session, and the skills whose variables and files its commands see. */
export interface OpenedWorkbench {
  /** Disposing it leaves the workplace of a parent open. */
  readonly workbench: Workbench;
  readonly skills: SessionSkills;
}

export function openSessionWorkbench(opened: OpenedRecord, deps: SessionDeps): OpenedWorkbench {
  const { options, principal, parent, record, entries, catalog, log, files } = opened;
  const { config, say, hooks, redactor, clock, logger, signal } = deps;
  const grants = createSkillGrants();
  const own = {
    sessionId: record.id,
    sessionStartedAt: record.createdAt,
    principal,
    cwd: options.cwd ?? record.cwd ?? deps.cwd,
    task: sessionTask(config, record.id),
    environments: deps.environments,
    skillFiles: () => [...grants.files.values()],
    secretAsker: options.secrets,
    redactor,
    say,
    clock,
    log: logger,
  };
  const workplace = parent ? childWorkplace(config, parent, own, options.childPlace) : openWorkplace(config, own);
  const bench = openWorkbench(config, workplace, {
    hooks,
    policy: deps.policy,
    ledger: combineLedgers(deps.audit, recordTouchedFiles(log.ledger, files)),
    redactor,
    skillVariables: grants.variables,
    // In a worktree, files may be newer than the start of the session.
    startedAt: options.childPlace?.kind === "worktree" ? clock.now() : record.createdAt,
    images() {
      const facts = opened.model.facts();
      return facts.vision || deps.parts.models.describesImages?.(facts) === true;
    },
    browser: { browsers: deps.browsers, name: record.id, say },
    sharedBrowser: usesParentsPlace(options.childPlace) ? parent?.browser : undefined,
    clock,
    log: logger,
  });
  const equipped = withVariables(bench, grants.variables);
  const skills = sessionSkills(deps.skills, {
    asked: options,
    sessionId: record.id,
    principal,
    catalog,
    workbench: equipped,
    grants,
    inlineSeconds: config.values.skills.inline_shell_timeout,
    redactor,
    log: logger,
    signal,
  });
  const used = usedSkills(entries);
  const regranted = once(async () => {
    if (used.length > 0) await skills.grant(used, (await bench.surroundings(signal)).place);
  });
  const workbench: Workbench = {
    ...equipped,
    async surroundings(until) {
      await regranted();
      return equipped.surroundings(until);
    },
  };
  if (opened.lease && hasTerminal(opened)) {
    workbench.startShell();
    workbench.getReady();
  }
  return { workbench, skills };
}

export function hasTerminal({ catalog }: Pick<OpenedRecord, "catalog">): boolean {
  return catalog.definitions.some(({ name }) => name === "terminal");
}
