// Creates the objects of the demo in a server with a simulated cluster, and lets its nodes fail.

import { numberAt, objectAt } from "../../apimachinery/json/json.ts";
import { type Clock, formatTime, systemClock } from "../../apimachinery/meta/clock.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { FAILED } from "../../cluster/node-annotations.ts";
import type { ControllerSettings } from "../../controller/settings.ts";
import { makeChange } from "../../features/analysis/planned-change.ts";
import { StartError } from "../../server/errors.ts";
import type { Server } from "../../server/server.ts";
import { type Model, Multiplier, readModel } from "./multiply.ts";
import { copiesOf, demoObjects, MODEL, type Size } from "./objects.ts";

const core = (resource: string) => ({ group: "", version: "v1", resource });
const DEPLOYMENTS = { group: "apps", version: "v1", resource: "deployments" };
const LOOK_MS = 250;

/** Time between two failures, and duration of a failure. */
const CALM_MS = 60_000;
const FAILED_MS = 90_000;
/** These nodes host egress addresses, which move after a failure. */
const FAILING = ["worker-1", "worker-2", "worker-3", "worker-4"];

/** Counts of pods that Deployments want. */
export interface Readiness {
  readonly ready: number;
  readonly wanted: number;
}

/** Returns false if the objects exist already, as in the folder of an earlier demo. */
export async function layObjects(server: Server, size: Size, settings: ControllerSettings): Promise<boolean> {
  const { clientFor, control, registry } = server;
  const client = clientFor("egret-demo");
  const { items } = await client.list(DEPLOYMENTS);
  if (items.length > 0) return false;
  const now = formatTime(Date.parse(control.clock.state.now));
  for (const apply of demoObjects(size, now))
    await makeChange({ apply }, client, registry, { withStatus: true });
  const { places, replicas } = copiesOf(size);
  if (places.length === 0) return true;
  const model = await livingModel(server);
  const { items: nodes } = await client.list(core("nodes"));
  const multiplier = new Multiplier(model, nodes, settings);
  const copies: KubeObject[] = [];
  for (const place of places) append(copies, multiplier.copies(place, replicas));
  await control.imports.import(copies);
  return true;
}

/** Returns the model for copies once the first objects are ready. */
async function livingModel(server: Server): Promise<Model> {
  await untilReady(server, new AbortController().signal);
  const model = await readModel(server.clientFor("egret-demo"), MODEL);
  if (model === undefined) throw new StartError("nothing lives that could be copied: is a controller off?");
  return model;
}

export async function readiness({ clientFor }: Server): Promise<Readiness> {
  const { items } = await clientFor("egret-demo").list(DEPLOYMENTS);
  return items.reduce(
    ({ ready, wanted }, deployment) => ({
      ready: ready + (numberAt(objectAt(deployment, "status") ?? {}, "readyReplicas") ?? 0),
      wanted: wanted + (numberAt(specOf(deployment), "replicas") ?? 0),
    }),
    { ready: 0, wanted: 0 },
  );
}

/** Resolves once all pods are ready, or when the signal aborts. */
export async function untilReady(
  server: Server,
  signal: AbortSignal,
  onProgress: (now: Readiness) => void = () => {},
): Promise<void> {
  while (!signal.aborted) {
    const now = await readiness(server);
    onProgress(now);
    if (now.wanted > 0 && now.ready >= now.wanted) return;
    await systemClock.sleep(LOOK_MS, signal).catch(() => {});
  }
}

/** Stops or resumes the heartbeats of the node's simulated kubelet. */
export async function setFailed({ clientFor }: Server, name: string, isFailed: boolean): Promise<void> {
  const body = { metadata: { annotations: { [FAILED]: isFailed ? "true" : null } } };
  await clientFor("egret-demo").patch(core("nodes"), { namespace: "", name }, { type: "merge", body });
}

export interface Rhythm {
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** Lets one node after the other fail and recover, until the signal aborts. */
export async function failAndRecover(server: Server, { clock, signal, tell }: Rhythm): Promise<void> {
  const pause = (ms: number) => clock.sleep(ms, signal).catch(() => {});
  for (let turn = 0; !signal.aborted; turn++) {
    const name = FAILING[turn % FAILING.length] ?? "";
    await pause(CALM_MS);
    if (signal.aborted) return;
    await setFailed(server, name, true);
    tell(`${name} has failed: its egress addresses move, then its pods do`);
    await pause(FAILED_MS);
    if (signal.aborted) return;
    await setFailed(server, name, false);
    tell(`${name} is back; nothing moves back for balance`);
  }
}
