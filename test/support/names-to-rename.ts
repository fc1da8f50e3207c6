/** Exported names that still have two meanings. The list only gets shorter. */
export const namesToRename: readonly string[] =
  "plainText durationText nameOf FileState readState Doubt RemoteShell createRemoteShell PlannedChange eraseSessions Seen coerce Rule Section anything containers network tools toolsets readEnvironment Secrets Finding text SkillEntry Span textOf Redactor Shown Place ToolMatch realPath answerOf groups createRuntime readArguments contentOf byText Expansion CodeLanguage Scope readPart shell Part Value Hit linesOf Reading Folded DeskDeps readEntry readBytes fold Drift".split(
    " ",
  );
