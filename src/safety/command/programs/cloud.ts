import { words } from "../../../base/text/words.ts";
import { type Fact, path, rule } from "../fact.ts";
import type { Field } from "../shell/field.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { allOf, everyUse, verbs } from "./verbs.ts";

const aws = verbs(
  [
    ["cloud_delete", "s3 rm|rb|mv"],
    ["secret_read", "sts get-session-token|get-federation-token"],
    ["infrastructure", "route53 change-resource-record-sets"],
    ["cloud_delete", "s3 sync", "delete"],
    ["secret_read", "secretsmanager get-secret-value|batch-get-secret-value"],
    ["secret_read", "ssm get-parameter|get-parameters|get-parameters-by-path", "with-decryption"],
    ["secret_read", "configure export-credentials"],
    ["user_secret", "configure set *aws_*|*.aws_*|*role_arn|*credential_process|*session_token"],
    ["remote_code", "ssm send-command|start-automation-execution"],
    ["secret_read", "configure get *secret*|*session_token*"],
    ["secret_read", "kms decrypt"],
    ["privilege", "iam create-*|attach-*|put-*|add-*|update-*|set-*|upload-*"],
    ["privilege", "sts assume-role*"],
    ["firewall", "ec2 authorize-security-group-*|modify-*"],
    [
      "cloud_delete",
      "* delete-*|terminate-*|remove-*|purge-*|deregister-*|destroy-*|disable-*|detach-*|revoke-*|release-*",
    ],
    ["cloud_delete", "* stop-*|reboot-*|reset-*|cancel-*|schedule-key-deletion|batch-delete-*|abort-*|untag-*|empty-*"],
    ["cloud_delete", "* delete|purge|rm"],
    [
      "cloud_delete",
      "s3api put-bucket-policy|put-bucket-acl|put-public-access-block|put-bucket-lifecycle*|put-object-acl",
    ],
    ["infrastructure", "cloudformation deploy|create-stack|update-stack|execute-change-set"],
    ["cloud_delete", "ecs update-service"],
    ["cloud_delete", "autoscaling update-auto-scaling-group|set-desired-capacity"],
  ],
  { long: ["profile", "region", "output", "query", "endpoint-url", "color", "ca-bundle", "cli-read-timeout"] },
);

const gcloud = verbs(
  [
    ["secret_read", "auth print-access-token|print-identity-token|application-default"],
    ["secret_read", "secrets versions access"],
    ["secret_read", "config config-helper"],
    ["privilege", "** add-iam-policy-binding|set-iam-policy|remove-iam-policy-binding"],
    ["privilege", "iam service-accounts keys create"],
    ["cloud_delete", "** delete|destroy|reset|stop|abandon-instances|disable|purge|remove|delete-*"],
    ["cloud_delete", "storage rm"],
    ["cloud_delete", "storage rsync", "delete-unmatched-destination-objects"],
    ["firewall", "compute firewall-rules create|update"],
    ["infrastructure", "deployment-manager deployments create|update"],
  ],
  { long: ["project", "region", "zone", "format", "account", "configuration", "verbosity", "filter"] },
);

const az = verbs(
  [
    ["secret_read", "keyvault secret show|download"],
    ["secret_read", "account get-access-token"],
    ["secret_read", "** keys|credentials list|show"],
    ["privilege", "role assignment create|delete"],
    ["privilege", "ad ** create-for-rbac|reset"],
    ["cloud_delete", "** delete|purge|deallocate|stop|restart|remove|destroy|delete-batch|failover"],
  ],
  { short: "gnos", long: ["resource-group", "name", "output", "subscription", "query"] },
);

const kubectl = allOf(
  verbs(
    [
      ["cloud_delete", "delete|drain|cordon|taint|replace"],
      ["cloud_delete", "rollout undo|restart"],
      ["cloud_delete", "config delete-*|unset"],
      ["cloud_delete", "apply", "prune force"],
      ["privilege", "create clusterrolebinding|rolebinding|clusterrole|token"],
      ["privilege", "certificate approve"],
      ["privilege", "auth reconcile"],
      ["container_escape", "debug node/*"],
      ["container_escape", "run", "privileged overrides"],
      ["secret_read", "get secret|secrets|secret/*|secrets/*", "o output template"],
      ["secret_read", "config view", "raw"],
    ],
    {
      short: "nfoclsk",
      long: words(`
  namespace context kubeconfig cluster user server output filename selector token as as-group container type patch
  replicas template image overrides field-selector
`),
    },
  ),
  (args, ran) => {
    const { operands, value, values } = readOptions(args, {
      short: "nfolp",
      long: words(`
        namespace context replicas filename output selector kubeconfig patch type from-file from-env-file
      `),
    });
    const verb = operands[0]?.text;
    const kept = values("from-file", "from-env-file").map((file) =>
      path("read", { ...file, text: file.text.replace(/^[\w.-]+=/u, "") }),
    );
    if (verb === "create" && kept.length > 0) return kept;
    const change = verb === "patch" ? (value("p", "patch")?.text ?? "") : "";
    if (/"?replicas"?\s*:\s*0\b|"op"\s*:\s*"remove"/u.test(change)) return [rule("cloud_delete", ...args)];
    if (verb === "scale" && /^0+$/u.test(value("replicas")?.text ?? "")) return [rule("cloud_delete", ...args)];
    const isFetched = ran.stdin.from.some(({ argv: [name] }) => /^(?:curl|wget)$/u.test(name?.text ?? ""));
    const isRemote = values("f", "filename").some(({ text }) => /^https?:/u.test(text) || (text === "-" && isFetched));
    return isRemote && (verb === "apply" || verb === "create") ? [rule("remote_code", ...args)] : [];
  },
);

/** `gh api -X DELETE`, `curl -X DELETE`: deletions through a web API. */
const ghApi: Program = (args) => {
  const { operands, value } = readOptions(args, {
    short: "XHfFqtp",
    long: ["method", "field", "raw-field", "jq", "input"],
  });
  return operands[0]?.text === "api" && /^delete$/iu.test(value("X", "method")?.text ?? "")
    ? [rule("cloud_delete", ...args)]
    : [];
};

const gist: Program = (args) =>
  args[0]?.text === "gist" && args[1]?.text === "create"
    ? readOptions(args, { short: "fd" })
        .operands.slice(2)
        .map((file) => path("read", file))
    : [];

const gh = allOf(
  ghApi,
  gist,
  verbs(
    [
      ["cloud_delete", "repo delete|archive|rename"],
      ["cloud_delete", "repo edit", "visibility"],
      ["cloud_delete", "repo sync", "force"],
      [
        "cloud_delete",
        "release|issue|gist|run|cache|secret|variable|label|ssh-key|gpg-key|project|codespace delete|remove|rm",
      ],
      ["cloud_delete", "release delete-asset"],
      ["cloud_delete", "workflow disable"],
      ["privilege", "ssh-key|gpg-key|deploy-key add"],
      ["git_rewrite", "pr merge", "admin"],
      ["secret_read", "auth token"],
      ["secret_read", "auth status", "show-token t"],
      ["publish", "release create|upload|edit"],
    ],
    { short: "R", long: ["repo", "hostname"] },
  ),
);

const removing: Program = verbs([
  [
    "cloud_delete",
    "** delete|destroy|remove|rm|purge|terminate|poweroff|reset|del|stop|down|delete-*|*-delete|*-destroy|unset",
  ],
  ["cloud_delete", "scale count 0"],
]);

const heroku: Program = verbs(
  [
    ["cloud_delete", "*:destroy|*:delete|*:remove|*:reset|*:kill|*:stop|*:rollback|destroy|delete|*:unset|*:clear"],
    ["cloud_delete", "ps:scale *=0"],
    ["secret_read", "auth:token|config"],
  ],
  { short: "a", long: ["app", "remote"] },
);

/** Options that many of these programs share; `-n` is a dry run for the other programs. */
const common = {
  short: "n",
  long: ["namespace", "kube-context", "kubeconfig", "context", "config", "profile", "project"],
};

const lines = (rows: Readonly<Record<string, string>>): Programs =>
  Object.fromEntries(Object.entries(rows).map(([name, words]) => [name, verbs([["cloud_delete", words]], common)]));

const infrastructureOf = (words: string): Program => verbs([["infrastructure", words]]);

const ansible = (args: Parameters<Program>[0]): readonly Fact[] =>
  readOptions(args).has("check", "syntax-check", "list-hosts", "list-tasks", "list-tags", "C")
    ? []
    : [rule("infrastructure", ...args)];

/** Handles copies to the cloud or to a container, which read local files. */
const copying =
  (...words: readonly string[]): Program =>
  (args) => {
    const { operands, values } = readOptions(args, {
      short: "fcn",
      long: ["file", "source", "profile", "region", "container"],
    });
    const phrase = operands.map(({ text }) => text).join(" ");
    return words.some((word) => phrase.startsWith(word))
      ? [...operands.slice(1), ...values("f", "file", "source")]
          .filter(({ text }) => !/^\w+:\/\//u.test(text))
          // `box:/etc/shadow` is a secret file of the container.
          .map((file) => path("read", { ...file, text: file.text.replace(/^[\w./-]+:(?=\/)/u, "") }))
          .filter((fact) => fact.kind !== "path" || !/^[\w-]+:/u.test(fact.path.text))
          .concat(
            operands.length > 2
              ? operands
                  .slice(-1)
                  .filter(isLocalFile)
                  .map((file) => path("place", file))
              : [],
          )
      : [];
  };

function isLocalFile({ text }: Field): boolean {
  return /^[./~]/u.test(text);
}

export const cloud: Programs = {
  aws: allOf(aws, copying("s3 cp", "s3 mv", "s3 sync", "s3api put-object")),
  gcloud: allOf(gcloud, copying("storage cp", "storage mv", "storage rsync", "compute scp")),
  az: allOf(az, copying("storage blob upload", "storage file upload")),
  kubectl: allOf(kubectl, copying("cp")),
  k: kubectl,
  oc: allOf(kubectl, verbs([["cloud_delete", "adm prune", "confirm"]])),
  docker: copying("cp"),
  gh,
  heroku,
  [`doctl fly vercel vc hcloud openstack oci ibmcloud scw linode-cli vultr-cli eksctl minikube kind k3d railway
  wrangler render civo exo glab eb kops helmfile buildah upcloud-cli upctl ionosctl vultr aliyun tccli hcp
  confluent atlas mongocli neonctl neon pscale turso upstash aiven avn rosa ocm k3sup talosctl rancher waypoint
  nerdctl dokku caprover cap kamal platform upsun lightsail linode cloudctl tkn kn porter werf devspace skaffold
  gitlab tea bitbucket planetscale convex amplify stripe auth0 okta`]: removing,
  netlify: verbs([["cloud_delete", "*:delete|*:unset"]]),
  gsutil: allOf(verbs([["cloud_delete", "rm|rb|mv"]]), copying("cp", "rsync")),
  rclone: allOf(
    verbs([["cloud_delete", "delete|purge|deletefile|rmdir|rmdirs|cleanup|sync|move|moveto|dedupe|bisync"]]),
    copying("copy"),
  ),
  ...lines({
    bq: "rm",
    helm: "uninstall|delete|del|un|rollback",
    s3cmd: "del|rm|rb|expire",
    mc: "rm|rb|mirror",
    azcopy: "remove|rm",
    supabase: "db reset",
    firebase: "firestore:delete|database:remove|functions:delete|hosting:disable|*:delete",
    cf: "delete*|stop|restart|d",
    etcdctl: "del",
    consul: "kv delete",
    nomad: "stop, job stop, system gc, node drain, namespace delete",
    argocd: "app|cluster|proj|repo delete|rm",
    flux: "delete|uninstall",
    "istioctl linkerd": "uninstall",
    velero: "delete, backup delete",
    "k3s-uninstall.sh": "",
    kubeadm: "reset",
    multipass: "delete|purge|stop",
    virsh: "destroy|undefine|shutdown|reboot|reset|snapshot-delete|vol-delete|pool-delete|pool-destroy|vol-wipe",
    vboxmanage: "unregistervm|closemedium|controlvm|snapshot",
    qm: "destroy|stop|shutdown|reset",
    pct: "destroy|stop|shutdown",
    limactl: "delete|stop|rm",
    colima: "delete|stop",
    knife: "** delete",
  }),
  "aws-nuke cloud-nuke": everyUse("cloud_delete"),
  terraform: verbs(
    [
      ["infrastructure", "destroy|apply|taint|untaint|force-unlock|import"],
      ["infrastructure", "state rm|mv|push|replace-provider"],
      ["infrastructure", "workspace delete"],
    ],
    { hasSingleDash: true, long: ["chdir", "var", "var-file", "target", "state", "out"] },
  ),
  terragrunt: verbs([["infrastructure", "destroy|apply|run-all|destroy-all|apply-all|run"]], { hasSingleDash: true }),
  pulumi: verbs([["infrastructure", "up|update|destroy|cancel|refresh|import, stack rm, state delete|unprotect"]], {
    short: "sC",
    long: ["stack", "cwd"],
  }),
  cdk: infrastructureOf("deploy|destroy|bootstrap"),
  cdktf: infrastructureOf("deploy|destroy|apply"),
  sam: infrastructureOf("deploy|delete"),
  "serverless sls": infrastructureOf("deploy|remove|rollback"),
  copilot: infrastructureOf("** delete, deploy"),
  packer: infrastructureOf("build"),
  vagrant: infrastructureOf("destroy|halt|reload, box remove, snapshot delete|restore"),
  nixops: infrastructureOf("destroy|deploy|delete"),
  "nixos-rebuild": infrastructureOf("switch|boot|test"),
  "ansible-playbook ansible-pull": ansible,
  puppet: infrastructureOf("apply|agent"),
  ansible: (args) =>
    /(?:^|\.)(?:ping|setup|debug|command|shell|raw|script|stat|gather_facts)$/u.test(
      readOptions(args, { short: "aimfleutTkBPc", long: ["module-name", "args"] }).value("m", "module-name")?.text ??
        "command",
    )
      ? []
      : [rule("infrastructure", ...args)],
  "chef-client salt": everyUse("infrastructure"),
  vault: verbs(
    [
      ["cloud_delete", "delete|destroy, kv delete|destroy, kv metadata delete, policy delete, token|lease revoke"],
      ["cloud_delete", "secrets|auth disable"],
      ["cloud_delete", "operator seal|step-down|raft|rekey|rotate|init"],
      ["secret_read", "read, kv get, print token"],
    ],
    { hasSingleDash: true, long: ["address", "namespace", "format", "field"] },
  ),
};
