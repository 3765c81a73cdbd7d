// The format of case files as data: a state, steps and expectations. The published JSON Schema, the reader and the
// TypeScript types are derived from this definition.

import { PLATFORMS, PROFILES } from "../../controller/emulated-release.ts";
import { CLOUDS, NETWORK_FEATURES, ZONES } from "../../controller/settings.ts";
import { CHANGE, CHANGES } from "../../features/analysis/planned-change.ts";
import { FACTS } from "../../features/analysis/routes.ts";
import {
  anyOf,
  type ControlSchema,
  closedObject,
  flag,
  formOf,
  integer,
  list,
  object,
  oneOf,
  text,
  type ValueOf,
} from "../../features/control-surface/control-route.ts";
import { QUERY, type WaitQuery } from "../../features/waits/watched-query.ts";
import { PROTOCOLS, VERDICTS } from "../../ovn/trace/packet-path.ts";

/** A Go duration; the error message for an invalid value contains the title. */
const duration = (description: string): ControlSchema<string> =>
  text(description, { title: "duration: 90s, 1h30m", pattern: "^(0|([0-9]+(\\.[0-9]+)?(ms|s|m|h))+)$" });
const time = text("Where the clock stands at first.", {
  title: "time: 2030-01-02T15:04:05Z",
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$",
});
const oneOrMany = (description: string): ControlSchema<string | readonly string[]> =>
  anyOf<readonly ControlSchema<string | readonly string[]>[]>(description, text(), list(text()));
const byName = <T>(
  value: ControlSchema<T>,
  description: string,
): ControlSchema<Readonly<Record<string, T>>> => ({
  ...{ type: "object", description },
  additionalProperties: value,
});
const orNull = <T>(schema: ControlSchema<T>): ControlSchema<T | null> => ({ ...schema, nullable: true });

const OBJECT = object({ apiVersion: text(), kind: text(), metadata: object({ name: text() }, ["name"]) }, [
  "apiVersion",
  "kind",
  "metadata",
]);
const QUERIES = {
  query: QUERY,
  queries: byName<WaitQuery>(QUERY, "Several, by the names that the condition uses."),
};

const SERVER = closedObject({
  profile: oneOf(PROFILES, "The product to play."),
  platform: oneOf(PLATFORMS, "Where the cluster stands: on a cloud, egress addresses are asked of it."),
  cluster: flag("A cluster that lives: nodes report, pods are scheduled and run, workloads make pods."),
  cloud: oneOf(CLOUDS, "Who answers CloudPrivateIPConfigs: Egret, or with `external` nobody."),
  zones: oneOf(ZONES, "Who reports what the nodes make of firewalls, QoS and routes."),
  clusterSubnets: text("Networks of pods, each with the prefix of a node's part."),
  serviceClusterIpRange: text("Networks of Services."),
  networkFeatures: list(oneOf(NETWORK_FEATURES), "What user-defined networks may ask for besides the usual."),
  controllers: text("As --controllers takes them."),
  clock: time,
  seed: text("What uids and names are drawn from. Left out: the name of the case."),
});

const STATE = closedObject({
  sources: list(text(), "Files, folders and archives of objects, beside the case file."),
  objects: list(
    OBJECT,
    "Objects with their status, as for egret apply --status; they come after the sources.",
  ),
});

/** Actions besides changes of objects; the first member identifies each. */
const STEPS = {
  advance: closedObject({ advance: duration("So much time passes.") }, ["advance"]),
  until: closedObject(
    {
      until: text("CEL: time passes until it holds."),
      ...QUERIES,
      within: duration("How much time may pass. Left out: 1m."),
    },
    ["until"],
  ),
  restart: closedObject(
    {
      restart: oneOf(["controllers"], "They end, and others begin with what they then find."),
      meanwhile: list(CHANGE, "What is done while none runs."),
    },
    ["restart"],
  ),
} as const;
const ACTION = formOf("What is done.", { ...CHANGES, ...STEPS });

const CEL = closedObject(
  { cel: text("A condition over `object`, `objects` or the names of the queries."), ...QUERIES },
  ["cel"],
);
const EXPLAIN = closedObject(
  {
    explain: text("An object: egressip/web, pod/NAMESPACE/NAME."),
    says: oneOrMany("Part of the first sentence."),
    addresses: byName(orNull(text()), "Of an EgressIP: the node of each address; null where it has none."),
    reasons: oneOrMany("Parts of the reasons that are given; an empty list: there are none."),
    advice: oneOrMany("Parts of what a person can do."),
    tells: oneOrMany("Parts of rows of its tables, the cells with a blank between them."),
  },
  ["explain"],
);
const TRACE = closedObject(
  {
    trace: text("The pod that sends: pod/NAMESPACE/NAME."),
    to: text(
      "An address, a network, a name, svc/NAMESPACE/NAME, pod/NAMESPACE/NAME or node/NAME, with :PORT.",
    ),
    protocol: oneOf(PROTOCOLS, "Left out: tcp."),
    reply: flag("It answers a packet that came in from outside."),
    verdict: oneOf(VERDICTS, "Of every outcome."),
    leavesBy: oneOrMany("The packet is allowed, and leaves by just these addresses."),
    leavesFrom: oneOrMany("The packet is allowed, and leaves from just these nodes."),
    deniedBy: text("Part of who denies it: EgressFirewall shop/default rule 1."),
    dscp: orNull(integer("The DSCP that it carries; null: none is set.")),
    unused: byName(text(), "EgressIPs that are not used, and part of the reason."),
  },
  ["trace", "to"],
);
const REFUSED = closedObject(
  { refused: text("Part of the message with which a change of the step is refused.") },
  ["refused"],
);
const FACT = anyOf("What is expected.", CEL, EXPLAIN, TRACE, REFUSED);

const STEP = closedObject({
  name: text("What happens, for the report."),
  do: list(ACTION, "One after the other."),
  rest: duration("Time that passes after it, before anything is looked at. Left out: 30s."),
  expect: list(FACT, "What is so then."),
});

export const CASE = closedObject(
  {
    name: text("For the report. Left out: the name of the file."),
    about: text("What it tells, for people."),
    server: { ...SERVER, description: "Of the server that plays it, as the flags of egret serve." },
    facts: { ...FACTS, description: "What no object says of the cluster." },
    state: { ...STATE, description: "What is there at first." },
    steps: list(STEP, "One after the other; one that does nothing looks at the state."),
    expect: list(FACT, "What is so at the end."),
  },
  ["state"],
);

export type Case = ValueOf<typeof CASE>;
export type CaseServer = NonNullable<Case["server"]>;
export type Action = ValueOf<typeof ACTION>;
export type Fact = ValueOf<typeof FACT>;
export type CelFact = ValueOf<typeof CEL>;
export type ExplainFact = ValueOf<typeof EXPLAIN>;
export type TraceFact = ValueOf<typeof TRACE>;
export type Queries = Pick<CelFact, "query" | "queries">;

// The report of a case, as printed by `egret case run -o json`.

const DIFFERENCE = object({ expected: text(), found: text() });
const FACT_RESULT = object(
  {
    at: text("Where it stands in the file: steps[0].expect[1]."),
    step: text("The name of the step, or what it does."),
    fact: text("What it is about."),
    holds: flag(),
    differences: list(DIFFERENCE, "Empty where it holds."),
    because: text("The first sentence of the explanation, where there is one."),
  },
  ["at", "step", "fact", "holds", "differences"],
);
export const REPORT = object(
  {
    name: text(),
    file: text(),
    passed: flag(),
    problem: text("Why it could not be played."),
    facts: list(FACT_RESULT, "In the order in which they were looked at."),
  },
  ["name", "file", "passed", "facts"],
);
export type CaseReport = ValueOf<typeof REPORT>;
export type FactResult = ValueOf<typeof FACT_RESULT>;
export type FactDifference = ValueOf<typeof DIFFERENCE>;
