// Puts the objects of a demonstration into a server whose controllers make a living cluster of them, and has its nodes fail.
import { makeChange } from "../../control/verdict/planned-change.ts";
import type { ControllerSettings } from "../../controllers/kit/settings.ts";
import { type Clock, formatTime, systemClock } from "../../meta/clock.ts";
import { numberAt, objectAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { StartError } from "../../server/errors.ts";
import type { Server } from "../../server/server.ts";
import { FAILED } from "../../verdict/assignment/node-state.ts";
import { type Model, Multiplier, readModel } from "./multiply.ts";
import { copiesOf, demoObjects, MODEL, type Size } from "./objects.ts";

const core = (resource: string) => ({ group: "", version: "v1", resource });
const DEPLOYMENTS = { group: "apps", version: "v1", resource: "deployments" };
const LOOK_MS = 250;

/** So long is nothing between two failures, and so long does one last. */
const CALM_MS = 60_000;
const FAILED_MS = 90_000;
/** They host egress addresses: those move. */
const FAILING = ["worker-1", "worker-2", "worker-3", "worker-4"];

/** Of the pods that Deployments want. */
export interface Readiness {
  readonly ready: number;
  readonly wanted: number;
}

/** False: they are there already, as in a folder of an earlier demonstration. */
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

/** What is there at first lives, and can be copied. */
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

/** Resolves once all pods are ready, or the signal says that nobody waits any more. */
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

/** Its kubelet falls silent, or is heard again. */
export async function setFailed({ clientFor }: Server, name: string, isFailed: boolean): Promise<void> {
  const body = { metadata: { annotations: { [FAILED]: isFailed ? "true" : null } } };
  await clientFor("egret-demo").patch(core("nodes"), { namespace: "", name }, { type: "merge", body });
}

export interface Rhythm {
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** One node after the other fails and comes back, until the signal says that it is enough. */
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
