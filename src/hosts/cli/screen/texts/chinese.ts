import { chineseCommands } from "./chinese-commands.ts";
import { chineseEditor } from "./chinese-editor.ts";
import { chineseFailures } from "./chinese-failures.ts";
import { chineseFaults } from "./chinese-faults.ts";
import { chineseKeys } from "./chinese-keys.ts";
import { chineseNotices } from "./chinese-notices.ts";
import { chinesePanels } from "./chinese-panels.ts";
import { chineseQuestions } from "./chinese-questions.ts";
import { chineseReasons } from "./chinese-reasons.ts";
import { chineseReplies } from "./chinese-replies.ts";
import { chineseReplyParts } from "./chinese-reply-parts.ts";
import { chineseSessionReplies } from "./chinese-session-replies.ts";
import { chineseTranscript } from "./chinese-transcript.ts";
import { chineseTurns } from "./chinese-turns.ts";
import type { ScreenTexts } from "./english.ts";

/** The texts of the screen in Chinese. */
export const chinese: ScreenTexts = {
  screen: {
    loading: "正在加载 …",
    waits: "⋯",
    isHeld: "（已暂停）",
    held: (count) => `已暂停：${count} 个排队的提示（在空行按 Enter 发送，/queue clear 移除）。`,
    steered: "代理在当前工具调用之后会看到。",
    hints: {
      stopping: "正在停止 …",
      stoppingOrLeaving: "正在停止 … 再按一次 Ctrl-C 退出",
      leaving: "再按一次 Ctrl-C、按 Ctrl-D 或输入 /quit 退出",
    },
  },
  commands: chineseCommands,
  reasons: { ...chineseReasons, ...chineseQuestions },
  failures: chineseFailures,
  replies: {
    ...chineseReplyParts,
    ...chineseTurns,
    ...chineseFaults,
    ...chineseNotices,
    ...chineseReplies,
    ...chineseSessionReplies,
  },
  keys: chineseKeys,
  editor: chineseEditor,
  transcript: chineseTranscript,
  panels: chinesePanels,
};
