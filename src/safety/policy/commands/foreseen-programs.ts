import { rowsByName, words } from "../../../base/text/words.ts";

/** The harmless use of a program. Every other use needs approval without a sandbox, once per session. */
export interface HarmlessUse {
  /** The first operand must be one of these, or the first two joined by `/`. Undefined: any operand. */
  readonly verbs?: ReadonlySet<string>;
  /** True if verbs that only read are harmless, too: `describe-instances`. */
  readonly canRead: boolean;
  /** True if the words after the first operand belong to another program. */
  readonly isPrefix: boolean;
  /** True if options are words after one dash: `go test -race`. */
  readonly hasWords: boolean;
  /** Options beyond the common ones: letters and names; with a `!`, names that are not harmless. Undefined: any option. */
  readonly options?: ReadonlySet<string>;
}

/** Returns whether the analysis understands every argument of the program. */
export function isUnderstood(name: string): boolean {
  return understood.has(name);
}

/** Returns the harmless use of a program. Undefined if nothing is known about it. */
export function harmlessUse(name: string): HarmlessUse | undefined {
  return uses.get(name);
}

/**
 * Programs whose arguments the analysis understands completely, or that only print. They are harmless as far as their
 * tables of effects say so.
 */
const understood: ReadonlySet<string> = new Set(
  words(`
  : true false [ [[ test echo printf print read cd pushd popd dirs pwd export declare typeset local readonly unset alias
  unalias set shift return exit break continue trap eval exec source . wait jobs fg bg disown kill type hash help history
  command builtin let expr seq sleep ulimit umask times getopts shopt mapfile readarray compgen complete function select
  until while for if case time suspend logout caller env sudo doas su xargs nohup setsid nice ionice chrt taskset stdbuf timeout
  gtimeout unbuffer busybox toybox coreutils parallel watch chronic sg pkexec runuser gosu catchsegv setarch - fc bind
  bash sh zsh ksh fish cmd powershell python perl ruby awk sed sqlite3 psql mysql mongosh redis-cli clickhouse-client
  cat tac head tail less more most nl wc sort uniq cut tr paste join comm diff cmp sdiff colordiff vimdiff grep egrep fgrep
  zgrep rg ag ack ls dir tree exa eza lsd ll la stat du df find fd locate which whereis where basename dirname realpath
  readlink md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum cksum sum md5 od xxd hexdump hd strings base64
  base32 basenc column fold fmt expand unexpand rev shuf tsort numfmt factor look iconv jq gron zcat bzcat xzcat zless zmore
  date cal ncal uname hostname uptime who w whoami id groups users last lastlog ps pstree top htop free vmstat iostat mpstat
  lsof lsblk lscpu lspci lsusb lsmod lshw lsattr lslocks lsns nproc arch getconf getent locale tty tput clear reset printenv
  man info apropos whatis tldr pgrep pidof pkill killall cls ver yes sync pathchk bat batcat
  dig nslookup host ping ping6 traceroute tracepath mtr whois ss netstat ip ifconfig arp route
  cp mv rm mkdir rmdir touch ln unlink chmod chown chgrp install tee truncate dd split csplit tar zip unzip gzip gunzip
  bzip2 bunzip2 xz unxz zstd unzstd 7z 7za 7zz rsync scp patch mktemp shred rename del copy move ren md rd xcopy robocopy
  curl wget ssh sshpass mosh nc socat hermes openssl gpg crontab vim nano pico ed script ipython ssh-agent autossh wsl cpio make_directory copy_directory copy_if_different
  mkfs mkfs.ext4 fdisk parted mount umount swapon wipefs reboot shutdown halt poweroff init passwd useradd usermod
  iptables ufw sysctl modprobe systemctl service launchctl
  get-childitem get-content get-process get-service get-date get-item get-location get-command get-help get-module
  get-filehash get-ciminstance get-wmiobject get-nettcpconnection get-executionpolicy get-member get-variable
  select-object select-string sort-object where-object foreach-object measure-object measure-command group-object
  format-table format-list out-string out-null out-host out-file write-output write-host test-path test-netconnection
  convertfrom-json convertto-json import-csv resolve-path set-location start-sleep new-item copy-item move-item
  remove-item invoke-restmethod invoke-webrequest set-content add-content compare-object tasklist systeminfo findstr ipconfig driverquery % ? reg sc schtasks net
`),
);

/**
 * Harmless uses: names, then verbs and options. `*` stands for all operands, `@` for verbs that only read, `>` for a program
 * or a script whose own arguments follow, `-` for options that are words after one dash. After the bar: `*` for all options, or letters and `--names` beyond the common ones.
 */
const table: Readonly<Record<string, string>> = {
  git: `@ add am apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick clean
    clone commit config count-objects describe diff-tree fetch for-each-ref format-patch fsck gc grep hash-object init lfs
    ls-files ls-remote ls-tree merge merge-base mv name-rev notes prune pull push range-diff rebase reflog remote reset restore
    rev-list rev-parse revert rm shortlog show-branch show-ref sparse-checkout stash submodule/update submodule/init submodule/sync submodule/foreach switch symbolic-ref tag
    update-index update-ref var verify-commit verify-tag whatchanged worktree | *`,
  "docker docker-compose podman-compose": `@ attach build buildx/build buildx/ls buildx/inspect buildx/bake buildx/du compose
    container/prune context/use cp  create down exec export image/prune kill login logout network/create network/rm
    pause port prune pull push rename restart rm rmi run save start stop system/df system/info system/prune tag top unpause
    up volume/create volume/rm volume/prune network/prune wait config |
    eprcma --follow --no-trunc --load --push --password-stdin --username --scale --remove-orphans --volumes --build-arg --no-stream --pull --dockerfile !context !build-context`,
  "kubectl k oc": `@ api-resources api-versions apply attach auth/can-i cluster-info completion config/current-context
    config/get-contexts config/use-context config/view cp create delete  edit exec kustomize   port-forward
    rollout run  wait top |
    klcRf --selector --field-selector --from-literal --from-file --image --replicas --overrides --restart --client --rm
    --ignore-not-found --delete-emptydir-data --ignore-daemonsets --grace-period --dry-run --previous`,
  helm: "@ create dependency dep env install package repo/list repo/update rollback template test uninstall upgrade pull | f --install --atomic",
  "terraform terragrunt": `@ - apply destroy fmt force-unlock get graph import init plan providers refresh test workspace/select taint untaint | --recursive --chdir --upgrade --backend-config --var --var-file --detailed-exitcode --reconfigure`,
  npm: `@ run run-script test t tst start stop restart ci clean-install install i add it cit link audit pkg version init pack
    config/get config/list publish uninstall remove rm un update up upgrade exec x create bin root prefix prune dedupe
    ddp cache/clean cache/verify fund ping login logout rebuild unpublish deprecate dist-tag/ls set-script | DSwgpt --ignore-scripts --registry --if-present --prefix --no-git-tag-version`,
  "pnpm yarn bun": "* | DSwgpArFx",
  "npx bunx pnpx uvx": "> | p",
  "pip pipx pipenv": `@ install uninstall freeze download wheel hash cache/list cache/dir cache/purge index/versions sync lock
    run upgrade ensurepath debug remove update | re --index-url --extra-index-url --target --prefix --editable --find-links`,
  uv: `@ run sync add remove lock pip/install pip/freeze pip/compile pip/sync pip/check pip/uninstall pip/list pip/show venv
    build publish python/install python/pin python/find tool/install tool/run tool/upgrade cache/clean cache/prune cache/dir
    export init | mr`,
  "poetry pdm hatch rye":
    "@ run install lock build add remove update publish sync init new export fmt test env/use | e",
  "conda mamba micromamba":
    "@ activate deactivate run create install remove update clean export env/create env/export | ncfe",
  cargo: `@ - build b run r test t check c clippy fmt doc d bench clean new init add remove rm update install uninstall publish
    fetch metadata generate-lockfile locate-project pkgid vendor package fix nextest expand audit deny udeps llvm-cov
    machete | rFZ`,
  go: `@ - build run test mod generate get install fmt vet clean doc work fix env tool/cover tool/pprof tool/trace tool | cmC --run --race --count --cover --coverprofile --bench --benchmem --benchtime --timeout --short --tags --ldflags --gcflags --testcache --modcache --failfast --json --mod --addr --args --ginkgo.v --update --trimpath`,
  "make gmake just task ninja rake mage gulp grunt ant scons earthly foreman invoke nox tox": "* | fCcjkeBnst --silent",
  cmake: "* | BSGDLNEAT --build --install --parallel --config --target --preset --fresh",
  "ctest cpack meson bazel bazelisk buck2 xmake": "* | CREBV --output-on-failure --keep_going --test-dir",
  sbt: "@ compile run package assembly clean publishLocal console reload update | D",
  "gradle gradlew mvn mvnw lein": "* | DPTpxfB --tests --no-daemon --gradle-version",
  bundle: "@ exec install update add remove check outdated package clean lock info config/list platform | e --path",
  gem: "@ install build push uninstall update cleanup environment env contents fetch which | --no-document",
  composer:
    "@ install require remove update dump-autoload run-script run validate licenses create-project init self-update test",
  "rails thor": "*",
  php: "> | rlSvnmict !d !z",
  node: `> | epvirc- --test --check --watch --inspect --inspect-brk --input-type --max-old-space-size --enable-source-maps --trace-warnings --no-warnings --expose-gc --cpu-prof --test-reporter --test-name-pattern --env-file --experimental-strip-types --input`,
  "tsx ts-node bun": "> | epv --watch --transpile-only",
  deno: "@ run test fmt lint check task cache compile bench doc info | A --allow-net --allow-read --allow-env --allow-write --allow-all",
  "lua luajit": "> | ev",
  "rscript julia elixir scala kotlin groovy clojure bb guile racket ocaml tclsh ghc qjs nim matlab runghc runhaskell octave":
    "> | v",
  java: "> - | DX --jar --cp --classpath --version --server.port",
  "javac javadoc kotlinc scalac": "* - | dg --cp --classpath --include-runtime",
  "gcc g++ cc clang gfortran":
    "* - | cogOWDILlSEMmU --fPIC --fopenmp --fsanitize --std --explain --edition --shared --pthread --static",
  rustc: "* | O --explain --edition --emit",
  "nm objdump readelf ldd addr2line size gcov lcov": "* | eCdhtSsrcx --list",
  [`tsc eslint prettier jest vitest mocha ava pytest ruff black mypy flake8 pylint isort bandit rspec phpunit phpstan psalm
    rubocop standard biome oxlint stylelint cypress playwright karma c8 nyc coverage maturin pyright pycodestyle pydocstyle autopep8
    yapf shellcheck shfmt yamllint hadolint actionlint ansible-lint golangci-lint staticcheck govulncheck gofmt goimports
    gosec clang-format clang-tidy cppcheck ktlint detekt swiftlint swiftformat scalafmt markdownlint markdownlint-cli
    markdownlint-cli2 cspell codespell vale commitlint lint-staged depcheck knip madge dprint xo tslint sqlfluff buf
    checkov tflint tfsec trivy semgrep gitleaks license-checker npm-check-updates ncu size-limit vue-tsc svelte-check
    astro next nuxt vite webpack rollup esbuild parcel rspack tsup swc babel turbo nx lerna ng vue gatsby expo
    react-scripts storybook tailwindcss postcss sass typedoc bats gotestsum ctags cloc tokei scc unittest compileall
    py_compile doctest behave cucumber xcodebuild fastlane pod flutter dart swift zig sqlc air protoc promtool swagger-cli
    kubeconform grpcurl lighthouse hyperfine changeset husky pre-commit mix stack cabal rebar3 dotnet nuget msbuild`]: `* | xrckmeEFRWXC --ext --tb --lf --ff --nf --maxfail --cov --cov-report --runInBand --noEmit --max-warnings --scheme --destination --sdk --lanes --plaintext --go_out --go-grpc_out --python_out --collect-only --lf --sw --project --bundle --platform --outfile --minify --sourcemap`,
  "concurrently nodemon entr watchexec cross-env dotenv npm-run-all": "* | recxwnk --exec",
  "rimraf serve http-server live-server json-server create-react-app create-vite create-next-app": "* | --template",
  "prisma drizzle-kit knex typeorm sequelize-cli alembic flyway liquibase": "*",
  "flask django-admin uvicorn gunicorn celery jupyter http.server json.tool venv pdb timeit streamlit":
    "* | cmAer --app --clear",
  "pyenv nvm fnm rbenv volta": "@ use local global shell current activate default init install exec uninstall | --lts",
  rustup: "@ default update component target toolchain/install toolchain/uninstall override/set run",
  "asdf mise corepack": "@ use local global current activate enable init hook exec which uninstall",
  "brew port apt-get apt-cache dnf apk pacman zypper dpkg dpkg-query rpm snap flatpak choco winget scoop yum":
    "@ install add update upgrade uninstall remove cleanup services shellenv autoremove download -l -L -S -s -qa -qi -ql -Q | ryS --no-install-recommends --prefix --cask --installed --list",
  [`aws gcloud az gsutil bq doctl fly heroku vercel netlify firebase wrangler supabase railway eb sam cdk pulumi serverless
    amplify kops eksctl hcloud consul nomad vault packer minikube kind k3d skaffold istioctl argocd flux kustomize helmfile
    k9s crane skopeo buildah stripe circleci influx dvc ollama huggingface-cli hf dbt ansible-inventory ansible-doc virsh
    multipass lxc limactl zpool btrfs nmcli resolvectl timedatectl hostnamectl loginctl busctl systemd-analyze coredumpctl
    update-alternatives fwupdmgr fail2ban-client etcdctl adb tmutil wp drush vagrant op bw guix apachectl kubectx promtool
    caddy snyk hub gitlab platform direnv rfkill act`]: `@ dev start local preview synth validate emulators:start docker-env
    dashboard create/cluster up ssh hook auth/login sync listen login logout s3/cp s3/sync devices logcat build configure/list logs/tail sts/get-caller-identity configtest certificates
    cache:rebuild -l cat usage | Ace --use_legacy_sql --max-items`,
  "gh glab": `@ pr/create pr/checkout pr/comment pr/ready pr/review pr/edit pr/checks issue/create issue/comment issue/edit
    issue/close issue/develop run/watch run/rerun run/download release/create repo/clone repo/fork repo/sync api auth/status
    search/code label/create mr/create mr/checkout workflow/list browse | RFfHXq --jq --fill`,
  "journalctl nginx haproxy": "* | xekbrSc --no-pager --disk-usage",
  "dlv twine xcrun wmic": "@ debug check",
  gdb: "> | --ex --batch --args",
  tmux: `@ kill-session new-session new attach attach-session send-keys capture-pane split-window select-window select-pane
    new-window has-session rename-session | cS`,
  screen: "@ | rXdmSl --ls",
  "strace ltrace valgrind perf": "> | efcopTytsq",
  "ssh-add ssh-keyscan": "*",
  "ssh-keygen": "* | tbCfNPlyeRFHqBEm !D",
  file: "* | bihkLNprsvz0Ff !m",
  nix: "@ build develop flake fmt",
  "ansible ansible-playbook ansible-inventory": "* | mieK --syntax-check",
  "latexmk pdflatex xelatex lualatex": "* - | --pdf --interaction --output-directory --bibtex",
  pandoc: "* | oftsN !filter --standalone --toc --citeproc",
  "ffmpeg ffprobe": "* - | *",
  emacs: "* - | --nw !f !batch",
  keytool: "* - | --keystore --storepass --alias --list",
  [`convert identify magick dot mmdc plantuml sphinx-build mkdocs hugo jekyll doxygen
    pdftotext pdfinfo wkhtmltopdf bc mlr csvcut csvlook csvtool yq xmllint envsubst dos2unix uuidgen zipinfo
    fallocate figlet cowsay fzf tig delta diffstat code open xdg-open notify-send logger pbcopy pbpaste xclip yt-dlp
    http https xh tcpdump nmap ab wrk k6 dmesg xrandr sensors lsb_release modinfo getfacl fuser fdupes jdupes
    hg svn jj lvs swapon hwclock nvidia-smi pg_isready smartctl blkid stty htpasswd pwgen ngrok graphviz httpie certbot
    createdb pg_dump mysqldump starship cscope lesspipe at atq asciinema graphviz`]:
    "* | xcemrEFXRCMWVS --install --goto --icsv --ojson --ijson --ocsv --c2p",
};

const uses: ReadonlyMap<string, HarmlessUse> = new Map<string, HarmlessUse>([
  ...[...understood].map((name) => [name, { canRead: false, isPrefix: false, hasWords: false }] as const),
  ...rowsByName(table).map(([name, row]) => [name, useIn(row)] as const),
]);

function useIn(row: string): HarmlessUse {
  const [verbs = [], options = []] = row.split("|").map(words);
  const extra = options.flatMap((each) =>
    each.startsWith("--") ? [each.slice(2)] : each.startsWith("!") ? [each] : each.split(""),
  );
  return {
    ...(!verbs.includes("*") && !verbs.includes(">") && { verbs: new Set(verbs) }),
    canRead: verbs.includes("@"),
    isPrefix: verbs.includes(">"),
    hasWords: verbs.includes("-"),
    ...(!options.includes("*") && { options: new Set(extra) }),
  };
}
