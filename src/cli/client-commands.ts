// The commands that query a running server, as data.

import { WEBHOOK_VERDICTS } from "../apiserver/registry/admission-observer.ts";
import { PLATFORMS } from "../controller/emulated-release.ts";
import { SOURCE_FORMS } from "../features/import/sources/source.ts";
import { GATEWAY_MODES, ISOLATIONS, ON_OFF, TRANSPORTS } from "../ovn/snapshot.ts";
import { PROTOCOLS, ROWS_BY } from "../ovn/trace/packet-path.ts";
import type { Command, Flag } from "../server/options/flag.ts";
import { serverFlag } from "../server/options/options.ts";
import { CASE_COMMAND } from "./case-command.ts";
import { ETCD_FLAGS, LIMIT_FLAGS, namespace, onOff, output, SERVER_FLAGS, text, word } from "./flag-forms.ts";
import { STATE_COMMANDS } from "./state-commands.ts";

const OUTPUT = output("text", "json");
const EXPIRE_WATCHES = onOff(
  "expire-watches",
  "end open watches with 410 Expired; otherwise they see the differences",
);

const FILTERS: readonly Flag[] = [
  ...["verb", "group", "resource", "namespace", "name", "user-agent", "user"].map((name) =>
    text(name, "TEXT", "requests of this alone"),
  ),
  text("status", "CODE", "of the answer; 0 is none"),
  text("since", "SEQUENCE", "requests after this one"),
  text("limit", "COUNT", "the newest so many"),
];

const WEBHOOK_FLAGS: readonly Flag[] = [
  onOff("webhooks", "calls of admission webhooks in the place of requests"),
  text("webhook", "TEXT", "calls of this webhook alone"),
  text("verdict", "TEXT", "calls with this verdict alone", { choices: WEBHOOK_VERDICTS }),
  text("operation", "TEXT", "calls about this operation alone"),
];

const VERDICT_OUTPUT = output("text", "json", "yaml", "markdown");

/** Facts about a cluster that its objects do not contain. */
const FACTS: readonly Flag[] = [
  text("gateway-mode", "MODE", "`shared` or `local`, where the nodes do not say", { choices: GATEWAY_MODES }),
  text("resolve", "NAME=ADDRESS", "an address of a name", { multiple: true }),
  text(
    "table",
    "NAME=WHAT",
    "a routing table that an EgressService names: `blackhole`, or the address that traffic gets",
    {
      multiple: true,
    },
  ),
  onOff("disable-snat-multiple-gws", "pods with external gateways keep their own address"),
  text("transport", "NAME", "of the cluster's own network", { choices: TRANSPORTS }),
  text("outbound-snat", "WHAT", "whether what leaves a network without an overlay gets the node's address", {
    choices: ON_OFF,
  }),
  text("advertised-isolation", "HOW", "whether advertised networks reach each other", {
    choices: ISOLATIONS,
  }),
  onOff("dns-name-resolver", "wildcards of names are resolved"),
];

const RBAC = onOff("rbac", "print the role that somebody needs to ask about a cluster that is not Egret");

const FROM = `in the place of a server: ${SOURCE_FORMS}`;

/** Flags for a cluster that is not Egret. */
const ELSEWHERE: readonly Flag[] = [
  text("from", "PATH", FROM, {
    multiple: true,
    offers: "file",
  }),
  text("cluster-subnets", "LIST", "networks of pods, where a cluster that is not Egret does not say them"),
  text(
    "service-subnets",
    "LIST",
    "networks of Services, where a cluster that is not Egret does not say them",
  ),
  RBAC,
  ...LIMIT_FLAGS,
];
const PLATFORM = text("platform", "NAME", "where a cluster stands that is not Egret and does not say it", {
  choices: PLATFORMS,
});

const SENDERS_OR_FILES: Flag = text(
  "from",
  "WHO|PATH",
  `pods that send: ns/NAME, pod/NAMESPACE/NAME; or ${FROM}`,
  { multiple: true, offers: "file" },
);

const COMMANDS: readonly Command[] = [
  {
    word: "status",
    usage: ["[-o json]"],
    summary: "shows which server runs here: address, process, folder, version, how much is in it",
    text: "Exits 1 when none does. -o json prints a list: in one folder several can run.",
    flags: [OUTPUT],
  },
  {
    word: "kubeconfig",
    usage: ["", "--user NAME [--group GROUP ...]"],
    summary: "prints the kubeconfig of a running server, or makes one for another user",
    text: "With --user the server signs a client certificate for that user, for one year at most.",
    flags: [
      text("user", "NAME", "a new client certificate names this user"),
      text("group", "GROUP", "a group of that user; may be repeated", { multiple: true }),
    ],
  },
  {
    word: "ui",
    usage: ["[--no-open]"],
    summary: "prints the address of the page, and opens it in a browser",
    text: "Where people are asked who they are, the address is good once and for two minutes, for whoever the kubeconfig says.",
    flags: [onOff("no-open", "print it only")],
  },
  {
    word: "apply",
    usage: ["-f PATH|- [-f PATH]… [--namespace NAME] [--status]"],
    summary: "applies the objects of files and folders",
    text: `Applies YAML or JSON as kubectl apply --server-side --force-conflicts does; namespaces, definitions and nodes go
first. Exits 1 when an object was refused; the others are applied.

A status is taken as a server takes it. Where it is a subresource (Pod, EgressService) it is not set, but for a Node
that is new; where it is a field as others are (EgressIP) it is written. With --status it is set everywhere, and
controllers look at all of it only then: so what egret export --full has printed keeps its assignments.`,
    flags: [
      text(
        "filename",
        "PATH",
        "a file of objects, or a folder of such files (.yaml, .yml, .json); `-` is the standard input",
        { short: "f", multiple: true, offers: "file" },
      ),
      namespace("for objects that name none", { default: "default" }),
      onOff("status", "set the status of objects that bring one, also where it is a subresource"),
    ],
  },
  ...STATE_COMMANDS,
  {
    word: "reset",
    usage: ["[--to empty|start|SNAPSHOT] [--expire-watches]"],
    summary: "brings an earlier state back in one change",
    flags: [
      text(
        "to",
        "STATE",
        "what every server has (`empty`), what this one had when it was ready (`start`), or a snapshot",
        { default: "start" },
      ),
      EXPIRE_WATCHES,
    ],
  },
  {
    word: "snapshot",
    usage: ["[list]", "save [--replace] NAME", "restore [--expire-watches] NAME", "delete NAME"],
    summary: "states with names, as long as the server runs",
    text: "Snapshots are kept in memory; egret backup writes files.",
    words: [
      word("list", "all snapshots"),
      word("save NAME", "gives the present state a name"),
      word("restore NAME", "brings that state back"),
      word("delete NAME", "forgets it"),
    ],
    flags: [onOff("replace", "save over a snapshot of that name"), EXPIRE_WATCHES],
  },
  {
    word: "backup",
    usage: ["FILE", "--from PLACE [flags] FILE"],
    summary: "copies the store of a running server, or another one, into a file",
    text: `The file holds one revision and what is known of the past, is checked once it is written, and is for its owner alone.
A place is \`level:DIR\`, which no server may use meanwhile, or \`etcd://HOST:PORT,…\`, which may be in use.`,
    flags: [text("from", "PLACE", "the store to copy, in the place of that of a server"), ...ETCD_FLAGS],
    offers: "file",
  },
  {
    word: "restore",
    usage: ["[--data-dir DIR] FILE", "--to PLACE [--replace] [flags] FILE", "[--expire-watches] SNAPSHOT"],
    summary: "makes a store of such a file; or brings a snapshot back",
    text: `The folder, or the place (\`level:DIR\` or \`etcd://HOST:PORT,…\`), must not hold anything, and no server may use it. A
folder gets the past, too. In an etcd resource versions are new, and Events live as long as new ones. A name that is no
file is that of a snapshot of a running server.`,
    flags: [
      { ...serverFlag("data-dir"), text: "folder of the store to make" },
      text("to", "PLACE", "where else the store is to be"),
      onOff("replace", "whatever the place of `--to` holds becomes what the file holds"),
      EXPIRE_WATCHES,
      ...ETCD_FLAGS,
    ],
    offers: "file",
  },
  {
    word: "faults",
    usage: ["[list]", "add FILE-OR-TEXT…", "remove ID…", "clear"],
    summary: "what goes wrong for clients to meet it, and how often it did",
    text: `An example in words:
  egret faults add '{match: {resource: pods, verb: create}, count: 2, error: {code: 429}}'`,
    words: [
      word("list", "all faults"),
      word("add FILE-OR-TEXT…", "faults as YAML or JSON, in files (- is the input) or in words"),
      word("remove ID…", "takes these away"),
      word("clear", "takes all away"),
    ],
    flags: [OUTPUT],
    offers: "file",
  },
  {
    word: "requests",
    usage: ["[flags]", "--webhooks [flags]"],
    summary: "the last requests with their answers, and the last calls of admission webhooks",
    text: `Prints the last requests, oldest first. Texts of filters may hold * for any letters.

With --webhooks it prints the last calls of admission webhooks: duration, verdict, and what a patch changed in the
object. -o yaml prints the AdmissionReviews that were sent, -o review the newest one as JSON for curl:
  egret requests --webhooks --webhook 'pods.example.com' -o review |
    curl -k -H 'Content-Type: application/json' --data-binary @- https://127.0.0.1:9443/mutate
Values of Secrets and tokens are replaced by the word "hidden" before a call is logged.`,
    flags: [
      ...FILTERS,
      ...WEBHOOK_FLAGS,
      onOff("clear", "forget all requests instead, or all calls of webhooks"),
      output("text", "json", "yaml", "review"),
    ],
  },
  {
    word: "clock",
    usage: ["", "real|settle", "freeze [TIME]", "advance DURATION", "to TIME"],
    summary: "stops time, sets it, and lets it pass",
    text: "Alone it says what time it is for the server.",
    words: [
      word("freeze [TIME]", "the clock stands, at a time (2030-01-02T15:04:05Z) or where it is"),
      word(
        "advance DURATION",
        "lets time pass (90s, 1h30m) by a clock that stands; ends when all that fell due is done",
      ),
      word("to TIME", "the same, up to a time"),
      word("settle", "ends when all that was asked of the server so far has had its effect; no time passes"),
      word("real", "the clock is the machine's again"),
    ],
    flags: [],
  },
  {
    word: "history",
    usage: ["KIND NAME [flags]"],
    summary: "which manager changed which field of an object when",
    text: "A server keeps the past of five minutes unless it was started with --retain.",
    flags: [
      namespace("of the object", { default: "default" }),
      text("at", "REVISION", "print the object as it was then, as JSON"),
      OUTPUT,
    ],
  },
  {
    word: "explain",
    usage: ["KIND NAME [--namespace NAME] [flags]", "KIND/NAMESPACE/NAME [flags]"],
    summary: "why an object is as it is, and what can be done",
    text: `Of an EgressIP: each address with each node. Of a Node, a Namespace and a Pod: all that has to do with egress.
Also: egressservice, egressfirewall, egressqos, cloudprivateipconfig, egressrouter, apbexternalroute, udn, cudn.`,
    flags: [
      namespace("of the object", { default: "default" }),
      ...FACTS,
      ...ELSEWHERE,
      PLATFORM,
      text("since", "DURATION", "of an EgressIP: tell what became of its addresses since then, and why"),
      VERDICT_OUTPUT,
    ],
  },
  {
    word: "trace",
    usage: [
      "pod/NAMESPACE/NAME --to DESTINATION [flags]",
      "--from ns/NAME [--from …] [--to DESTINATION]… [flags]",
      "--matrix [--from ns/NAME]… [--to DESTINATION]… [--by pod|namespace] [-o csv|json]",
    ],
    summary: "what happens with a packet that leaves a pod, or with those of many pods",
    text: `DESTINATION is an address, a name, a network, svc/NAMESPACE/NAME, pod/NAMESPACE/NAME or node/NAME, with :PORT behind it:
  egret trace pod/shop/web --to 8.8.8.8:443
  egret trace pod/shop/web --to www.example.com:443 --resolve www.example.com=192.0.2.7
  egret trace --from ns/shop --to 0.0.0.0/0
  egret trace --matrix --to 0.0.0.0/0 --to svc/default/kubernetes
Where ovn-kubernetes promises nothing all outcomes are told; what neither its tests nor its documents say is likely.

Of a network each part is told that fares in its own way; of several that hold an address the longest tells. What is
the cluster's own in it is left out: pods, Services, nodes. A name of which nobody says the addresses may have any.

Pods that leave in the same way are told together; those that have finished are left out. Without --from it is all
pods, and without --to the world outside. A value of --from is a sender if it is ns/NAME or pod/NAMESPACE/NAME and no
such file is there; ./ns/NAME is always a file.`,
    flags: [
      text("to", "DESTINATION", "where the packet goes", { multiple: true }),
      { ...text("protocol", "NAME", "of the packet", { default: "tcp" }), choices: PROTOCOLS },
      onOff("reply", "the packet answers one that came in from outside"),
      onOff(
        "matrix",
        "a row for each pod, a column for each destination, as CSV unless -o says something else",
      ),
      text("by", "WHAT", "what the rows of a matrix are", { default: "pod", choices: ROWS_BY }),
      ...FACTS,
      ...ELSEWHERE.map((flag) => (flag.name === "from" ? SENDERS_OR_FILES : flag)),
      PLATFORM,
      output("text", "json", "yaml", "markdown", "csv"),
    ],
  },
  {
    word: "plan",
    usage: [
      "[--delete OBJECT] [--label OBJECT LABEL[=VALUE|-]] [--not-ready NODE] [-f FILE] [flags]",
      "--every node",
    ],
    summary: "what would be different after some changes; nothing is touched",
    text: `The changes are made, in their order, in a copy of the present state with controllers on it:
  egret plan --delete node/n1
  egret plan --label node/n1 k8s.ovn.org/egress-assignable- --not-ready node/n2 -f change.yaml
--every node takes each node away in turn and tells what would break, the worst first.`,
    flags: [
      text("delete", "OBJECT", "an object that goes: node/n1, pod/NAMESPACE/NAME", { multiple: true }),
      text(
        "label",
        "OBJECT",
        "an object whose label changes, as the word behind it says: KEY=VALUE, or KEY- to take it away",
        {
          multiple: true,
        },
      ),
      text("not-ready", "NODE", "a node that is Ready no longer: node/n1", { multiple: true }),
      text("filename", "PATH", "objects to apply; `-` is the standard input", {
        short: "f",
        multiple: true,
        offers: "file",
      }),
      text("platform", "NAME", "where the cluster would stand", { choices: PLATFORMS }),
      ...ELSEWHERE,
      text("every", "WHAT", "each of them in turn", { choices: ["node"] }),
      text(
        "fail-on",
        "WHAT",
        "exit with 1 if an address would be left without a node, would move, or something would be denied",
        {
          multiple: true,
          choices: ["unassigned", "move", "denied"],
        },
      ),
      VERDICT_OUTPUT,
    ],
  },
  CASE_COMMAND,
  {
    word: "nodes",
    usage: [
      "add COUNT [flags]",
      "fail NAME…",
      "recover NAME…",
      "drain NAME… [--timeout DURATION]",
      "churn [--rate 1/min] [--seed TEXT] [--for DURATION]",
    ],
    summary: "adds nodes as ovn-kubernetes has them, has them fail and come back, empties them",
    text: `What is written is plain Nodes: any server will do, and kubectl shows and does the same. With \`egret --cluster\` the
nodes live: they report, fall silent when they fail, and run pods.
  egret nodes add 50 --zone a,b --network 192.168.126.0/24,fd00:126::/64 --assignable 10
  egret nodes add 3 --platform aws --instance-type m5.large`,
    words: [
      word("add COUNT", "new nodes with names and addresses that nobody has"),
      word("fail NAME…", "their machines are down: annotation egret.dev/failed"),
      word("recover NAME…", "they are up again"),
      word("drain NAME…", "no new pods, and those that are there are evicted"),
      word("churn", "nodes fail and come back by chance, by the server's clock, until it is stopped"),
    ],
    flags: [
      text("name", "TEXT", "what the names begin with: worker-1, worker-2 …", { default: "worker" }),
      text("network", "LIST", "networks of their addresses, one of each family", {
        default: "192.168.126.0/24",
      }),
      text("zone", "LIST", "zones, in turn"),
      text("region", "NAME", "of all zones"),
      text("assignable", "N", "so many of them may have egress IPs; `all`", { default: "0" }),
      text("platform", "NAME", "the cloud that says how many egress IPs they take", { choices: PLATFORMS }),
      text("instance-type", "NAME", "of the machines; those of AWS have their processors and memory"),
      text("cpu", "N", "processors of each", { defaultText: "8, or by the instance type" }),
      text("memory", "QUANTITY", "memory of each", { defaultText: "32Gi, or by the instance type" }),
      text("pods", "N", "pods that each takes", { defaultText: "110" }),
      text("label", "KEY=VALUE", "a further label", { multiple: true }),
      text("timeout", "DURATION", "give up draining after so long"),
      text("rate", "COUNT/UNIT", "how often a node fails or comes back: 1/min, 2/s, 6/h", {
        default: "1/min",
      }),
      text("seed", "TEXT", "the same nodes are drawn each time"),
      text("for", "DURATION", "stop after so long by the server's clock"),
    ],
  },
  {
    word: "compact",
    usage: ["REVISION"],
    summary: "forgets all states before a revision",
    text: "Lists and watches that begin at one of them are answered with 410 Expired.",
    flags: [],
  },
];

export const CLIENT_COMMANDS: readonly Command[] = COMMANDS.map((command) => ({
  ...command,
  flags: [...command.flags, ...SERVER_FLAGS],
}));
