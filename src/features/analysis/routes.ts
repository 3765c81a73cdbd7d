// HTTP routes for verdicts: explanations of objects, packet traces and plans.

import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import { PLATFORMS } from "../../controller/emulated-release.ts";
import { NEEDED_KINDS } from "../../ovn/needed-kinds.ts";
import { GATEWAY_MODES, ISOLATIONS, TRANSPORTS } from "../../ovn/snapshot.ts";
import { PROTOCOLS, ROWS_BY, VERDICTS } from "../../ovn/trace/packet-path.ts";
import { type Caller, questionOf } from "../control-surface/caller.ts";
import { readDuration } from "../control-surface/clock.ts";
import {
  type ControlRoute,
  closedObject,
  flag,
  integer,
  list,
  maybe,
  object,
  oneOf,
  route,
  text,
} from "../control-surface/control-route.ts";
import { readRevision } from "../control-surface/revisions.ts";
import { CHANGE } from "./planned-change.ts";
import type { Verdicts } from "./verdicts.ts";

const DESTINATIONS_MAX = 100;

const texts = { type: "object", additionalProperties: { type: "array", items: { type: "string" } } };
export const FACTS = closedObject({
  gatewayMode: oneOf(GATEWAY_MODES, "Left out: as the nodes say."),
  disableSnatMultipleGateways: flag("Pods with external gateways keep their own address."),
  transport: oneOf(TRANSPORTS, "Of the default network."),
  outboundSnat: flag("What leaves a default network without an overlay gets the node's address."),
  advertisedIsolation: oneOf(ISOLATIONS, "Whether advertised networks reach each other."),
  dnsNameResolver: flag("Wildcards of names are resolved by DNSNameResolver objects."),
  names: { ...texts, description: "Addresses of names." },
  tables: {
    type: "object",
    additionalProperties: { type: "string" },
    description:
      "Routing tables that EgressServices name: `blackhole`, or the address that traffic gets there.",
  },
});

const AT = {
  resourceVersion: text(
    "The revision at which it was so; left out: now. One that is forgotten is answered with 410.",
  ),
};
type At = { readonly resourceVersion?: string | undefined };

/** Throws a 400. */
const atOf = ({ resourceVersion }: At): { readonly at?: number } =>
  resourceVersion === undefined ? {} : { at: readRevision(resourceVersion, "resourceVersion") };

const REASON = object({
  row: integer("The row of the table of reasons."),
  text: text(),
  remedy: maybe(text("What a person can do.")),
  likely: flag("Neither a test nor a document of ovn-kubernetes promises it."),
});
const DECIDER = object({
  kind: text(),
  namespace: maybe(text()),
  name: text(),
  rule: maybe(integer("From 0.")),
});
const MOVE = object({
  time: text(),
  address: text(),
  from: maybe(text("Left out: it had no node.")),
  to: maybe(text("Left out: it has none any more.")),
  why: text(),
});
const ADDRESS = object({
  address: text("As in the spec."),
  node: maybe(text("Left out: it has none.")),
  summary: text(),
  reasons: list(REASON, "What keeps the address from any node."),
  nodes: list(
    object({
      node: text(),
      assigned: flag(),
      addresses: integer("How many addresses of all EgressIPs it holds."),
      reasons: list(REASON, "Why not, what decides first; none where it has the address, or could have it."),
    }),
  ),
});
const EXPLANATION = object({
  moves: maybe(list(MOVE, "Oldest first; with `since` alone.")),
  kind: text(),
  namespace: maybe(text()),
  name: text(),
  summary: text("One sentence."),
  reasons: list(REASON, "What keeps it from its effect, the decisive one first."),
  sections: list(object({ title: text(), columns: list(text()), rows: list(list(text())) })),
  advice: list(text()),
  addresses: maybe(list(ADDRESS, "Of an EgressIP: each of its addresses.")),
  usedBy: maybe(
    list(object({ namespace: text(), pods: list(text()) }), "Of an EgressIP: the pods that it is for."),
  ),
  contested: maybe(
    list(
      object({ pod: text(), egressIps: list(text()) }),
      "Of an EgressIP: its pods that other EgressIPs match as well.",
    ),
  ),
});
const STEP = object({
  stage: text(),
  result: text(),
  by: list(DECIDER, "Who decided."),
  text: text(),
  likely: flag(),
});
const VERDICT = oneOf(VERDICTS);
const OUTCOME = object({
  verdict: VERDICT,
  text: text("Why."),
  likely: flag("Neither a test nor a document of ovn-kubernetes promises it."),
  source: maybe(text("The address with which the packet leaves.")),
  node: maybe(text("Where it leaves, or ends.")),
  interface: maybe(text()),
  nextHop: maybe(text()),
  via: maybe(text("The next hop on the cluster's own router.")),
  destination: object({
    address: text("Of a range, one that stands for it."),
    range: maybe(text("Of several that hold an address the longest tells.")),
    port: maybe(integer()),
    protocol: text(),
  }),
  dscp: maybe(object({ value: integer(), by: DECIDER })),
  steps: list(STEP, "Each stage that had something to say."),
});
const TRACE = object({
  from: object({ namespace: text(), pod: text(), node: text(), network: text(), addresses: list(text()) }),
  to: text(),
  verdict: text("That of all outcomes, or several."),
  summary: text("One sentence."),
  outcomes: list(OUTCOME, "All that can happen."),
  ambiguities: list(text(), "Why there are several."),
  unusedEgressIps: list(
    object({ name: text(), reasons: list(REASON) }),
    "EgressIPs of the namespace that the packet does not leave by.",
  ),
  warnings: list(text()),
});

const PART = object({
  ranges: maybe(
    list(text(), "Of several ranges that hold an address the longest tells. Left out: all of it."),
  ),
  outcomes: list(
    object({
      verdict: VERDICT,
      source: maybe(text("Left out where there is none, and where it is the pod's own.")),
      keepsAddress: maybe(flag("The source is the pod's own address.")),
      node: maybe(text()),
      interface: maybe(text()),
      nextHop: maybe(text()),
      dscp: maybe(integer()),
      by: list(DECIDER, "Who decided."),
      text: maybe(text("Why, where nobody decided.")),
      likely: flag("Neither a test nor a document of ovn-kubernetes promises it."),
    }),
    "All that can happen.",
  ),
});
const MANY = object({
  to: list(text(), "The destinations."),
  ways: list(
    object({
      to: text(),
      verdict: text("That of all outcomes, or several."),
      parts: list(PART),
      ambiguities: list(text(), "Why several outcomes are possible."),
      warnings: list(text()),
    }),
    "Each way that somebody takes to a destination, once.",
  ),
  rows: list(
    object({
      namespace: text(),
      pod: maybe(text("Left out where rows are namespaces.")),
      node: maybe(text()),
      pods: integer("How many there are."),
      ways: list(list(integer()), "For each destination the ways that are taken, by their position in ways."),
    }),
  ),
});

const ROOM = object({
  ipv4: maybe(integer("Left out: as many as anybody asks for.")),
  ipv6: maybe(integer("Left out: as many as anybody asks for.")),
});
const MOVED = object({
  egressIp: text(),
  address: text(),
  from: maybe(text("Left out: it had no node.")),
  to: maybe(text("Left out: it has none any more.")),
});
const DIFFERENCE = {
  moved: list(MOVED, "Egress addresses that are elsewhere."),
  services: list(object({ egressService: text(), from: text(), to: text() })),
  pods: list(object({ pod: text(), from: text(), to: text() }), "Pods that leave by other addresses."),
  decided: list(
    object({ pod: text(), range: text(), from: text(), to: text(), by: text("Who decides now.") }),
    "What is allowed or denied that was not. Of several ranges that hold an address the longest tells.",
  ),
  nodes: list(
    object({
      node: text(),
      before: integer(),
      after: integer(),
      left: object({ before: ROOM, after: ROOM }),
    }),
    "Egress addresses on nodes, and how many more they take.",
  ),
  events: list(object({ object: text(), reason: text(), message: text() }), "New warnings."),
  refused: list(object({ change: text(), reason: text(), message: text() }), "Changes that were refused."),
};

interface VerdictRoutesDeps {
  readonly verdicts: Verdicts;
  readonly registry: ResourceRegistry;
}

export const verdictRoutes = (deps: VerdictRoutesDeps): ControlRoute[] => [
  explainRoute(deps),
  traceRoute(deps),
  traceManyRoute(deps),
  ...planRoutes(deps.verdicts),
];

const explainRoute = ({ verdicts, registry }: VerdictRoutesDeps): ControlRoute =>
  route("POST /explain", "explain", {
    summary: "Why an object is as it is, and what can be done.",
    access: "own rights",
    body: closedObject(
      {
        kind: text("As kubectl names it: egressip, node."),
        namespace: text(),
        name: text(),
        facts: FACTS,
        ...AT,
        since: text("Of an EgressIP: a duration (10m), since when to tell what became of its addresses."),
      },
      ["kind", "name"],
    ),
    answer: ["The explanation; that of an EgressIP has more members.", EXPLANATION],
    handle: async ({ caller, body }) => {
      const { kind, namespace = "", name, since } = body;
      demandLists(caller, registry);
      const asked = { ...body.facts, ...atOf(body) };
      await verdicts.readAhead(asked);
      if (since === undefined) return verdicts.explain(kind, namespace, name, asked);
      return verdicts.explainSince(kind, name, readDuration(since), asked);
    },
  });

const traceRoute = ({ verdicts, registry }: VerdictRoutesDeps): ControlRoute =>
  route("POST /trace", "trace", {
    summary: "What happens with a packet that leaves a pod.",
    access: "own rights",
    body: closedObject(
      {
        namespace: text(),
        pod: text(),
        to: text("An address, a name, svc/NS/NAME, pod/NS/NAME or node/NAME, with :PORT behind it."),
        protocol: { ...oneOf(PROTOCOLS), default: "tcp" },
        reply: flag("It answers a packet that came in from outside."),
        facts: FACTS,
        ...AT,
      },
      ["namespace", "pod", "to"],
    ),
    answer: ["All outcomes.", TRACE],
    handle: async ({ caller, body: { protocol = "tcp", reply, facts, resourceVersion, ...request } }) => {
      demandLists(caller, registry);
      const asked = { ...facts, ...atOf({ resourceVersion }) };
      await verdicts.readAhead(asked);
      return verdicts.trace({ ...request, protocol, packet: reply === true ? "reply" : "new" }, asked);
    },
  });

const traceManyRoute = ({ verdicts, registry }: VerdictRoutesDeps): ControlRoute =>
  route("POST /trace/many", "traceMany", {
    summary: "Outcomes of many pods and many destinations at once.",
    access: "own rights",
    body: closedObject({
      from: list(
        text(),
        "ns/NAME, pod/NAMESPACE/NAME; none: all pods. Those that have finished are left out.",
      ),
      to: {
        ...list(text(), "None: the world outside, in each family that pods have."),
        maxItems: DESTINATIONS_MAX,
      },
      protocol: { ...oneOf(PROTOCOLS), default: "tcp" },
      by: { ...oneOf(ROWS_BY, "What the rows are."), default: "pod" },
      facts: FACTS,
      ...AT,
    }),
    bodyForm: "optional",
    answer: ["What many do in the same way is told once.", MANY],
    handle: ({ raw, caller, body }) => {
      const { from = [], to = [], protocol = "tcp", by = "pod" } = body;
      demandLists(caller, registry);
      const asked = { ...body.facts, ...atOf(body) };
      return verdicts.traceMany({ from, to, protocol, by }, asked, raw.gone?.());
    },
  });

/** A plan reads and writes a copy of the whole state. */
const planRoutes = (verdicts: Verdicts): ControlRoute[] => [
  route("POST /plan", "plan", {
    summary: "What would be different after some changes. Nothing is touched.",
    body: closedObject({ changes: list(CHANGE), platform: oneOf(PLATFORMS), ...AT }, ["changes"]),
    answer: ["What differs once all is at rest.", object(DIFFERENCE)],
    handle: ({ body: { changes, resourceVersion, ...options } }) =>
      verdicts.plan(changes, { ...options, ...atOf({ resourceVersion }) }),
  }),
  route("POST /plan/nodes", "planNodes", {
    summary: "What would break if a node went, for each node, the worst first. Nothing is touched.",
    body: closedObject({ platform: oneOf(PLATFORMS), ...AT }),
    bodyForm: "optional",
    answer: ["The nodes.", object({ items: list(object({ node: text(), ...DIFFERENCE })) })],
    handle: async ({ raw, body: { resourceVersion, ...options } }) => {
      const asked = { ...options, ...atOf({ resourceVersion }) };
      return { items: await verdicts.planEveryNode(asked, raw.gone?.()) };
    },
  }),
];

/** A verdict reveals the objects that it reads, so the caller must be allowed to list their kinds. Throws 403. */
function demandLists(caller: Caller, registry: ResourceRegistry): void {
  for (const { group, resource } of NEEDED_KINDS) {
    const view = registry.findStorage(group, resource);
    if (view) caller.demand(questionOf(caller, { verb: "list", view, namespace: "" }));
  }
}
