// A random history of owners and dependents with a running collector, and the rules that hold whenever it is idle.
import fc from "fast-check";
import type { KubeObject, OwnerReference } from "../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../src/apimachinery/meta/status.ts";
import type { ObjectKey, ResourceName } from "../../../src/controller/client.ts";
import { type ApiWorld, CONFIG_MAPS, NODES } from "../../support/api-world.ts";
import {
  openCollected,
  ownedBy,
  type Policy,
} from "../../unit/kube/controllers/garbage-collector/support.ts";

const HOLD = "example.com/hold";
const PLACES = ["a ConfigMap in a", "a ConfigMap in b", "a Node", "a Thing in a"] as const;
type Place = (typeof PLACES)[number];

interface OwnerChoice {
  readonly pick: number;
  readonly blocks: boolean;
}

type Creation = { readonly type: "create"; place: Place; name: number; owners: OwnerChoice[]; held: boolean };

export type Step =
  | Creation
  | { readonly type: "delete"; pick: number; policy: Policy }
  | { readonly type: "release"; pick: number }
  | { readonly type: "own"; pick: number; owners: OwnerChoice[] }
  | { readonly type: "restart" }
  | { readonly type: "settle" };

const pick = fc.nat({ max: 1000 });
const owners = fc.array(fc.record({ pick, blocks: fc.boolean() }), { maxLength: 3 });

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant("create" as const),
        place: fc.constantFrom(...PLACES),
        name: fc.nat({ max: 5 }),
        owners,
        held: fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant("delete" as const),
        pick,
        policy: fc.constantFrom<Policy>("Background", "Foreground", "Orphan"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("release" as const), pick }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("own" as const), pick, owners }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("settle" as const) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("restart" as const) }) },
  ),
  { minLength: 5, maxLength: 40 },
);

/** An object as the test created it; the collector may have changed or deleted it since. */
interface Made {
  readonly object: KubeObject;
  readonly place: Place;
  /** The owners it was given and that did not orphan it. */
  owners: OwnerReference[];
  deleted?: Policy;
  /** A foreground deletion may have reached it before it was deleted otherwise. */
  mayBeOvertaken?: boolean;
  checkedGone?: boolean;
}

export class Run {
  readonly #world: ApiWorld;
  readonly #made: Made[] = [];
  readonly #things: ResourceName;

  private constructor(world: ApiWorld) {
    this.#world = world;
    this.#things = world.serve("Thing", "Namespaced");
  }

  static async open(): Promise<Run> {
    return new Run(await openCollected());
  }

  /** Returns the violations after the steps, empty if there are none. */
  async play(history: readonly Step[]): Promise<string[]> {
    for (const step of history) {
      await this.#play(step);
      const wrong = step.type === "settle" ? await this.#settleAndCheck() : [];
      if (wrong.length > 0) return wrong;
    }
    const wrong = await this.#settleAndCheck();
    for (const made of this.#made) await this.#release(made);
    return [...wrong, ...(await this.#settleAndCheck()), ...(await this.#stuck())];
  }

  close(): Promise<void> {
    return this.#world.stop();
  }

  async #play(step: Step): Promise<void> {
    if (step.type === "create") return this.#create(step);
    if (step.type === "restart") {
      await this.#world.stop();
      return this.#world.start();
    }
    if (step.type === "settle") return;
    const made = this.#made[step.pick % Math.max(1, this.#made.length)];
    if (!made) return;
    if (step.type === "release") await this.#release(made);
    else if (step.type === "delete") await this.#delete(made, step.policy);
    else await this.#own(made, step.owners);
  }

  async #create({ place, name, owners: chosen, held }: Creation): Promise<void> {
    const ownerReferences = this.#references(chosen);
    const finalizers = held ? [HOLD] : [];
    const { resource, key } = this.#address(place, `o${name}`);
    const namespace = key.namespace ? { namespace: key.namespace } : {};
    await unlessRefused(async () => {
      const metadata = { name: key.name, ...namespace, ownerReferences, finalizers };
      const object = await this.#world.create(resource, metadata);
      this.#made.push({ object, place, owners: ownerReferences });
    });
  }

  async #delete(made: Made, policy: Policy): Promise<void> {
    // Orphaning may come too late for dependents that a foreground deletion has reached.
    const mayBeOvertaken = this.#made.some(({ deleted }) => deleted === "Foreground");
    if (policy === "Orphan" && mayBeOvertaken) await this.#world.settled();
    const live = await this.#live(made);
    if (!live || live.metadata.deletionTimestamp || made.deleted) return;
    const { resource, key } = this.#addressOf(made);
    made.deleted = policy;
    made.mayBeOvertaken = mayBeOvertaken;
    const done = await unlessRefused(() =>
      this.#world.client.delete(resource, key, { uid: uidOf(made), propagationPolicy: policy }),
    );
    if (policy !== "Orphan" || !done) return;
    for (const other of this.#made) {
      if (!this.#isFindable(made, other)) continue;
      other.owners = other.owners.filter((owner) => !leadsTo(owner, made));
    }
  }

  /** Removes the finalizer; retries on a conflict with a write of the collector. */
  async #release(made: Made): Promise<void> {
    const { resource, key } = this.#addressOf(made);
    for (;;) {
      const { resourceVersion, finalizers = [] } = (await this.#live(made))?.metadata ?? {};
      if (!finalizers.includes(HOLD)) return;
      const others = finalizers.filter((item) => item !== HOLD);
      await unlessRefused(() => this.#world.change(resource, key, { resourceVersion, finalizers: others }));
    }
  }

  /** Sets other owners on an object that is not being collected. */
  async #own(made: Made, chosen: readonly OwnerChoice[]): Promise<void> {
    await this.#world.settled();
    const live = await this.#live(made);
    if (!live || live.metadata.deletionTimestamp) return;
    const { resource, key } = this.#addressOf(made);
    made.owners = this.#references(chosen).filter(({ uid }) => uid !== uidOf(made));
    await this.#world.change(resource, key, { ownerReferences: made.owners });
  }

  async #settleAndCheck(): Promise<string[]> {
    await this.#world.settled();
    const live = await this.#allLive();
    const wrong = this.#made.flatMap((made) => this.#complaint(made, live) ?? []);
    for (const made of this.#made) if (!live.has(uidOf(made))) made.checkedGone = true;
    return wrong;
  }

  #complaint(made: Made, live: ReadonlyMap<string, KubeObject>): string | undefined {
    const object = live.get(uidOf(made));
    const name = `${made.place} ${made.object.metadata.name} (${uidOf(made)})`;
    if (!object) {
      if (made.checkedGone || made.deleted) return undefined;
      if (made.owners.length === 0) return `${name} is gone and had no owner that did not leave it behind`;
      const keeper = made.owners.find((owner) => this.#keeps(owner, made, live));
      return keeper && `${name} is gone although ${keeper.name} (${keeper.uid}) lives`;
    }
    const { deletionTimestamp, finalizers = [], ownerReferences = [] } = object.metadata;
    if (deletionTimestamp) {
      if (finalizers.includes("orphan")) return `${name} still waits to leave its dependents behind`;
      const waits = finalizers.includes("foregroundDeletion");
      return waits && !this.#isBlocked(made, live) ? `${name} waits for nobody` : undefined;
    }
    if (isLeftAlone(object.metadata)) return undefined;
    const dead = ownerReferences.find((owner) => !this.#find(owner, made, live));
    if (dead) return `${name} is there with the owner ${dead.name} (${dead.uid}), which is not`;
    const waiting = ownerReferences.filter((owner) => isWaiting(this.#find(owner, made, live)));
    return waiting.length > 0
      ? `${name} is there and keeps its owner ${waiting[0]?.name} waiting`
      : undefined;
  }

  /** Reports whether the owner kept its dependent: it exists, and if it is being deleted, then in the background. */
  #keeps(owner: OwnerReference, dependent: Made, live: ReadonlyMap<string, KubeObject>): boolean {
    const found = this.#find(owner, dependent, live);
    const { deleted, mayBeOvertaken } = this.#made.find((made) => leadsTo(owner, made)) ?? {};
    // Owners that cannot be found keep it too, unless they orphaned it.
    if (!found) return dependent.place === "a Node" && owner.kind !== "Node" && deleted !== "Orphan";
    return !found.metadata.deletionTimestamp || (deleted === "Background" && !mayBeOvertaken);
  }

  /** Returns the live owner, if it is in the scope in which the owner of such a dependent is looked up. */
  #find(
    owner: OwnerReference,
    dependent: Made,
    live: ReadonlyMap<string, KubeObject>,
  ): KubeObject | undefined {
    const made = this.#made.find((item) => leadsTo(owner, item));
    return made && this.#isFindable(made, dependent) ? live.get(owner.uid) : undefined;
  }

  #isFindable(owner: Made, dependent: Made): boolean {
    const { namespace } = this.#addressOf(owner).key;
    return namespace === "" || namespace === this.#addressOf(dependent).key.namespace;
  }

  #isBlocked(owner: Made, live: ReadonlyMap<string, KubeObject>): boolean {
    return this.#made.some((made) => {
      const { ownerReferences = [] } = live.get(uidOf(made))?.metadata ?? {};
      const blocks = ownerReferences.some((item) => leadsTo(item, owner) && item.blockOwnerDeletion === true);
      return blocks && this.#isFindable(owner, made);
    });
  }

  /**
   * Without finalizers every deletion completes, unless it waits for an object that the collector does not handle. Returns
   * the deletions that do not complete.
   */
  async #stuck(): Promise<string[]> {
    const live = [...(await this.#allLive()).values()];
    if (live.some(({ metadata }) => isLeftAlone(metadata))) return [];
    const deleting = live.filter(({ metadata }) => metadata.deletionTimestamp);
    return deleting.map(({ metadata }) => `${metadata.name} does not go`);
  }

  async #allLive(): Promise<Map<string, KubeObject>> {
    const live = new Map<string, KubeObject>();
    for (const made of this.#made) {
      const object = await this.#live(made);
      if (object) live.set(uidOf(made), object);
    }
    return live;
  }

  async #live(made: Made): Promise<KubeObject | undefined> {
    const { resource, key } = this.#addressOf(made);
    const object = await this.#world.get(resource, key);
    return object?.metadata.uid === uidOf(made) ? object : undefined;
  }

  #references(chosen: readonly OwnerChoice[]): OwnerReference[] {
    const references = new Map<string, OwnerReference>();
    for (const { pick: index, blocks } of chosen) {
      const owner = this.#made[index % Math.max(1, this.#made.length)];
      if (owner) references.set(uidOf(owner), ownedBy(owner.object, { blockOwnerDeletion: blocks }));
    }
    return [...references.values()];
  }

  #addressOf({ place, object }: Made): { resource: ResourceName; key: ObjectKey } {
    return this.#address(place, object.metadata.name ?? "");
  }

  #address(place: Place, name: string): { resource: ResourceName; key: ObjectKey } {
    if (place === "a Node") return { resource: NODES, key: { namespace: "", name } };
    if (place === "a Thing in a") return { resource: this.#things, key: { namespace: "a", name } };
    return { resource: CONFIG_MAPS, key: { namespace: place === "a ConfigMap in a" ? "a" : "b", name } };
  }
}

const uidOf = ({ object }: Made): string => object.metadata.uid ?? "";

const leadsTo = ({ uid }: OwnerReference, made: Made): boolean => uid === uidOf(made);

/** A cluster-scoped object that names an owner in a namespace. */
const isLeftAlone = ({ namespace, ownerReferences = [] }: KubeObject["metadata"]): boolean =>
  namespace === undefined && ownerReferences.some(({ kind }) => kind !== "Node");

const isWaiting = (object: KubeObject | undefined): boolean =>
  object?.metadata.deletionTimestamp !== undefined &&
  object.metadata.finalizers?.includes("foregroundDeletion") === true;

/** A request that the API rejects (the name exists, the object is deleted, a conflict) has no effect. */
async function unlessRefused(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (!(error instanceof StatusError) || ![404, 409].includes(error.code)) throw error;
    return false;
  }
}
