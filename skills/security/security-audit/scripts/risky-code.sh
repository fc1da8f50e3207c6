#!/bin/sh
# Places worth reading, by kind. None is a finding by itself.
set -eu
cd "$(git rev-parse --show-toplevel)"
look() {
  found=$(git grep -nIE -e "$2" -- . ':!*lock*' ':!*.min.js' ':!*.md' ':!vendor' ':!node_modules' | cut -c1-180 | head -15 || true)
  [ -z "$found" ] || printf '== %s\n%s\n' "$1" "$found"
}
look "commands from text" 'child_process|\bexec(Sync)?\(|os\.system\(|shell *= *True|subprocess\.(call|run|Popen)\(["'"'"'f]|Runtime\.getRuntime\(\)\.exec|\bsystem\(|popen\('
look "queries from text" '(SELECT|INSERT|UPDATE|DELETE)[^;]*(\$\{|" *\+|%s|f"|\.format\()|execute\(f"|raw\(`'
look "unsafe reading of data" 'pickle\.loads?|yaml\.load\(|unserialize\(|\beval\(|new Function\(|Marshal\.load|ObjectInputStream'
look "HTML from text" 'innerHTML *=|dangerouslySetInnerHTML|document\.write\(|\|safe\b|v-html'
look "paths from users" '(readFile|createReadStream|sendFile|open)\([^)]*(req\.|request\.|params|query)'
look "requests to given addresses" '(fetch|axios(\.get)?|requests\.get|urlopen)\([^)]*(req\.|request\.|params|query|url\b)'
look "weak crypto" '\b(md5|sha1)\b *\(|createHash\(.(md5|sha1)|DES|ECB|Math\.random\(\).*(token|secret|id)'
look "checks switched off" 'verify *= *False|rejectUnauthorized *: *false|InsecureSkipVerify|CURLOPT_SSL_VERIFYPEER.*0|NODE_TLS_REJECT_UNAUTHORIZED|csrf_exempt'
look "CORS for everybody" 'Access-Control-Allow-Origin.*\*|origin *: *["'"'"']\*|cors\(\)'
look "workflows with rights" 'pull_request_target|permissions: *write-all'
echo "done: read each place and follow its input to where it comes in"
