import type { englishTranscript } from "./english-transcript.ts";

/** The texts of the transcript, the status line and the opening lines in Chinese. */
export const chineseTranscript: typeof englishTranscript = {
  waiting: (model) => `正在等待 ${model}`,
  thinking: "思考中",
  stopped: "已停止",
  interrupts: "按 Esc 中断",
  compacting: (tokens) => `正在压缩上下文（${tokens} 个 token）…`,
  compacted: (how) => `上下文已压缩：${how}`,
  didNotAnswer: (model, took) => `${model} 没有回答（${took}）`,
  notWritten: (count) => `${count} 个文件没有写入：`,
  plan: "计划",
  planDone: (done, all) => `已完成 ${done}/${all}`,
  moreItems: (count) => `… 还有 ${count} 项`,
  moreLines: (count) => `… 还有 ${count} 行`,
  status: {
    yolo: "⚠ YOLO",
    planning: "计划模式",
    sandbox: "沙箱",
    noSandbox: "无沙箱",
    manual: "先询问",
    readonly: "只读",
    smart: "智能批准",
    noPrice: "费用未知",
    free: "免费",
  },
  opening: {
    noAi: "非人工智能",
    tools: (count) => `${count} 个工具`,
    skills: (count) => `${count} 个技能`,
    servers: (count) => `${count} 个 MCP 服务器`,
    moreToolsets: (count) => `… 还有 ${count} 个工具集（/tools）`,
    more: (count) => `+${count}`,
    profile: (name) => `配置 ${name}`,
    keys: "/help · Ctrl-P 命令面板 · Esc 中断 · Ctrl-D 退出",
    shortKeys: "/help · Esc 中断",
  },
};
