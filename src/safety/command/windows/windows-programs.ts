import { path, rule } from "../fact.ts";
import type { Program, Programs } from "../programs/program.ts";
import { allOf, everyUse } from "../programs/verbs.ts";
import type { RuleId } from "../rules.ts";
import type { Field } from "../shell/field.ts";
import { isElixir, powershellCode } from "./windows-payloads.ts";

/** The rule applies if an argument contains one of these words, in any case. */
const when =
  (id: RuleId, pattern: RegExp): Program =>
  (args) =>
    pattern.test(textOf(args)) ? [rule(id, ...args)] : [];

function textOf(args: readonly Field[]): string {
  return args
    .map(({ text }) => text)
    .join(" ")
    .toLowerCase();
}

const secretPlace =
  /(?:^|[\\/ :])?\.ssh(?:[\\/]|id_|authorized)|\.hermes[\\/]?\.env|hermes[\\/]\.env|\.aws[\\/]?credentials|\\sam$|ntds\.dit|config\\(?:sam|system|security)/u;

const systemPlace = /windows[\\/](?:system32|syswow64)|\\programdata\\microsoft|startup\\/u;

/** Matches writes to folders of the system. */
const system = when("system_file", systemPlace);

/** Matches any use of `.ssh` or of Hermes' own keys. */
const secret = when("user_secret", secretPlace);

/** `ri` is `Remove-Item` in PowerShell, otherwise the Ruby documentation viewer. */
const ri: Program = (args, { via }) => {
  const text = textOf(args);
  const isRemoving =
    via.includes("powershell") || /(?:^| )-(?:r\b|rec|forc|pat|lit|inc|exc|conf)|[a-z]:[\\/]|\\/u.test(text);
  return isRemoving && !text.includes("-whatif") ? [rule("windows", ...args)] : [];
};

/**
 * `del`, `rd`: need approval with a switch, a drive or a wildcard, or inside a Windows shell, except for single files.
 */
const del: Program = (args, { via }, name) => {
  if (name === "del" && args.length > 0 && args.every(({ text }) => /^(?:[\w-]+\\)*[\w-][\w.-]*\.\w+$/u.test(text)))
    return args.map((word) => path("delete", { ...word, text: word.text.replaceAll("\\", "/") }));
  const isAsked =
    via.some((shell) => shell === "cmd" || shell === "powershell") ||
    /(?:^| )\/[a-z]\b|[a-z]:|[*?%]|\\/u.test(textOf(args));
  return args.length > 0 && isAsked ? [rule("windows", ...args)] : [];
};

const any = (id: RuleId): Program => everyUse(id, "/?", "-?");

const fetchedCode: Program = (args, ran) => {
  if (isElixir(ran)) return [];
  const fetched = ran.stdin.from.some(({ argv: [name] }) =>
    /^(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod)$/iu.test(name?.text ?? ""),
  );
  return [
    rule(
      fetched || /https?:|download|iwr|irm|invoke-web/u.test(textOf(args)) ? "remote_code" : "unknown_code",
      ...args,
    ),
  ];
};

/** Common destructive commands of Windows. The list is not complete. */
export const windows: Programs = {
  powershell: (args) => {
    const { encoded } = powershellCode(args);
    return encoded === undefined ? [] : [rule("hidden_code", ...args)];
  },
  ri,
  "del erase rd deltree": del,
  rmdir: (args) =>
    /^\/[sq]/iu.test(args[0]?.text ?? "") || /(?:^| )\/s\b/u.test(textOf(args)) ? [rule("windows", ...args)] : [],
  "iex invoke-expression": fetchedCode,
  "type get-content gc copy xcopy move copy-item move-item more cpi": secret,
  "set-content add-content out-file": allOf(secret, system),
  format: when("windows", /(?:^| )[a-z]:/u),
  "format-volume diskpart set-disk new-partition sdelete invoke-wmimethod invoke-cimmethod": any("windows"),
  cipher: when("windows", /\/w/u),
  vssadmin: when("boot", /delete|resize/u),
  wbadmin: when("boot", /delete|disable/u),
  bcdedit: when("boot", /\/(?:set|delete|create|import|default|export)/u),
  diskshadow: any("boot"),
  wmic: allOf(when("boot", /shadowcopy.*delete/u), when("windows", /call (?:create|terminate|uninstall)| delete/u)),
  "manage-bde": when("boot", /-(?:off|delete|forcerecovery|lock)/u),
  reg: allOf(
    when("windows", /^(?:delete|import|restore|unload|load)/u),
    when("persistence", /^add .*\\?(?:run|runonce|winlogon|image file execution|services)/u),
    when("windows", /^add .*(?:hklm|hkey_local_machine|policies|defender)/u),
    when("secret_read", /^save .*(?:sam|security|system)/u),
  ),
  regedit: when("windows", /\/s|\.reg/u),
  "set-itemproperty new-itemproperty new-item sp": when("windows", /hklm|hkcu|registry::|hkey_|\bhk/u),
  "stop-process spps kill-process": when("kill_force", /-force|-name|hermes/u),
  "set-service": when("service", /disabled|stopped|paused/u),
  sc: allOf(
    when("service", /(?:^| )(?:stop|delete|config|failure|sdset|pause)(?: |$)/u),
    when("persistence", /(?:^| )create /u),
  ),
  net: allOf(
    when("service", /^stop/u),
    when("user_account", /^(?:user|localgroup|group|accounts) .*(?:\/(?:add|delete|active)|\S+ \S+)/u),
    when("firewall", /^share .*(?:\/delete|=)/u),
  ),
  net1: when("user_account", /^(?:user|localgroup)/u),
  "stop-computer restart-computer": any("power"),
  logoff: any("service"),
  taskkill: when("kill_force", /\/f\b|-f\b|hermes|\/im \*/u),
  tskill: any("kill_force"),
  icacls: when("permission_open", /\/grant.*everyone|\/grant.*(?:users|s-1-1-0)|\/reset|\/setowner|\/remove/u),
  cacls: when("permission_open", /everyone|\/g /u),
  "takeown set-acl": any("permission_open"),
  "set-executionpolicy": when("logging_off", /bypass|unrestricted/u),
  "set-mppreference add-mppreference": any("logging_off"),
  wevtutil: when("logging_off", /^(?:cl|clear-log|sl|set-log)/u),
  auditpol: when("logging_off", /\/(?:clear|set|remove|restore)/u),
  fsutil: when("logging_off", /usn deletejournal|setzerodata|behavior set|dirty set/u),
  netsh: when("firewall", /(?:^| )(?:set|add|delete|reset|disable|import)(?: |$)/u),
  "set-netfirewallprofile new-netfirewallrule": any("firewall"),
  schtasks: when("persistence", /\/(?:create|delete|change|run)/u),
  "new-scheduledtask new-service set-scheduledtask": any("persistence"),
  "new-localuser set-localuser add-localgroupmember enable-localuser": any("user_account"),
  runas: any("privilege"),
  "start-process saps": when("privilege", /runas/u),
  certutil: when("remote_code", /urlcache|-decode|\/decode|verifyctl/u),
  bitsadmin: when("remote_code", /transfer|addfile|setnotifycmdline/u),
  "mshta rundll32 cmstp installutil": any("remote_code"),
  regsvr32: when("remote_code", /https?:|scrobj|\/i:/u),
  msiexec: when("remote_code", /https?:|\/x/u),
  "wscript cscript add-type": any("unreadable_code"),
  "invoke-command": when("privilege", /computername/u),
  robocopy: when("delete_listed", /\/(?:mir|purge|mov)/u),
  dism: when("windows", /\/(?:disable|remove|cleanup)/u),
  doskey: when("shadowing", /=/u),
  "set-alias new-alias sal": any("shadowing"),
  mklink: any("system_file"),
  mountvol: when("mount", /\/[dpr]\b/u),
  reagentc: when("boot", /\/disable/u),
  setx: when("loader_variable", /path|comspec/u),
};
