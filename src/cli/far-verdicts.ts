// Verdicts about clusters that are not Egret servers: which objects are read, which facts are assumed, and the notes on
// both.

import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { describeResource, StatusError } from "../apimachinery/meta/status.ts";
import { PLATFORMS, type Platform } from "../controller/emulated-release.ts";
import type { PlannedChange } from "../features/analysis/planned-change.ts";
import type { GivenFacts } from "../features/analysis/store-snapshot.ts";
import { Verdicts } from "../features/analysis/verdicts.ts";
import { Cluster } from "../ovn/cluster/cluster.ts";
import { compareAddresses } from "../ovn/compare.ts";
import { detectFacts } from "../ovn/detect/facts.ts";
import { explainableBy } from "../ovn/explain/explain.ts";
import { leanForPlan, leanObject } from "../ovn/lean.ts";
import { FACT_KINDS, isIndispensable, type NeededKind } from "../ovn/needed-kinds.ts";
import { type ClusterFacts, DEFAULT_FACTS } from "../ovn/snapshot.ts";
import { StartError } from "../server/errors.ts";
import type { Asked } from "./ask-server.ts";
import { printError } from "./output.ts";
import { filedCluster, listedCluster, type ReadCluster } from "./read-cluster.ts";

export interface Purpose {
  /** Reduces an object to the retained parts. */
  readonly keep: (object: KubeObject) => KubeObject;
  readonly mustHave: (kind: NeededKind) => boolean;
  /** The facts that the result depends on. */
  readonly facts: readonly (keyof typeof FLAGS)[];
}

/** Facts that flags may override. */
const FLAGS = { clusterSubnets: "cluster-subnets", serviceSubnets: "service-subnets" } as const;
const MEANINGS = { clusterSubnets: "its pods have", serviceSubnets: "its Services have" } as const;

/** Explaining these kinds reads all kinds. */
const WHOLE = new Set(["pods", "namespaces"]);
/** Kinds without influence on a packet path. */
const NOT_ON_THE_WAY = new Set([
  "cloudprivateipconfigs.cloud.network.openshift.io",
  "egressrouters.network.operator.openshift.io",
]);

const isOfObjects = (kind: NeededKind): boolean => !FACT_KINDS.includes(kind);

export function toExplain(word: string): Purpose {
  const resource = explainableBy(word)?.resource ?? "";
  const mustHave = (kind: NeededKind) =>
    isOfObjects(kind) &&
    (isIndispensable(kind) || WHOLE.has(resource) || describeResource(kind) === resource);
  return { keep: leanObject, mustHave, facts: [] };
}

export const TO_TRACE: Purpose = {
  keep: leanObject,
  mustHave: (kind) => isOfObjects(kind) && !NOT_ON_THE_WAY.has(describeResource(kind)),
  facts: ["clusterSubnets", "serviceSubnets"],
};

export function toPlan(changes: readonly PlannedChange[]): Purpose {
  const applied = new Set(changes.flatMap((change) => ("apply" in change ? [placeOf(change.apply)] : [])));
  const keep = leanForPlan((object) => applied.has(placeOf(object)));
  return { ...TO_TRACE, keep, mustHave: isOfObjects };
}

const placeOf = ({ kind, metadata: { namespace = "default", name } }: KubeObject): string =>
  `${kind} ${namespace}/${name}`;

/** Reads a cluster through lists of its API, or from the named files. Throws StartError. */
export async function farVerdicts(asked: Asked, purpose: Purpose, given: GivenFacts): Promise<Verdicts> {
  const files = asked.texts("from");
  const read =
    files.length > 0
      ? await filedCluster(files, purpose, asked.limits())
      : await listedCluster(asked, purpose);
  for (const note of read.notes) tellPerson(note);
  const { platform, ...facts } = factsOf(asked, read, purpose);
  const cluster = (asking: GivenFacts) => new Cluster(read.snapshot, { ...facts, ...given, ...asking });
  let planning: ReturnType<typeof planner> | undefined;
  return new Verdicts({
    cluster,
    moves: () => Promise.reject(new StartError("only a server that is Egret keeps the past")),
    whatIf: async (tries, plan) => {
      planning ??= planner(read, cluster({}), platform);
      return (await planning)(tries, plan);
    },
  });
}

/** Detected facts, defaults for unknown ones, and overrides by flags. */
function factsOf(
  asked: Asked,
  { snapshot, said }: ReadCluster,
  purpose: Purpose,
): ClusterFacts & { readonly platform: Platform } {
  const { doubtful, ...detected } = detectFacts(snapshot, said);
  const asking = asked.text("platform");
  const platform = PLATFORMS.find((one) => one === asking) ?? detected.platform;
  if (doubtful !== undefined && asking === undefined)
    tellPerson(
      `the nodes stand on ${doubtful}: if egress addresses are asked of it, say --platform ${doubtful}`,
    );
  const facts = { ...DEFAULT_FACTS, ...detected, platform, onCloud: platform !== "none" };
  for (const fact of ["clusterSubnets", "serviceSubnets"] as const) {
    const text = asked.text(FLAGS[fact]);
    if (text !== undefined) facts[fact] = text;
    else if (detected[fact] === undefined && purpose.facts.includes(fact))
      tellPerson(
        `nothing says which networks ${MEANINGS[fact]}: taken is ${facts[fact]}, or what --${FLAGS[fact]} says`,
      );
  }
  return facts;
}

/** Reports first what the controllers would change in the unmodified cluster, then the effect of the planned changes. */
async function planner(read: ReadCluster, standing: Cluster, platform: Platform) {
  const { planOnCopy } = await import("../server/copy-of-cluster.ts");
  let isTold = false;
  const onRest = (copy: Cluster) => {
    if (isTold) return;
    isTold = true;
    for (const { egressIp, address, from = "no node", to = "no node" } of compareAddresses(standing, copy))
      tellPerson(
        `before any change: EgressIP ${egressIp} has ${address} on ${from}, and on ${to} in the copy`,
      );
  };
  return planOnCopy(read.objects, { facts: standing.facts, platform, onRest });
}

export const tellPerson = (note: string): void => void printError(`egret: ${note}\n`);

/** Maps an invalid request to a one-line StartError. */
export async function orStartError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StatusError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}
