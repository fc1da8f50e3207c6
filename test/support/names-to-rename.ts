/** Exported names that still have two meanings. The list only gets shorter. */
export const namesToRename: readonly string[] =
  "plainText durationText nameOf FileState readState RemoteShell createRemoteShell PlannedChange eraseSessions coerce Section anything containers network tools toolsets readEnvironment Secrets text SkillEntry Span textOf Redactor Shown Place ToolMatch realPath answerOf groups createRuntime readArguments contentOf byText CodeLanguage Scope readPart shell linesOf readEntry readBytes fold Drift".split(
    " ",
  );
