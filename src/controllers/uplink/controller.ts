// The controller of Uplinks: says in the condition Ready whether all nodes have theirs, and keeps an Uplink from going
// while a network names it.
import type { ResourceName } from "../../client/client.ts";
import type { Informer } from "../../client/informer.ts";
import { equalJson, isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { applyConditions } from "../networks/apply-status.ts";
import { configurationOf } from "../networks/conditions.ts";
import { CLUSTER_USER_DEFINED_NETWORKS, NODES } from "../networks/resources.ts";
import { ignoring } from "../runtime/api-errors.ts";
import type { Controller, ControllerDeps } from "../runtime/controller.ts";
import { informerFor } from "../runtime/informers.ts";
import { ReconcileLoop } from "../runtime/reconcile-loop.ts";
import { uplinkReady } from "./ready.ts";

export const UPLINK_FIELD_MANAGER = "clustermanager-uplink-controller";
const NAME = "uplink";
const FINALIZER = "k8s.ovn.org/uplink-protection";
const UPLINKS: ResourceName = { group: "k8s.ovn.org", version: "v1alpha1", resource: "uplinks" };
const UPLINK_STATES: ResourceName = { group: "k8s.ovn.org", version: "v1alpha1", resource: "uplinkstates" };

export function createUplinkController(deps: ControllerDeps): Controller {
  const { client, clock } = deps;
  const uplinks = informerFor(deps, NAME, UPLINKS);
  const states = informerFor(deps, NAME, UPLINK_STATES);
  const cudns = informerFor(deps, NAME, CLUSTER_USER_DEFINED_NETWORKS);
  const nodes = informerFor(deps, NAME, NODES);
  let working = false;

  const loop = new ReconcileLoop({
    name: NAME,
    deps,
    informers: [nodes, cudns, states, uplinks],
    workers: 1,
    reconcile,
    prepare: () => {
      working = true;
      wakeAll();
    },
  });

  const wake = (name: unknown): void => {
    if (working && typeof name === "string" && name !== "") loop.queue.add(name);
  };
  const wakeAll = (): void => {
    for (const name of namesIn(uplinks)) wake(name);
  };
  const own = ({ metadata }: KubeObject): void => wake(metadata.name);
  uplinks.addHandlers({ add: own, update: (_old, uplink) => own(uplink) });
  states.addHandlers({ add: wakeAll, update: wakeAll, delete: wakeAll });
  const named = (cudn: KubeObject): void => uplinksOf(cudn).forEach(wake);
  cudns.addHandlers({ add: named, delete: named });
  nodes.addHandlers({
    add: wakeAll,
    update: (old, node) => {
      if (!equalJson(old.metadata.labels, node.metadata.labels)) wakeAll();
    },
    delete: wakeAll,
  });

  async function reconcile(name: string): Promise<void> {
    const uplink = uplinks.get(name);
    if (!uplink) return;
    const isNamed = [...cudns.list()].some((cudn) => uplinksOf(cudn).includes(name));
    const isHeld = uplink.metadata.finalizers?.includes(FINALIZER) === true;
    if (isHeld && !isNamed) {
      await letGo(uplink);
      return; // what is left of it comes back as an event
    }
    if (uplink.metadata.deletionTimestamp !== undefined) return;
    if (isNamed && !isHeld) await hold(uplink);
    const condition = uplinkReady(uplink, { nodes: nodes.list(), state: (key) => states.get(key) });
    const target = { client, resource: UPLINKS, object: uplink, nowMs: clock.now() };
    await applyConditions(target, [condition], { force: true });
  }

  async function hold(uplink: KubeObject): Promise<void> {
    const { name = "" } = uplink.metadata;
    const body = configurationOf(uplink, { metadata: { name, finalizers: [FINALIZER] } });
    await client.patch(UPLINKS, { namespace: "", name }, { type: "apply", force: true, body });
  }

  async function letGo(uplink: KubeObject): Promise<void> {
    const finalizers = uplink.metadata.finalizers?.filter((item) => item !== FINALIZER) ?? [];
    const next = { ...uplink, metadata: { ...uplink.metadata, finalizers } };
    await ignoring([404], client.update(UPLINKS, next));
  }

  return loop;
}

const namesIn = (informer: Informer): string[] =>
  [...informer.list()].map(({ metadata }) => metadata.name ?? "").sort();

/** The Uplinks that a ClusterUserDefinedNetwork names. */
function uplinksOf({ spec }: KubeObject): string[] {
  const names = isObject(spec) ? spec["uplinks"] : undefined;
  return Array.isArray(names) ? names.map(String) : [];
}
