// What is not watched: the objects that one owns, and the EndpointSlices of a Service. For the first no server can be asked: kinds are
// listed, and those of their objects are taken that name it as an owner. What is known to come of a kind is listed at once, every
// kind only when somebody wants it.
import { lookupTable } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
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

/** What the controllers of a cluster make of it. */
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

/** Events tell of everything, and are owned by nothing. */
export const listable = (kinds: readonly KindInfo[]): KindInfo[] =>
  kinds.filter(({ verbs, resource }) => verbs.includes("list") && resource !== "events");

/** In the order of the kinds; kinds that the user may not list are left out. Rejects when the signal is aborted. */
export async function ownedBy(
  uid: string,
  namespace: string,
  kinds: readonly KindInfo[],
  signal: AbortSignal,
): Promise<ObjectRef[]> {
  const found: ObjectRef[] = [];
  // What is owned by something in a namespace is there as well.
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

/** Of a Service, and so of its EgressService. Throws Refused. */
export async function slicesOf({ namespace, name }: ObjectRef, signal: AbortSignal): Promise<ObjectRef[]> {
  const of = { ...SLICES, namespace, name: "" };
  const query = new URLSearchParams({ labelSelector: `${SERVICE_NAME}=${name}` });
  const { items } = await ask<Listed>(`${pathOf(of)}?${query}`, { accept: PARTIAL, signal });
  return items.map(({ metadata }) => ({ ...of, name: metadata.name }));
}
