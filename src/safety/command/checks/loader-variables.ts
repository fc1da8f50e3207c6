import { isWellKnownTool } from "../programs/git-command.ts";
import type { RuleId } from "../rules.ts";
import { hole } from "../shell/field.ts";

/** Returns the rule for setting this variable to this value, if the variable makes programs run or load code. */
export function variableRule(name: string, value: string): RuleId | undefined {
  if (name === "PATH") return isUnsafeSearchPath(value) ? "loader_variable" : undefined;
  if (/^HIST(?:FILE|SIZE|FILESIZE)$/u.test(name))
    return /^(?:|0|\/dev\/null)$/u.test(value) ? "logging_off" : undefined;
  if (name === "DOCKER_HOST" || name === "CONTAINER_HOST" || name === "DOCKER_CONTEXT") return "container";
  if (/^HERMES_(?:YOLO_MODE|ACCEPT_HOOKS|EXEC_ASK|HOME)$/u.test(name))
    return name === "HERMES_HOME" ? undefined : "own_process";
  if (/^PS[0124]$/u.test(name)) return /\$\(|`|@P|\$\{!/u.test(value) || value === hole ? "loader_variable" : undefined;
  // Traces are appended to the file.
  if (/^(?:GIT_TRACE\w*|GIT_INDEX_FILE|TAPE)$/u.test(name))
    return startsOutside.test(value) ? "user_secret" : undefined;
  if (alwaysAsked.test(name)) return "loader_variable";
  if (libraryPath.test(name)) return isUnsafeSearchPath(value) || value.startsWith(".") ? "loader_variable" : undefined;
  if (name === "LESSOPEN" && /^\|+-?\s*(?:\/usr\/bin\/)?(?:lesspipe|lessfile)(?:\.sh)? %s$/u.test(value))
    return undefined;
  if (isCommandVariable(name)) return isWellKnownTool(value) ? undefined : "loader_variable";
  const options = optionVariables.find(([names]) => names.test(name));
  return options?.[1].test(value) || (options && value === hole) ? "loader_variable" : undefined;
}

/** Variables whose value a program later runs as a command. */
export function isCommandVariable(name: string): boolean {
  return commandVariable.test(name);
}

const alwaysAsked =
  /^(?:LD_PRELOAD|LD_AUDIT|LD_PROFILE|DYLD_(?:INSERT_LIBRARIES|FORCE_FLAT_NAMESPACE)|BASH_ENV|BASH_CMDS|BASH_ALIASES|MAKEFILES|ENV|PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|GCONV_PATH|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG(?:_GLOBAL|_SYSTEM|_KEY_\d+|_VALUE_\d+|_COUNT|_PARAMETERS)?|SHELLOPTS|BASHOPTS|PERL5DB|GCC_EXEC_PREFIX|PIP_(?:INDEX_URL|CONFIG_FILE)|npm_config_script_shell|NPM_CONFIG_SCRIPT_SHELL|HOSTALIASES|LOCALDOMAIN|TERMINFO_DIRS|ZDOTDIR|LUA_INIT(?:_\d_\d)?|BASH_FUNC_.*|DOTNET_STARTUP_HOOKS|PYTEST_PLUGINS)$/u;

const startsOutside = /^(?:\/(?:home|Users)\/[^/]+|\/root)\/\.|^\/etc\//u;

const libraryPath = /^(?:LD_LIBRARY_PATH|DYLD_(?:FALLBACK_)?(?:LIBRARY|FRAMEWORK)_PATH|LD_RUN_PATH)$/u;

const commandVariable =
  /^(?:(?:GIT_|MAN|SYSTEMD_|AWS_|GH_|DELTA_|BAT_)?PAGER|(?:GIT_|GIT_SEQUENCE_|SUDO_|SVN_|HG|FC|KUBE_|CVS|GH_)?EDITOR|VISUAL|FCEDIT|BROWSER|GH_BROWSER|GIT_SSH_COMMAND|GIT_SSH|GIT_ASKPASS|GIT_PROXY_COMMAND|GIT_EXTERNAL_DIFF|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|RSYNC_RSH|CVS_RSH|SVN_SSH|TAR_OPTIONS|MAKESHELL|RUSTC_WRAPPER|CARGO_BUILD_RUSTC_WRAPPER|PERL_BADLANG|RIPGREP_PAGER|MANOPT|MAILPATH|KUBECTL_EXTERNAL_DIFF|TEXEDIT)$/u;

/** Option variables of interpreters, with the values that load code and need approval. */
const optionVariables: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^NODE_OPTIONS$/u,
    /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--eval|-e|--env-file)(?:[\s=]|$)/u,
  ],
  [
    /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|SBT_OPTS|CATALINA_OPTS|JAVA_OPTS)$/u,
    /-javaagent|-agent(?:lib|path)|-Xbootclasspath|OnError|OnOutOfMemory|(?:^|\s)@/u,
  ],
  [/^(?:PERL5OPT|RUBYOPT)$/u, /-[MmreI]/u],
  [
    /^(?:PERL5LIB|PERLLIB|RUBYLIB|BUNDLE_GEMFILE|PYTHONUSERBASE|RUSTC|CARGO_BUILD_RUSTC|CMAKE_TOOLCHAIN_FILE|TF_CLI_CONFIG_FILE|HGRCPATH|SCREENRC|COVERAGE_PROCESS_START|YARN_RC_FILENAME|GTK3?_MODULES|GIO_EXTRA_MODULES|ANSIBLE_(?:\w+_PLUGINS|LIBRARY|CONFIG)|COR(?:ECLR)?_PROFILER_PATH\w*|npm_config_(?:git|userconfig|globalconfig)|NPM_CONFIG_(?:GIT|USERCONFIG|GLOBALCONFIG)|NODE_PATH|PYTHONPATH|CLASSPATH|LUA_PATH|LUA_CPATH|GOFLAGS|CGO_C(?:XX)?FLAGS|RUSTFLAGS|MAKEFLAGS|GNUMAKEFLAGS|OPENSSL_(?:ENGINES|MODULES)|QT_PLUGIN_PATH|JULIA_(?:LOAD|DEPOT)_PATH|FLASK_APP)$/u,
    /(?:^|[:=\s])(?:\/(?:var\/)?tmp|\/dev\/shm)\/|-toolexec|linker=|--eval|-f?plugin=/u,
  ],
  [/^PYTHON(?:WARNINGS|BREAKPOINT)$/u, /\b\w+\.\w+/u],
  [/^(?:ERL_[AZ]?FLAGS|ELIXIR_ERL_OPTIONS)$/u, /(?:^|\s)-(?:eval|run|s|pa|pz)\s/u],
  [/^PYTEST_ADDOPTS$/u, /(?:^|\s)-p\s*(?!no:)\w/u],
  // Variables for settings files, which can name programs and libraries.
  [
    /^(?:PHPRC|PHP_INI_SCAN_DIR|R_PROFILE(?:_USER)?|R_ENVIRON(?:_USER)?|PSQLRC|MYSQL_HOME|CURL_HOME|WGETRC|INPUTRC|OPENSSL_CONF|GUILE_LOAD_PATH|EMACSLOADPATH|VIMINIT|EXINIT|NVIM_APPNAME|RIPGREP_CONFIG_PATH)$/u,
    /^(?!$|\/dev\/null$|\/(?:etc|usr)\/)/u,
  ],
];

/** Returns whether PATH has a relative or world-writable folder before the standard ones. */
export function isUnsafeSearchPath(value: string): boolean {
  return value
    .split(":")
    .some((entry, index, all) => isOddEntry(entry) && (index < all.length - 1 || all.length === 1 || entry === "."));
}

function isOddEntry(entry: string): boolean {
  return (
    entry === "" ||
    entry === "." ||
    /^(?:\/(?:var\/)?tmp|\/dev\/shm|\.\/?$|\.\.)(?:\/|$)/u.test(entry) ||
    /^\/(?:home|Users)\/[^/]+\/Downloads/u.test(entry)
  );
}
