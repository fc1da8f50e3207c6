/** Texts below a call that was denied or stopped, in Chinese, by the English text. `{}` is a value. */
export const chineseFailures: Readonly<Record<string, string>> = {
  "denied: {}.": "已拒绝：{1}。",
  "Your reason: {}.": "你的理由：{1}。",
  "This is never allowed, in any mode and for anyone.": "在任何模式下都不允许，对任何人都一样。",
  "The tool refuses it.": "工具拒绝执行。",
  "A rule forbids it.": "有规则禁止它。",
  "This is final.": "这是最终决定。",
  "Only reading is allowed: plan mode is on, or approvals.mode is readonly.":
    "只允许读取：计划模式已开启，或 approvals.mode 为 readonly。",
  "You denied it.": "你拒绝了。",
  "It needs approval and nobody answered in time.": "需要批准，但没有人及时回答。",
  "It needs approval and nobody is here to ask.": "需要批准，但没有人可以询问。",
  "The call was interrupted while its question waited.": "调用在等待回答时被中断。",
  "Too many requests were denied in a row; Hermes asks no more questions in this turn.":
    "连续拒绝的请求太多；本轮 Hermes 不再询问。",
  'your deny rule "{}" forbids it': "你的拒绝规则“{1}”禁止它",
  'your ask rule "{}" requires approval': "你的询问规则“{1}”要求批准",
  "{} is outside the folders that may be written": "{1} 不在允许写入的文件夹中",
  "{} requires approval by a person: {}": "{1} 需要人工批准：{2}",
  interrupted: "已中断",
  "{} was cancelled while it ran": "{1} 在运行时被取消",
  "{} was cancelled while it ran; it was still stopping when Hermes went on, so its effect is unknown":
    "{1} 在运行时被取消；Hermes 继续时它仍在停止，结果未知",
  "{} was cancelled before it started; nothing was done": "{1} 在开始前被取消；什么都没有做",
  "exit code {}": "退出码 {1}",
  "exit code {}: {}": "退出码 {1}：{2}",
  "You declined to answer.": "你没有回答这个问题。",
  "You did not answer within {}.": "你在 {1} 内没有回答。",
};
