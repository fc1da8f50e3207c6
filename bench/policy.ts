/** Time of a policy decision: judging a call, alone and with its entry in the audit log. */
import { join } from "node:path";

import { systemClock } from "../src/base/clock.ts";
import { asId, type CallId, type SessionId } from "../src/base/ids.ts";
import { affectedPaths } from "../src/checkpoints/affected-paths.ts";
import { createAuditLog } from "../src/safety/audit/audit-log.ts";
import { AnalysedCommand } from "../src/safety/policy/commands/analysed-command.ts";
import { policyRig } from "../test/support/policy-rig.ts";
import { tempHome } from "../test/support/temp-home.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";

const commands = [
  "git status && npm test 2>&1 | tail -20",
  "find src -name '*.ts' | xargs grep -n TODO | head",
  'for f in *.md; do wc -w "$f"; done',
];
const rules = Array.from({ length: 200 }, (_, index) => `tool${index} run step-${index} *`);
const perRound = 20;

await using home = await tempHome();
const audit = createAuditLog({
  folder: join(home.path, "audit"),
  headFile: join(home.path, "head.json"),
  clock: systemClock,
});
const texts = { allow: rules, deny: rules.slice(0, 50), ask: rules.slice(50, 100) };
const judging = policyRig(texts);
const writing = policyRig(texts, { audit });

async function decide({ run }: typeof judging): Promise<void> {
  for (let index = 0; index < perRound; index++) {
    const verdict = await run(commands[index % commands.length] ?? "");
    if (verdict.decision !== "allow") throw new Error(verdict.reason);
  }
}

/**
 * Runs all analyses of a command that happen before it runs: its effects, the decision, the paths that it changes, and
 * its use of sudo.
 */
async function prepare(): Promise<void> {
  const place = { cwd: "/project", backend: "ssh" };
  for (let index = 0; index < perRound; index++) {
    const command = commands[index % commands.length] ?? "";
    const analysis = new AnalysedCommand(command, start);
    const exec = { kind: "exec", command, cwd: "/project", background: false, analysis } as const;
    const effect = { ...exec, leavesNoTrace: analysis.leavesNoTrace };
    const verdict = await judging.decide([effect]);
    if (verdict.decision !== "allow") throw new Error(verdict.reason);
    await affectedPaths({ ...ids, tool: "terminal", effects: [effect], place });
    if (analysis.sudo.length > 0) throw new Error("unexpected sudo in a sample command");
  }
}

const ids = { callId: asId<CallId>("call_1"), sessionId: asId<SessionId>("ses_1") };
const start = {
  cwd: "/project",
  workspace: "/project",
  home: "/home/anna",
  user: "anna",
  functions: {},
  aliases: {},
  variables: { HERMES_HOME: "/home/anna/.hermes" },
};

const rounds = process.argv.includes("--quick") ? 5 : 60;
const times = await interleaved(
  { judge: () => decide(judging), "judge and write": () => decide(writing), prepare },
  rounds,
);
const judgeMs = median(times["judge"] ?? []) / perRound;
const bothMs = median(times["judge and write"] ?? []) / perRound;
report("policy", "a decision, with 300 rules", { p50Ms: rounded(judgeMs), limitMs: 1, holds: judgeMs <= 1 });
report("policy", "its entry in the audit log", {
  p50Ms: rounded(bothMs - judgeMs),
  limitMs: 1,
  holds: bothMs - judgeMs <= 1,
});

const prepareMs = median(times["prepare"] ?? []) / perRound;
report("policy", "a command: traces, decision, changed paths and sudo", {
  p50Ms: rounded(prepareMs),
  againstDecision: rounded(prepareMs / judgeMs, 2),
  limit: 1.5,
  holds: prepareMs / judgeMs <= 1.5,
});
