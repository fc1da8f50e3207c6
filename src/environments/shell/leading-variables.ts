/**
 * Variables that lead programs: which ones are found, what they load first, where they find their settings. What a
 * confined command set them to, a person should know before a command runs outside with them.
 */
export function leadingVariables(
  exports: ReadonlyMap<string, string>,
  trusted: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  if (exports === trusted) return {};
  return Object.fromEntries([...exports].filter(([name, value]) => trusted.get(name) !== value && isLeading(name)));
}

function isLeading(name: string): boolean {
  return (names.test(name) || families.test(name) || endings.test(name)) && !harmless.test(name);
}

const names =
  /^(?:HOME|PATH|SHELL|ENV|ZDOTDIR|EDITOR|VISUAL|BROWSER|CC|CXX|KUBECONFIG|WGETRC|INPUTRC|VIMINIT|EXINIT|MAKEFLAGS|CLASSPATH|HOSTALIASES|TERMINFO|NODE_(?:OPTIONS|PATH)|PYTHON(?:PATH|HOME|STARTUP|BREAKPOINT)|PERL5?(?:LIB|OPT|DB)|RUBY(?:LIB|OPT)|GEM_PATH|LESSOPEN|LESSCLOSE|RUSTC|(?:https?|all)_proxy)$/iu;

const families = /^(?:LD|DYLD|XDG|GIT|SSH|NPM_CONFIG|PIP|CARGO|RUSTUP|BUNDLE|DOCKER|CONTAINER|HELM|OPENSSL|BASH)_/iu;

const endings =
  /(?:HOME|PAGER|_(?:CONF|CONFIG|CONFIG_(?:FILE|DIR|PATH)|RC|RCFILE|PRELOAD|OPTS|OPTIONS|COMMAND|EDITOR|ASKPASS|RSH|WRAPPER|PLUGINS?))$/iu;

const harmless = /^(?:GIT_(?:AUTHOR|COMMITTER)_\w+|CARGO_TERM_\w+|DOCKER_BUILDKIT|XDG_(?:SESSION|CURRENT)_\w+)$/u;
