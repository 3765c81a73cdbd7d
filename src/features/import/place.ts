// Assigns each received object its kind and its storage key. Objects that this server cannot or should not hold are
// skipped with a reason. Of several states of one object the newest is used.

import { cloneJson, objectAt, textAt, textsOf } from "../../apimachinery/json/json.ts";
import { inSlices } from "../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { partsOfApiVersion } from "../../apimachinery/meta/object-meta.ts";
import type { RequestContext } from "../../apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../apiserver/registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../../apiserver/registry/resource-registry.ts";
import { type Arrivals, type Arrived, arrivedAs, isDefinition } from "./arrivals.ts";
import { definitionComplaint } from "./definitions.ts";
import { standingKey, standingView, Undecodable } from "./stored-form.ts";

export interface PlaceOptions {
  readonly registry: ResourceRegistry;
  /** The context of a write, for the validation of CRDs. */
  readonly context: RequestContext;
  /** Imports Secrets, too. */
  readonly secrets?: boolean | undefined;
  /** Imports webhook configurations, too, although their webhooks are usually not reachable from here. */
  readonly webhooks?: boolean | undefined;
  /** Reports whether the bootstrap state of every server has the key. */
  readonly isOwn: (key: string) => boolean;
  /** Writes CRDs; resolves once their kinds are served. */
  readonly define: (definitions: readonly Placed[]) => Promise<void>;
}

export interface Placed {
  readonly arrived: Arrived;
  readonly view: ResourceView;
  readonly key: string;
}

export interface AllPlaced {
  /** In the order of their resourceVersions, without CRDs. */
  readonly objects: readonly Placed[];
  readonly kept: readonly { readonly object: string; readonly why: string }[];
  readonly derived: readonly string[];
  readonly namespaces: { readonly needed: readonly string[]; readonly missing: readonly string[] };
  readonly redacted: number;
}

export async function placeAll(arrivals: Arrivals, options: PlaceOptions): Promise<AllPlaced> {
  const { registry, define } = options;
  const [definitions, others] = [
    arrivals.all.filter(isDefinition),
    arrivals.all.filter((one) => !isDefinition(one)),
  ];
  const kept: { object: string; why: string }[] = [];
  const given = await placedOf(
    definitions.filter(({ isDerived }) => !isDerived),
    arrivals,
    options,
  );
  await define(given.filter((one) => !isOfServer(one, options, kept)));
  const derived = await derivedFor(
    others.filter((one) => standingView(registry, one) === undefined),
    {
      ...{ arrivals, options },
      made: definitions.filter(({ isDerived }) => isDerived),
    },
  );
  if (derived.length > 0) await define(derived);
  const placed = await placedOf(others, arrivals, options);
  const objects = placed.filter((one) => !isOfServer(one, options, kept));
  return {
    objects,
    kept,
    derived: derived.map(({ arrived }) => arrived.name).sort(),
    namespaces: missingNamespaces(objects),
    redacted: objects.filter(isRedacted).length,
  };
}

interface Deriving {
  /** CRDs that the sender derived for kinds without a definition. */
  readonly made: readonly Arrived[];
  readonly arrivals: Arrivals;
  readonly options: PlaceOptions;
}

/** CRDs for objects whose kind is not served: from the sender, or derived from the objects. */
function derivedFor(unknown: readonly Arrived[], { made, arrivals, options }: Deriving): Promise<Placed[]> {
  const byKind = new Map<string, Arrived>();
  for (const { apiVersion, kind } of unknown) {
    const own = `${partsOfApiVersion(apiVersion)[0]}/${kind}`;
    if (byKind.has(own)) continue;
    const told = arrivals.kinds.definitionFor(apiVersion, kind);
    const known = made.find((one) => kindDefined(one.read()) === own);
    const definition = known ?? (told && arrivedAs(told, () => cloneJson(told)));
    if (definition !== undefined) byKind.set(own, definition);
  }
  return placedOf([...byKind.values()], arrivals, options);
}

function kindDefined(definition: KubeObject): string {
  const spec = objectAt(definition, "spec");
  return `${textAt(spec, "group")}/${textAt(objectAt(spec, "names"), "kind")}`;
}

/** The newest state under each key, oldest first; without resourceVersions, in order of arrival. */
async function placedOf(
  all: readonly Arrived[],
  arrivals: Arrivals,
  options: PlaceOptions,
): Promise<Placed[]> {
  const byKey = new Map<string, Placed>();
  await inSlices(all, (arrived) => {
    const placed = placedOrSkipped(arrived, arrivals, options);
    if (placed === undefined) return;
    const known = byKey.get(placed.key);
    if (known === undefined || known.arrived.version <= arrived.version) byKey.set(placed.key, placed);
  });
  return oldestFirst([...byKey.values()]);
}

/** One time slice for any count: comparing numbers is five times as fast as comparing bigints. */
function oldestFirst(all: readonly Placed[]): Placed[] {
  const rounded = all.map((placed) => ({ placed, near: Number(placed.arrived.version) }));
  rounded.sort((a, b) => a.near - b.near || compared(a.placed.arrived.version, b.placed.arrived.version));
  return rounded.map(({ placed }) => placed);
}

const compared = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

const WEBHOOKS = new Set(["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]);

function placedOrSkipped(
  arrived: Arrived,
  { skips }: Arrivals,
  { registry, context, secrets = false, webhooks = false }: PlaceOptions,
): Placed | undefined {
  const { apiVersion, kind, namespace, name } = arrived;
  const named = `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
  const skip = (reason: string) => void skips.add({ reason, origin: named });
  if (kind === "Secret" && apiVersion === "v1" && !secrets)
    return skip("Secrets are taken with --secrets alone");
  if (WEBHOOKS.has(kind) && !webhooks)
    return skip(
      "webhooks would be asked about every write, and nobody answers them here; --webhooks takes them",
    );
  const view = standingView(registry, arrived);
  if (view === undefined) return skip(`no kind ${kind} of ${apiVersion} is known`);
  const complaint = definitionComplaint(view, arrived, context);
  if (complaint !== undefined) return skip(complaint);
  try {
    return { arrived, view, key: standingKey(view, arrived) };
  } catch (error) {
    if (error instanceof Undecodable) return skip(error.message);
    throw error;
  }
}

/** Reports whether the server keeps its own CRD or APIService, which belongs to its profile. */
function isOfServer(
  { arrived, key }: Placed,
  { isOwn }: PlaceOptions,
  kept: { object: string; why: string }[],
): boolean {
  if (arrived.kind === "APIService" && isOwn(key)) return true;
  if (!isDefinition(arrived) || !isOwn(key)) return false;
  kept.push({ object: `CustomResourceDefinition ${arrived.name}`, why: "the server's profile has its own" });
  return true;
}

/** Kinds that depend on the labels of their namespace, or are workloads. */
const NEEDS_NAMESPACE = new Set([
  ...["Pod", "Service", "EgressFirewall", "EgressQoS", "EgressService", "NetworkPolicy"],
  ...[
    "UserDefinedNetwork",
    "NetworkQoS",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
  ],
]);

function missingNamespaces(objects: readonly Placed[]): AllPlaced["namespaces"] {
  const known = new Set(
    objects
      .filter(({ arrived: { kind, apiVersion } }) => kind === "Namespace" && apiVersion === "v1")
      .map(({ arrived }) => arrived.name),
  );
  const [needed, missing] = [new Set<string>(), new Set<string>()];
  for (const { arrived, view } of objects) {
    const name = arrived.namespace || "default";
    if (!view.definition.namespaceScoped || known.has(name)) continue;
    (NEEDS_NAMESPACE.has(arrived.kind) ? needed : missing).add(name);
  }
  return { needed: [...needed].sort(), missing: [...missing].filter((name) => !needed.has(name)).sort() };
}

/** What must-gather and other tools write instead of a redacted value. */
const REDACTED = /^(\d+ bytes long|\*\*\*HIDDEN\*\*\*)$/;

function isRedacted({ arrived }: Placed): boolean {
  if (arrived.kind !== "Secret") return false;
  const values = textsOf(Object.values(objectAt(arrived.read(), "data") ?? {}));
  return values.some(
    (text) => REDACTED.test(text) || REDACTED.test(Buffer.from(text, "base64").toString("utf8")),
  );
}
