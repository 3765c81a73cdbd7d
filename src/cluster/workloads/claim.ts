// Adoption and release of a workload's objects. Objects that it controls and selects are kept. Those that it no longer
// selects are released. Selected objects without a controller are adopted. The plan is computed first and then carried
// out.

import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { findObject, ignoring, isGoing, placeOf } from "../../controller/api.ts";
import type { Client, ResourceName } from "../../controller/client.ts";
import type { Children } from "./children.ts";
import { type OwnerKind, ownerReference, selects, uidOf } from "./resources.ts";

export interface Claims {
  readonly mine: readonly KubeObject[];
  readonly release: readonly KubeObject[];
  readonly adopt: readonly KubeObject[];
}

type Wanted = (child: KubeObject) => boolean;

/** An owner under deletion neither releases nor adopts. `isMine` is a condition in addition to the selector. */
export function planClaims(
  owner: KubeObject,
  controlled: readonly KubeObject[],
  orphans: readonly KubeObject[],
  isMine: Wanted = () => true,
): Claims {
  const isWanted = (child: KubeObject): boolean => selects(owner, child) && isMine(child);
  const [mine, others]: [KubeObject[], KubeObject[]] = [[], []];
  for (const child of controlled) (isWanted(child) ? mine : others).push(child);
  if (isGoing(owner)) return { mine, release: [], adopt: [] };
  return { mine, release: others, adopt: orphans.filter((child) => !isGoing(child) && isWanted(child)) };
}

export interface Claiming {
  readonly client: Client;
  readonly owner: KubeObject;
  readonly kind: OwnerKind;
  readonly resource: ResourceName;
  readonly children: Children;
  readonly isMine?: Wanted;
  /** The finalizer that adoption sets and release removes. */
  readonly finalizer?: string;
}

/** Carries out the plan and returns the objects that belong to the owner afterwards. */
export async function claim(claiming: Claiming): Promise<KubeObject[]> {
  const { owner, children, isMine } = claiming;
  const orphans = children.orphansIn(owner.metadata.namespace ?? "");
  const { mine, release, adopt } = planClaims(owner, children.of(owner), orphans, isMine);
  for (const child of release) await releaseChild(claiming, child);
  if (adopt.length === 0 || !(await mayAdopt(claiming))) return [...mine];
  const adopted: KubeObject[] = [];
  for (const child of adopt) {
    const taken = await adoptChild(claiming, child);
    if (taken) adopted.push(taken);
  }
  return [...mine, ...adopted];
}

/** Reads the live owner, since the informer cache may lag: it must have the same uid and not be under deletion. */
async function mayAdopt({ client, owner, resource }: Claiming): Promise<boolean> {
  const live = await findObject(client, resource, placeOf(owner));
  return live !== undefined && uidOf(live) === uidOf(owner) && !isGoing(live);
}

function adoptChild({ owner, kind, children, finalizer }: Claiming, child: KubeObject) {
  const metadata = {
    ownerReferences: [ownerReference(owner, kind)],
    uid: uidOf(child),
    ...(finalizer ? { finalizers: [finalizer] } : {}),
  };
  return ignoring([404, 409, 422], children.patch(child, { type: "strategic", body: { metadata } }));
}

/** Rejections are ignored: another client may have adopted or deleted the object, and then no release is needed. */
function releaseChild({ owner, children, finalizer }: Claiming, child: KubeObject) {
  const metadata = {
    ownerReferences: [{ $patch: "delete", uid: uidOf(owner) }],
    uid: uidOf(child),
    ...(finalizer ? { "$deleteFromPrimitiveList/finalizers": [finalizer] } : {}),
  };
  return ignoring([404, 409, 422], children.patch(child, { type: "strategic", body: { metadata } }));
}
