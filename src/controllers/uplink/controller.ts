// The controller of Uplinks: says in the condition Ready whether all nodes have theirs, and keeps an Uplink from going
// while a network names it.

import type { Informer } from "../../client/informer.ts";
import { isObject } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  hasFinalizer,
  hold,
  isGoing,
  keysIn,
  NODES,
  ovn,
  removeFinalizer,
} from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import { isNewest } from "../kit/settings.ts";
import { applyConditions } from "../networks/apply-status.ts";
import { uplinkReady } from "./ready.ts";

const FINALIZER = "k8s.ovn.org/uplink-protection";
const UPLINKS = ovn("uplinks", "v1alpha1");
const UPLINK_STATES = ovn("uplinkstates", "v1alpha1");

const all = (_: unknown, { uplinks }: { readonly uplinks: Informer }) => keysIn(uplinks);

export const uplink = defineController({
  name: "uplink",
  summary: "whether all nodes have their uplinks",
  fieldManager: "clustermanager-uplink-controller",
  isWanted: isNewest,
  workers: 1,
  watches: {
    nodes: { resource: NODES, facts: ({ metadata }) => metadata.labels, toKeys: all },
    cudns: {
      resource: CLUSTER_USER_DEFINED_NETWORKS,
      on: ["add", "delete"],
      toKeys: ({ object }) => uplinksOf(object),
    },
    states: { resource: UPLINK_STATES, toKeys: all },
    uplinks: { resource: UPLINKS, on: ["add", "update"] },
  },
  prepare: ({ uplinks }) => keysIn(uplinks),
  async reconcile(name, { uplinks, states, cudns, nodes, client, clock }) {
    const object = uplinks.get(name);
    if (!object) return;
    const held = { client, resource: UPLINKS, finalizer: FINALIZER };
    const isNamed = [...cudns.list()].some((cudn) => uplinksOf(cudn).includes(name));
    // What is left of it comes back as an event.
    if (!isNamed && hasFinalizer(object, FINALIZER)) return removeFinalizer(held, object);
    if (isGoing(object)) return;
    if (isNamed) await hold(held, object);
    const condition = uplinkReady(object, { nodes: nodes.list(), state: (key) => states.get(key) });
    const target = { client, resource: UPLINKS, object, nowMs: clock.now() };
    await applyConditions(target, [condition], { force: true });
  },
});

/** The Uplinks that a ClusterUserDefinedNetwork names. */
function uplinksOf({ spec }: KubeObject): string[] {
  const names = isObject(spec) ? spec["uplinks"] : undefined;
  return Array.isArray(names) ? names.map(String).filter((name) => name !== "") : [];
}
