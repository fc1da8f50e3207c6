import type { Command } from "../contracts/host/command.ts";
import { agentsCommand } from "./agents/agents.ts";
import { backgroundCommand } from "./agents/background.ts";
import { reviewChangesCommand } from "./agents/review.ts";
import { busyCommand } from "./display/busy.ts";
import { clearCommand } from "./display/clear.ts";
import { focusCommand } from "./display/focus.ts";
import { footerCommand } from "./display/footer.ts";
import { indicatorCommand } from "./display/indicator.ts";
import { paletteCommand } from "./display/palette.ts";
import { redrawCommand } from "./display/redraw.ts";
import { skinCommand } from "./display/skin.ts";
import { statusbarCommand } from "./display/statusbar.ts";
import { timestampsCommand } from "./display/timestamps.ts";
import { verboseCommand } from "./display/verbose.ts";
import { voiceCommand } from "./display/voice.ts";
import { browserCommand } from "./extensions/browser.ts";
import { mcpCommand } from "./extensions/mcp.ts";
import { pluginsCommand } from "./extensions/plugins.ts";
import { reloadMcpCommand } from "./extensions/reload-mcp.ts";
import { goalCommand } from "./goals/goal.ts";
import { heartbeatCommand } from "./goals/heartbeat.ts";
import { loopCommand } from "./goals/loop.ts";
import { planCommand } from "./goals/plan.ts";
import { subgoalCommand } from "./goals/subgoal.ts";
import { bundlesCommand } from "./knowledge/bundles.ts";
import { curatorCommand } from "./knowledge/curator.ts";
import { journeyCommand } from "./knowledge/journey.ts";
import { learnCommand } from "./knowledge/learn.ts";
import { learningsCommand } from "./knowledge/learnings.ts";
import { memoryCommand } from "./knowledge/memory.ts";
import { refineCommand } from "./knowledge/refine.ts";
import { reloadSkillsCommand } from "./knowledge/reload-skills.ts";
import { rollbackCommand } from "./knowledge/rollback.ts";
import { skillsCommand } from "./knowledge/skills.ts";
import { fastCommand } from "./models/fast.ts";
import { loginCommand } from "./models/login.ts";
import { moaCommand } from "./models/moa.ts";
import { modelCommand } from "./models/model.ts";
import { personalityCommand } from "./models/personality.ts";
import { providerCommand } from "./models/provider.ts";
import { reasoningCommand } from "./models/reasoning.ts";
import { approvalsCommand } from "./safety/approvals.ts";
import { approveCommand } from "./safety/approve.ts";
import { denyCommand } from "./safety/deny.ts";
import { yoloCommand } from "./safety/yolo.ts";
import { branchCommand } from "./sessions/branch.ts";
import { exportCommand } from "./sessions/export.ts";
import { historyCommand } from "./sessions/history.ts";
import { newCommand } from "./sessions/new.ts";
import { quitCommand } from "./sessions/quit.ts";
import { resumeCommand } from "./sessions/resume.ts";
import { saveCommand } from "./sessions/save.ts";
import { searchCommand } from "./sessions/search.ts";
import { sessionsCommand } from "./sessions/sessions.ts";
import { statusCommand } from "./sessions/status.ts";
import { titleCommand } from "./sessions/title.ts";
import { treeCommand } from "./sessions/tree.ts";
import { worktreeCommand } from "./sessions/worktree.ts";
import { configCommand } from "./settings/config.ts";
import { debugCommand } from "./settings/debug.ts";
import { helpCommand } from "./settings/help.ts";
import { insightsCommand } from "./settings/insights.ts";
import { profileCommand } from "./settings/profile.ts";
import { reloadCommand } from "./settings/reload.ts";
import { snapshotCommand } from "./settings/snapshot.ts";
import { toolsCommand } from "./settings/tools.ts";
import { toolsetsCommand } from "./settings/toolsets.ts";
import { versionCommand } from "./settings/version.ts";
import { whoamiCommand } from "./settings/whoami.ts";
import { btwCommand } from "./turns/btw.ts";
import { compressCommand } from "./turns/compress.ts";
import { contextCommand } from "./turns/context.ts";
import { copyCommand } from "./turns/copy.ts";
import { diffCommand } from "./turns/diff.ts";
import { imageCommand } from "./turns/image.ts";
import { initCommand } from "./turns/init.ts";
import { kernelsCommand } from "./turns/kernels.ts";
import { outputCommand } from "./turns/output.ts";
import { pasteCommand } from "./turns/paste.ts";
import { promptCommand } from "./turns/prompt.ts";
import { psCommand } from "./turns/ps.ts";
import { queueCommand } from "./turns/queue.ts";
import { retryCommand } from "./turns/retry.ts";
import { steerCommand } from "./turns/steer.ts";
import { stopCommand } from "./turns/stop.ts";
import { todoCommand } from "./turns/todo.ts";
import { undoCommand } from "./turns/undo.ts";
import { usageCommand } from "./turns/usage.ts";

/** The help lists the commands in this order. */
export const builtinCommands: readonly Command[] = [
  ...underHeading("Settings", [
    helpCommand,
    toolsCommand,
    toolsetsCommand,
    configCommand,
    reloadCommand,
    snapshotCommand,
    profileCommand,
    whoamiCommand,
    insightsCommand,
    debugCommand,
    versionCommand,
  ]),
  ...underHeading("Models", [
    modelCommand,
    moaCommand,
    reasoningCommand,
    fastCommand,
    personalityCommand,
    providerCommand,
    loginCommand,
  ]),
  ...underHeading("Turns", [
    retryCommand,
    undoCommand,
    outputCommand,
    copyCommand,
    imageCommand,
    pasteCommand,
    promptCommand,
    todoCommand,
    queueCommand,
    steerCommand,
    btwCommand,
    stopCommand,
    compressCommand,
    contextCommand,
    usageCommand,
    diffCommand,
    psCommand,
  ]),
  ...underHeading("Goals", [planCommand, goalCommand, subgoalCommand, loopCommand, heartbeatCommand]),
  ...underHeading("Sessions", [
    newCommand,
    sessionsCommand,
    searchCommand,
    resumeCommand,
    titleCommand,
    historyCommand,
    saveCommand,
    exportCommand,
    branchCommand,
    treeCommand,
    statusCommand,
    worktreeCommand,
    quitCommand,
  ]),
  ...underHeading("Agents", [backgroundCommand, reviewChangesCommand, agentsCommand, kernelsCommand]),
  ...underHeading("Knowledge", [
    rollbackCommand,
    memoryCommand,
    learningsCommand,
    learnCommand,
    refineCommand,
    journeyCommand,
    curatorCommand,
    skillsCommand,
    bundlesCommand,
    reloadSkillsCommand,
    initCommand,
  ]),
  ...underHeading("Approvals", [approveCommand, denyCommand, approvalsCommand, yoloCommand]),
  ...underHeading("Extensions", [pluginsCommand, mcpCommand, reloadMcpCommand, browserCommand]),
  ...underHeading("Display", [
    clearCommand,
    redrawCommand,
    verboseCommand,
    voiceCommand,
    focusCommand,
    skinCommand,
    statusbarCommand,
    footerCommand,
    indicatorCommand,
    timestampsCommand,
    busyCommand,
    paletteCommand,
  ]),
];

function underHeading(heading: string, commands: readonly Command[]): readonly Command[] {
  return commands.map((command) => ({ ...command, heading }));
}
