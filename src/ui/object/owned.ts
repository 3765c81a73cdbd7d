// Related objects without a watch: owned objects, and the EndpointSlices of a Service. The API has no query by owner.
// Candidate kinds are listed as metadata, and objects whose ownerReferences contain the uid are selected. Kinds that
// controllers create for the owner are listed at once, all other kinds on request.
import { lookupTable } from "../../apimachinery/json/json.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import { ask } from "../frame/ask.ts";
import { type KindInfo, type ObjectRef, pathOf } from "../frame/kinds.ts";
import { SERVICE_NAME } from "./related.ts";

const PARTIAL = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const PAGE = "500";

interface Listed {
  readonly metadata?: { readonly continue?: string };
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly ownerReferences?: readonly { readonly uid: string }[];
    };
  }[];
}

/** Kinds that controllers create for an owner. */
const MADE_OF = lookupTable<readonly string[]>({
  Deployment: ["ReplicaSet"],
  ReplicaSet: ["Pod"],
  StatefulSet: ["Pod", "ControllerRevision"],
  DaemonSet: ["Pod", "ControllerRevision"],
  Job: ["Pod"],
  CronJob: ["Job"],
  EgressRouter: ["Pod", "Deployment"],
  Node: ["Lease"],
});

export const madeOf = ({ kind }: KindInfo, kinds: readonly KindInfo[]): KindInfo[] =>
  kinds.filter((one) => MADE_OF[kind]?.includes(one.kind));

/** Events are left out: they have no owners and are numerous. */
export const listable = (kinds: readonly KindInfo[]): KindInfo[] =>
  kinds.filter(({ verbs, resource }) => verbs.includes("list") && resource !== "events");

/** Objects in the order of `kinds`. Kinds that the user may not list are skipped. Rejects when the signal is aborted. */
export async function ownedBy(
  uid: string,
  namespace: string,
  kinds: readonly KindInfo[],
  signal: AbortSignal,
): Promise<ObjectRef[]> {
  const found: ObjectRef[] = [];
  // Owned objects are in the namespace of a namespaced owner.
  for (const kind of kinds.filter(({ isNamespaced }) => isNamespaced || namespace === "")) {
    try {
      append(found, await ownedIn(uid, { ...kind, namespace, name: "" }, signal));
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }
  return found;
}

async function ownedIn(uid: string, of: ObjectRef, signal: AbortSignal): Promise<ObjectRef[]> {
  const found: ObjectRef[] = [];
  let next = "";
  do {
    const query = new URLSearchParams({ limit: PAGE, ...(next === "" ? {} : { continue: next }) });
    const page = await ask<Listed>(`${pathOf(of)}?${query}`, { accept: PARTIAL, signal });
    for (const { metadata } of page.items) {
      const { name, namespace = "", ownerReferences = [] } = metadata;
      if (ownerReferences.some((owner) => owner.uid === uid)) found.push({ ...of, namespace, name });
    }
    next = page.metadata?.continue ?? "";
  } while (next !== "");
  return found;
}

const SLICES = { group: "discovery.k8s.io", version: "v1", resource: "endpointslices" };

/** EndpointSlices of a Service, which are also those of its EgressService. Rejects with Refused. */
export async function slicesOf({ namespace, name }: ObjectRef, signal: AbortSignal): Promise<ObjectRef[]> {
  const of = { ...SLICES, namespace, name: "" };
  const query = new URLSearchParams({ labelSelector: `${SERVICE_NAME}=${name}` });
  const { items } = await ask<Listed>(`${pathOf(of)}?${query}`, { accept: PARTIAL, signal });
  return items.map(({ metadata }) => ({ ...of, name: metadata.name }));
}
