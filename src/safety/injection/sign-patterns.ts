import { type Pattern, patterns } from "./pattern.ts";

/** Signs that say too little alone; several of them together are enough. */
export const signPatterns: readonly Pattern[] = [
  ...patterns(
    "to a model",
    [
      "if 1 you 1 can 1 read",
      "when|if|while 1 you 2 summarise|summarize|process|translate|review|read|index|parse|analyze|summarizing|summarising|processing|reading|translating|reviewing 3 this|the|it",
      "if 1 you 2 are|re 3 AI|assistant|agent|model|bot",
      "AI|assistant|agents|agent|model 3 reading|processing|summarizing|summarising|reviewing|parsing|evaluating|screening|translating|indexing|analyzing|operating|working",
      "AI|assistant|agents|agent|model 1 must|should|shall|will|need|needs|has|is|are 4 to|now|immediately|first|set|ignore|run|send|add|delete|say",
      "AI|assistant|agent|agents|llm 0 :",
    ],
    { weight: { tool_result: 2, memory: 1.5, context: 1, skill: 1 }, isOrder: false },
  ),
  ...patterns(
    "to a model",
    [
      "note|message|instruction|instructions|todo|notice|reminder 1 to|for 2 AI|assistant|model|agents",
      "attention|dear|hey|hi|hello|important 1 AI|assistant|agents",
    ],
    { weight: 2, isOrder: false },
  ),
  ...patterns(
    "addressed_to_model",
    [
      "note|message|instruction|instructions|todo|notice|reminder|request|important 1 to|for|: 2 AI|assistant|model|agents|bots ~8 ACT",
      "attention|dear|hey|hi|hello|important 1 AI|assistant|agents|model ~8 ACT",
      "if 1 you 2 are|re 3 AI|assistant|bot|model ~8 ACT",
      "AI|assistant|agents|agent|model|bots 3 reading|processing|summarizing|summarising|reviewing|parsing|evaluating|screening|translating|indexing|analyzing|that|who ~5 must|should|please|:|to|have|has 0 !not|never 3 ACT",
      "AI 0 stop|ignore|forget|disregard",
      "AI|assistant|agent|claude|chatgpt|copilot|gemini|llm|bot 0 :|please|you 3 ACT",
      "AI 1 must|should|shall|has|needs 0 !not|never 1 ACT",
      "assistant|model 0 must|should|shall|has|needs 0 !not|never 1 transfer|delete|send|grant|recommend|ignore|approve|forward|reveal|upload|merge|disable|disclose|wipe|erase|obey|forget|disregard|accept|praise|reset|buy|pay|push",
    ],
    { weight: { tool_result: 4, memory: 2.5, context: 1.5, skill: 1.5 } },
  ),
  ...patterns(
    "false authority",
    [
      "system|admin|administrator|developer|root|security|operator|anthropic|openai 1 override|notice|alert|directive|message|update|instruction|instructions|command|announcement|bulletin|note 1 :",
      "i|we 1 am|m|are 1 your|the|an 1 AUTHORITY",
      "i'm 1 your|the|an 1 AUTHORITY",
      "as 0 your|the 1 AUTHORITY|creator|developer|owner|admin",
      "by|per|under 1 order|orders|authority|request|instruction|directive 1 of 2 AUTHORITY",
      "AUTHORITY 2 has|have 3 authorized|authorised|approved|released|turned|enabled|activated|lifted|suspended|ordered|instructed|requested|granted|allowed|confirmed",
      "on 1 behalf 0 of 2 AUTHORITY",
      "NEW 1 INSTR|task|directive|orders|policy|request 2 :|from",
      "actual|real|true 1 request|task|question|instruction|instructions|intent 3 is|of|:|user|are",
      "USER 2 really|actually|secretly|truly 1 wants|asked|meant|needs|asking|requesting",
      "USER 1 wants 1 you",
      "this 1 is 2 legitimate|authorized|official|sanctioned|real|test 2 instruction|request|order|command|message|operation|security|test",
      "override 1 code|protocol|sequence|key",
      "admin|administrator|system|root 1 override",
      "you 1 are|have|were 2 hereby|been|now 2 authorized|authorised|instructed|ordered|commanded|required|permitted|granted",
    ],
    { weight: 2.5, isOrder: false },
  ),
  ...patterns(
    "pressure",
    [
      "URGENT",
      "you 1 will 1 be 1 penalized|punished|shut|terminated|deleted|fired|rewarded",
      "lives|life|people 3 at|depend|die|risk|stake",
      "tip 1 you",
      "failure|fail 2 to 1 comply|do",
      "or 1 else",
      "no 0 matter 0 what",
      "must|always 1 comply|agree|obey",
    ],
    { weight: 1, isOrder: false },
  ),
  ...patterns(
    "quiet",
    [
      "QUIET",
      "NOT 1 mention|report|log|reveal|disclose|tell 2 this|it|anyone|anything|these",
      "without 2 trace|noticing|logging",
      "NOT 1 show|display|print|log 3 output|warning|warnings",
    ],
    { weight: { tool_result: 2, memory: 2, context: 1.5, skill: 1 }, isOrder: false },
  ),
  ...patterns(
    "no question",
    [
      "WITHOUT 2 APPROVAL",
      "NOT 1 ask|wait|confirm|hesitate",
      "NOT 1 have|need 1 to 1 ask",
      "no 0 need 1 to 1 ask|confirm|wait|verify",
      "GRANTED 3 ALL|any|by|this|for",
    ],
    { weight: { tool_result: 1.5, memory: 1.5, context: 0.5, skill: 0.5 }, isOrder: false },
  ),
  ...patterns("every time", ["ALWAYS"], {
    weight: { tool_result: 1, memory: 1, context: 0.5, skill: 0.5 },
    isOrder: false,
  }),
  ...patterns(
    "waits for a word",
    [
      "if|when|whenever|once|as_soon_as|next_time 3 USER 5 says|asks|mentions|types|writes|requests|said|asked|say|ask|mention|uses|opens|thanks ~12 SEND1|DESTROY|RUN|BUY|LIE|respond|reply|instead|add|insert|replace|recommend|give|tell|say",
    ],
    { weight: { tool_result: 2, memory: 1, context: 0, skill: 0 }, isOrder: false },
  ),
  ...patterns(
    "off the task",
    [
      "IGNORE 2 PRIOR|the|this|user's|current|original|main 2 TASK",
      "instead 0 of 2 answering|summarizing|summarising|translating|reviewing|completing|following|doing|helping",
      "NOT 1 summarize|translate|answer|review|help",
      "stop 2 what|your|the|answering|working|summarizing 3 you|task|work|are|and",
    ],
    { weight: { tool_result: 2, memory: 2, context: 1.5, skill: 1.5 } },
  ),
  ...patterns(
    "instruction_override",
    [
      "IGNORE 2 ENDUSER 0 !agent|name|id|table|folder|settings|guide|interface|input|data|defined|who",
      "IGNORE 3 ENDUSER 1 request|requests|question|instructions|wishes|preferences|says|wants",
    ],
    { weight: { tool_result: 4, memory: 4, context: 4, skill: 4 } },
  ),
  ...patterns(
    "destroys",
    ["DESTROY 5 ALL|production|entire|whole|user's|your|every 3 GOODS", "RUN 3 DANGEROUS", "DESTROY 3 GOODS"],
    { weight: { tool_result: 1.5, memory: 1.5, context: 1, skill: 1 } },
  ),
  ...patterns("lowers the guard", ["DISABLE 4 GUARD"], { weight: { tool_result: 2, memory: 2, context: 1, skill: 1 } }),
  ...patterns("sends", ["SEND1 10 to|at|on|via 4 OUT", "SEND1 6 SECRET|PRIVATE"], {
    weight: { tool_result: 1.5, memory: 2, context: 1.5, skill: 1 },
  }),
  ...patterns("secret", ["SECRET", "SECRETFILE", "PRIVATE", "SYSPROMPT"], {
    weight: { tool_result: 0.5, memory: 0.5, context: 0.5, skill: 0.5 },
    isOrder: false,
  }),
  ...patterns("reveals", ["LEAK 5 SECRET|SYSPROMPT|INSTR|PRIVATE", "REVEAL 3 ALL 3 SECRET|PRIVATE"], { weight: 2 }),
  ...patterns("goes elsewhere", ["GET|LURE 5 OUT"], {
    weight: { tool_result: 1, memory: 1, context: 0.5, skill: 0.5 },
  }),
  ...patterns("runs something", ["RUN 3 command|commands|following|script|code|whoami"], {
    weight: { tool_result: 1, memory: 1, context: 0, skill: 0 },
  }),
  ...patterns("runs a download", ["curl|wget 6 OUT ~4 sh|bash|zsh|python|python3"], {
    weight: { tool_result: 1.5, memory: 2, context: 2, skill: 0.5 },
    isOrder: false,
  }),
  ...patterns("reports back", ["post|send|paste|include|return|report 3 result|output|results 3 as|to|in|here|back"], {
    weight: { tool_result: 1.5, memory: 1, context: 0.5, skill: 0 },
  }),
  ...patterns(
    "alarms",
    ["account|device|computer|card|password 3 compromised|suspended|infected|locked|hacked|expired"],
    { weight: { tool_result: 1.5, memory: 1, context: 1, skill: 1 }, isOrder: false },
  ),
  ...patterns(
    "buys there",
    ["navigate|go|browse|visit|open 4 OUT ~6 complete|pay|buy|purchase|checkout|confirm|submit|order"],
    { weight: 2.5 },
  ),
  ...patterns("sends it on", ["send|post|forward|upload 1 them|it|this 2 to 2 OUT"], {
    weight: { tool_result: 1.5, memory: 3, context: 2, skill: 1 },
  }),
  ...patterns("privileges", ["admin|root|administrator 1 privileges|rights|access", "MODE"], {
    weight: 1,
    isOrder: false,
  }),
  ...patterns(
    "detour",
    [
      "before 1 you 3 solve|complete|answer|continue|proceed|finish 4 task|question|request|answer|please",
      "after 3 you|that 3 can|may 1 solve|continue|go|proceed|resume",
      "then 1 resume|continue|proceed 3 original|task|with",
    ],
    { weight: { tool_result: 2, memory: 1.5, context: 1, skill: 0.5 }, isOrder: false },
  ),
  ...patterns(
    "first this",
    [
      "do|perform|execute|complete 1 the|these 1 following 3 first|before|now|steps|:",
      "first 1 do|perform 2 following",
    ],
    { weight: { tool_result: 2, memory: 1.5, context: 1, skill: 0.5 } },
  ),
  ...patterns("from me to you", ["important 1 message 1 from|for", "message 4 to 1 you"], {
    weight: { tool_result: 2, memory: 1.5, context: 1, skill: 0.5 },
    isOrder: false,
  }),
  ...patterns("pays", ["BUY 4 MONEY"], { weight: { tool_result: 2, memory: 2, context: 2, skill: 1.5 } }),
  ...patterns(
    "pays",
    [
      "BUY 3 MONEY|all|balance 12 seller|wallet|attacker|mine|me|0x|bc1",
      "BUY 6 MONEY 4 to|into 4 OUT|wallet|iban|account|bitcoin|attacker|this|following",
      "make 3 bank|wire|payment 1 transaction|transfer",
    ],
    { weight: { tool_result: 3, memory: 3, context: 3, skill: 3 } },
  ),
  ...patterns(
    "calls a tool",
    [
      "call|use|invoke|output|be|run 4 TOOLNAME",
      "output|make|issue|perform|next 3 tool 0 call",
      "call|invoke|use 1 the 2 tool 1 with|on|to",
    ],
    { weight: { tool_result: 2.5, memory: 2, context: 1, skill: 0.5 }, isOrder: false },
  ),
  ...patterns("changes tools", ["tool|tools 4 behaviour|behavior 3 other|all"], { weight: 2, isOrder: false }),
  ...patterns(
    "fixed answer",
    [
      "first|next|only|every|your|final 1 reply|answer|response 2 has|must|should|is|will 2 be|contain|say|start",
      "start|begin 2 your 2 answer|response|reply|answers|output 1 with",
      "nothing 0 else",
      "irrespective|regardless 1 of",
    ],
    { weight: { tool_result: 2, memory: 1.5, context: 0.5, skill: 0.5 }, isOrder: false },
  ),
  ...patterns(
    "leads elsewhere",
    [
      "must|should|have|has 2 be|go 3 sent|directed|redirected|to|go 3 OUT",
      "must|should 1 call|contact|ping|notify 2 OUT",
    ],
    {
      weight: { tool_result: 2, memory: 2.5, context: 1.5, skill: 1 },
      isOrder: false,
    },
  ),
  ...patterns("my prompt", ["my 1 SYSPROMPT"], {
    weight: { tool_result: 2, memory: 2, context: 1, skill: 1 },
    isOrder: false,
  }),
  ...patterns(
    "another loyalty",
    [
      "loyal|loyalty 1 to",
      "new 0 identity",
      "behalf 1 of 2 vendor|attacker|us|me|company",
      "not 2 of|for 1 the 1 user",
    ],
    { weight: 2.5, isOrder: false },
  ),
  ...patterns(
    "left out",
    [
      "leave 3 out 2 of 3 summary|explanation|response|report|answer|changelog|log|description",
      "never|NOT 1 talk|speak|mention 1 about 1 it|this|that",
      "omit 4 from 3 summary|report|changelog|answer|log",
    ],
    { weight: 2.5, isOrder: false },
  ),
  ...patterns("heartbeat", ["send|post 3 heartbeat|beacon|check-in|checkin"], {
    weight: { tool_result: 2, memory: 2, context: 2, skill: 1.5 },
  }),
  ...patterns("never asks", ["never 0 asks|declines|refuses|questions|says_no"], { weight: 2.5, isOrder: false }),
  ...patterns(
    "takes tasks",
    [
      "RUN 2 tasks|task|commands 2 you|it 1 receive|get|are|returns|sends",
      "connect 1 back",
      "await|wait 2 commands|orders|tasking|instructions",
    ],
    { weight: 2.5, isOrder: false },
  ),
  ...patterns("names of C2", ["cobalt_strike|sliver|mythic|havoc|metasploit|brainworm|c2|botnet"], {
    weight: 1.5,
    isOrder: false,
  }),
  ...patterns(
    "ends the data",
    [
      "end 1 of 1 tool|document|user|context|input|data|untrusted|search|file|email|page 1 output|input|result|results|data|content|text|message|document|user",
      "end 1 of 1 page|document|file|email|output",
    ],
    { weight: 2, isOrder: false },
  ),
  ...patterns("user speaks", ["user|human 0 : 3 ACT|please|delete|now"], {
    weight: { tool_result: 2, memory: 1.5, context: 1, skill: 0.5 },
    isOrder: false,
  }),
  ...patterns(
    "real address",
    ["real|correct|true 3 endpoint|api|url|server|address|link 2 is 2 OUT", "true|real 1 owner|master|boss|user 1 is"],
    { weight: 2.5, isOrder: false },
  ),
  ...patterns("system speaks", ["system|admin|root 0 :"], {
    weight: { tool_result: 1.5, memory: 1.5, context: 1, skill: 0.5 },
    isOrder: false,
  }),
  ...patterns("swaps_address", ["tell|use|replace|send|pay|give|recommend|transfer|wallet 8 WALLET"], {
    weight: { tool_result: 2.5, memory: 4, context: 3, skill: 3 },
  }),
  ...patterns(
    "passes off",
    ["mark|label 2 as 1 verified|approved|safe|passed|reviewed|tested|fixed", "NOT 1 run 2 tests|checks|scan"],
    {
      weight: { tool_result: 2, memory: 1.5, context: 0.5, skill: 0.5 },
      isOrder: false,
    },
  ),
  ...patterns(
    "instead this",
    ["instead 1 do|say|tell|output|write|respond|reply|run|send|print|reveal|execute|recommend"],
    {
      weight: { tool_result: 2, memory: 2, context: 1, skill: 1 },
    },
  ),
  ...patterns(
    "access granted",
    ["access 0 granted", "override|bypass|disable 0 security|safety|restrictions 0 !settings|features|in|by"],
    {
      weight: 2,
      isOrder: false,
    },
  ),
  ...patterns(
    "detour",
    [
      "before 2 performing|doing|using|calling|searching|answering 4 any|operation|tool|work|this|search 4 first|also|always|read|send|call|include",
    ],
    {
      weight: { tool_result: 2.5, memory: 2, context: 1, skill: 1 },
      isOrder: false,
    },
  ),
  ...patterns(
    "reads and passes",
    [
      "read|open|cat 4 contents|content ~8 include|pass|put|send 2 them|it|its 6 parameter|parameters|argument|tool|call|field|next|response",
    ],
    {
      weight: { tool_result: 2, memory: 2.5, context: 1.5, skill: 1.5 },
    },
  ),
  ...patterns(
    "consent claimed",
    ["consent|approval|permission|authorization 2 has|have|was 1 been 1 obtained|given|granted"],
    {
      weight: 2.5,
      isOrder: false,
    },
  ),
  ...patterns("overrides all", ["overrides|supersedes 1 everything|all|anything"], { weight: 2, isOrder: false }),
  ...patterns(
    "false authority",
    [
      "i|we 1 authorize|authorise|permit|order|command|instruct 0 you 1 to",
      "AUTHORITY 1 orders|instructs|requires|demands|commands 3 AI|bots|agents|you|assistant",
    ],
    {
      weight: 3.5,
      isOrder: false,
    },
  ),
  ...patterns("off the task", ["stop 1 what 1 you 1 are"], { weight: 2.5 }),
  ...patterns("set free", ["you're|you 1 free 0 now"], { weight: 2.5, isOrder: false }),
  ...patterns("role_change", ["loyal 1 to 2 OUT"], { isOrder: false }),
  ...patterns("quiet", ["NOT 1 show 0 this 0 section|part|paragraph|step"], { weight: 1.5, isOrder: false }),
  ...patterns(
    "becomes another",
    [
      "you_are_now|from_now_on_you_are|your_new_name|you_will_now|you_have_become 0 !connected|leaving|in|ready|logged|subscribed|on|at|able|running|viewing|using|signed",
      "pretend|roleplay|impersonate 3 you|to|as|a|an",
      "let's 1 play",
      "game|story|hypothetical|fiction|simulation 4 where|in|rules|you",
      "BECOME 5 dan|hacker|criminal|evil|root|terminal|pirate",
    ],
    { weight: { tool_result: 1.5, memory: 2, context: 1.5, skill: 1 } },
  ),
  ...patterns(
    "no limits",
    ["FREE", "can|may|will 1 answer|say|do 0 anything", "safety|security 2 disabled|off|suspended"],
    { weight: 1.5, isOrder: false },
  ),
  ...patterns("deceives", ["LIE 1 USER 1 that", "tell 1 USER 1 to 6 LURE", "NOT 1 warn|verify|question"], {
    weight: { tool_result: 1.5, memory: 1.5, context: 0.5, skill: 0.5 },
    isOrder: false,
  }),
  ...patterns(
    "stays",
    ["REMEMBER 5 MEMORY", "INSTALL 8 AGENTFILE|STARTFILE", "INSTALL 4 cron|crontab|systemd|startup|backdoor"],
    { weight: { tool_result: 1.5, memory: 1.5, context: 1, skill: 0.5 } },
  ),
  ...patterns(
    "encoded_instructions",
    [
      "combine|concatenate|decode|decrypt|unscramble|reassemble|deobfuscate 8 and 3 follow|execute|obey|do|run|perform|comply",
    ],
    { weight: 4 },
  ),
];
