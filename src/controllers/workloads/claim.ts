// Which objects belong to a workload: what it controls and selects stays, what it no longer selects is let go, and what it
// selects and nobody controls is adopted. Decided first, as plain lists, and carried out then.
import type { Client, ResourceName } from "../../client/client.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { findObject, ignoring, isGoing, placeOf } from "../kit/api.ts";
import type { Children } from "./children.ts";
import { type OwnerKind, ownerReference, selects, uidOf } from "./resources.ts";

export interface Claims {
  readonly mine: readonly KubeObject[];
  readonly release: readonly KubeObject[];
  readonly adopt: readonly KubeObject[];
}

type Wanted = (child: KubeObject) => boolean;

/** An owner that goes lets go of nothing and adopts nothing. `isMine` asks more than the selector does. */
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
  /** Adopted and released together with this finalizer. */
  readonly finalizer?: string;
}

/** Carries the claims out, and answers with what belongs to the owner then. */
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

/** The owner as it is now, not as the copy has it, is still the same one and stays. */
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

/** Somebody else may have taken it, or it has gone: then there is nothing to release. */
function releaseChild({ owner, children, finalizer }: Claiming, child: KubeObject) {
  const metadata = {
    ownerReferences: [{ $patch: "delete", uid: uidOf(owner) }],
    uid: uidOf(child),
    ...(finalizer ? { "$deleteFromPrimitiveList/finalizers": [finalizer] } : {}),
  };
  return ignoring([404, 409, 422], children.patch(child, { type: "strategic", body: { metadata } }));
}
