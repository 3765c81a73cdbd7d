// One reconcile of a Deployment: reads its ReplicaSets and writes the planned changes. Status writes change the
// Deployment on the way, so each further step uses the newest object that the API returned.
import { equalJson, type JsonObject, numberAt, objectsAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import type { EventType } from "../../apimachinery/meta/occurrence.ts";
import { StatusError } from "../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import { findObject, ignoring, isNamespaceEnding } from "../../controller/api.ts";
import type { World } from "../../controller/definition.ts";
import { errorText } from "../../controller/logging.ts";
import type { Children } from "../workloads/children.ts";
import type { Said } from "../workloads/conditions.ts";
import { templateHash } from "../workloads/hash.ts";
import { telling } from "../workloads/pod-control.ts";
import {
  countAt,
  DEPLOYMENTS,
  isControlledBy,
  labelsOf,
  nameOf,
  ownerReference,
  REPLICA_SETS,
  replicasOf,
  statusOf,
  templateOf,
  uidOf,
} from "../workloads/resources.ts";
import {
  deadlineSecondsOf,
  HASH_LABEL,
  isOfTemplate,
  nextRevision,
  REVISION,
  replicasOfCurrent,
  type Sets,
  scaleAnnotations,
  setAnnotations,
  sortOut,
} from "./replica-sets.ts";
import type { Resize } from "./scaling.ts";
import { foundCondition, isSameStatus, pauseCondition, progressing, withCondition } from "./status.ts";

export const KIND = { apiVersion: "apps/v1", kind: "Deployment" };

export interface Memory {
  readonly children: Children;
  /** The pods of the sets. The watch is started only if a Deployment waits for their end. */
  readonly pods: Children;
}
export type RolloutWorld = World<"owners" | "sets" | "pods", Memory>;

/** Ends a reconcile without a failure: the namespace is terminating, the name is taken, or the Deployment is gone. */
export class LookEnded extends Error {}

export class Rollout {
  readonly #world: RolloutWorld;
  #deployment: KubeObject;
  #sets: readonly KubeObject[];

  constructor(world: RolloutWorld, deployment: KubeObject, sets: readonly KubeObject[]) {
    this.#world = world;
    this.#deployment = deployment;
    this.#sets = sets;
  }

  get deployment(): KubeObject {
    return this.#deployment;
  }

  get sets(): Sets {
    return sortOut(this.#deployment, this.#sets);
  }

  recordEvent(type: EventType, reason: string, message: string): void {
    telling(this.#world, this.#deployment)(type, reason, message);
  }

  async notePause(): Promise<void> {
    const said = pauseCondition(this.#deployment);
    if (said) await this.#saying(said);
  }

  /** Updates revisions and annotations. Creates the ReplicaSet of the current template if isToMake is set. */
  async syncRevision(isToMake: boolean): Promise<void> {
    const { current, old } = this.sets;
    const revision = nextRevision(old);
    if (current) await this.#adoptRevision(current, revision);
    else if (isToMake) await this.#make(old, revision);
  }

  async resize(changes: readonly Resize[]): Promise<boolean> {
    let isResized = false;
    for (const [set, replicas] of changes) {
      const before = replicasOf(set);
      const annotations = { ...set.metadata.annotations, ...scaleAnnotations(this.#deployment) };
      if (before === replicas && equalJson(annotations, set.metadata.annotations)) continue;
      const metadata = { ...set.metadata, annotations };
      const made = await this.#update({ ...set, metadata, spec: { ...specOf(set), replicas } });
      if (before === replicas) continue;
      isResized = true;
      const direction = before < replicas ? "up" : "down";
      const what = `Scaled ${direction} replica set ${nameOf(made)} from ${before} to ${replicas}`;
      this.recordEvent("Normal", "ScalingReplicaSet", what);
    }
    return isResized;
  }

  async forget(sets: readonly KubeObject[]): Promise<void> {
    for (const set of sets) {
      await this.#world.memory.children.delete(set);
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
    }
  }

  async writeStatus(status: JsonObject): Promise<void> {
    if (!isSameStatus(this.#deployment, status)) await this.#write({ ...this.#deployment, status });
  }

  async #adoptRevision(set: KubeObject, revision: number): Promise<void> {
    const annotations = setAnnotations(this.#deployment, set, revision);
    const minReadySeconds = numberAt(specOf(this.#deployment), "minReadySeconds");
    const isMinReady = countAt(specOf(set), "minReadySeconds") === (minReadySeconds ?? 0);
    if (!isMinReady || !equalJson(annotations, set.metadata.annotations ?? {})) {
      const spec = { ...specOf(set), minReadySeconds: minReadySeconds ?? 0 };
      await this.#update({ ...set, metadata: { ...set.metadata, annotations }, spec });
      return this.#noteRevision(annotations[REVISION]);
    }
    return this.#noteRevision(annotations[REVISION], foundCondition(this.#deployment, set));
  }

  /** Records the revision in the annotation of the Deployment. */
  async #noteRevision(revision: string | undefined, said?: Said): Promise<void> {
    const { metadata } = this.#deployment;
    const isNoted = revision === undefined || metadata.annotations?.[REVISION] === revision;
    if (isNoted && !said) return;
    const annotations = isNoted ? metadata.annotations : { ...metadata.annotations, [REVISION]: revision };
    const noted = { ...this.#deployment, metadata: { ...metadata, ...(annotations ? { annotations } : {}) } };
    if (said) await this.#saying(said, noted);
    else await this.#write(noted);
  }

  async #make(old: readonly KubeObject[], revision: number): Promise<void> {
    const planned = this.#planned(old, revision);
    const { set, isNew } = await this.#create(planned);
    this.#sets = [...this.#sets, set];
    const replicas = replicasOf(planned);
    if (isNew && replicas > 0) {
      this.recordEvent(
        "Normal",
        "ScalingReplicaSet",
        `Scaled up replica set ${nameOf(set)} from 0 to ${replicas}`,
      );
    }
    const hasDeadline = deadlineSecondsOf(this.#deployment) !== undefined;
    const said = progressing("True", "NewReplicaSetCreated", `Created new replica set "${nameOf(set)}"`);
    await this.#noteRevision(String(revision), isNew && hasDeadline ? said : undefined);
  }

  /** The ReplicaSet of the current template, with as many replicas as the strategy allows. */
  #planned(old: readonly KubeObject[], revision: number): KubeObject {
    const deployment = this.#deployment;
    const spec = specOf(deployment);
    const template = templateOf(deployment);
    const hash = templateHash(template, numberAt(statusOf(deployment), "collisionCount"));
    const labels = { ...labelsOf(template), [HASH_LABEL]: hash };
    const selector = (spec["selector"] ?? {}) as JsonObject; // validated
    const matchLabels = { ...(selector["matchLabels"] as JsonObject | undefined), [HASH_LABEL]: hash };
    const minReadySeconds = countAt(spec, "minReadySeconds");
    const annotations = {
      ...setAnnotations(deployment, { metadata: {} }, revision),
      ...scaleAnnotations(deployment),
    };
    return {
      ...{ apiVersion: "apps/v1", kind: "ReplicaSet" },
      metadata: {
        name: `${nameOf(deployment)}-${hash}`,
        namespace: deployment.metadata.namespace ?? "",
        ownerReferences: [ownerReference(deployment, KIND)],
        labels,
        annotations,
      },
      spec: {
        replicas: replicasOfCurrent(deployment, old, 0),
        ...(minReadySeconds > 0 ? { minReadySeconds } : {}),
        selector: { ...selector, matchLabels },
        template: { ...template, metadata: { ...(template["metadata"] as JsonObject | undefined), labels } },
      },
    };
  }

  async #create(planned: KubeObject): Promise<{ readonly set: KubeObject; readonly isNew: boolean }> {
    try {
      return { set: await this.#world.memory.children.create(planned), isNew: true };
    } catch (error) {
      if (isNamespaceEnding(error)) throw new LookEnded();
      if (error instanceof StatusError && error.reason === "AlreadyExists") return this.#collide(planned);
      const message = `Failed to create new replica set "${nameOf(planned)}": ${errorText(error)}`;
      if (deadlineSecondsOf(this.#deployment) !== undefined) {
        await this.#saying(progressing("False", "ReplicaSetCreateError", message)).catch(() => undefined); // reported below
      }
      this.recordEvent("Warning", "ReplicaSetCreateError", message);
      throw error;
    }
  }

  /**
   * The name is taken. If the live set is the wanted one, which the informer did not hold yet, it is used. Otherwise
   * collisionCount increments, and the next reconcile derives another name.
   */
  async #collide(planned: KubeObject): Promise<{ readonly set: KubeObject; readonly isNew: boolean }> {
    const { namespace = "" } = planned.metadata;
    const live = await findObject(this.#world.client, REPLICA_SETS, { namespace, name: nameOf(planned) });
    if (live && isControlledBy(live, this.#deployment) && isOfTemplate(live, this.#deployment)) {
      return { set: live, isNew: false };
    }
    const before = statusOf(this.#deployment);
    const collisionCount = countAt(before, "collisionCount") + 1;
    await this.#write({ ...this.#deployment, status: { ...before, collisionCount } });
    throw new LookEnded();
  }

  async #saying(said: Said, deployment: KubeObject = this.#deployment): Promise<void> {
    const status = statusOf(deployment);
    const conditions = withCondition(objectsAt(status, "conditions"), said, this.#world.clock.now());
    await this.#write({ ...deployment, status: { ...status, conditions } });
  }

  async #update(set: KubeObject): Promise<KubeObject> {
    const made = await this.#world.memory.children.update(set);
    this.#sets = this.#sets.map((item) => (uidOf(item) === uidOf(made) ? made : item));
    return made;
  }

  /** Writes the status. If the Deployment is gone, the reconcile ends. */
  async #write(deployment: KubeObject): Promise<void> {
    const written = await ignoring([404], this.#world.client.update(DEPLOYMENTS, deployment, "status"));
    if (!written) throw new LookEnded();
    this.#deployment = written;
  }
}
