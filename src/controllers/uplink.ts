// The controller of Uplinks: says in the condition Ready whether one is there on every node that it names, which is where
// an UplinkState says so; and keeps an Uplink from going while a network names it.
import type { Informer } from "../client/informer.ts";
import { objectsAt, textsAt } from "../meta/json.ts";
import { InvalidSelectorError, readLabelSelector } from "../meta/label-selector.ts";
import { type KubeObject, specOf } from "../meta/object-meta.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  hasFinalizer,
  hold,
  isGoing,
  keyOfObject,
  keysIn,
  NODES,
  ovn,
  removeFinalizer,
} from "./kit/api.ts";
import { applyConditions, conditionFor, isTrue, type Said } from "./kit/conditions.ts";
import { defineController } from "./kit/define-controller.ts";
import { isNewest } from "./kit/settings.ts";

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
  async reconcile(name, world) {
    const { uplinks, states, cudns, nodes, client } = world;
    const object = uplinks.get(name);
    if (!object) return;
    const held = { client, resource: UPLINKS, finalizer: FINALIZER };
    const isNamed = [...cudns.list()].some((cudn) => uplinksOf(cudn).includes(name));
    // What is left of it comes back as an event.
    if (!isNamed && hasFinalizer(object, FINALIZER)) return removeFinalizer(held, object);
    if (isGoing(object)) return;
    if (isNamed) await hold(held, object);
    const problem = findProblem(object, nodes, states);
    const condition = conditionFor("Ready", problem, READY);
    await applyConditions(world, UPLINKS, object, [condition]);
  },
});

const READY: Said = { reason: "Ready", message: "all selected nodes are ready" };

/** The Uplinks that a ClusterUserDefinedNetwork names. */
const uplinksOf = (cudn: KubeObject): string[] =>
  textsAt(specOf(cudn), "uplinks").filter((name) => name !== "");

/** Why the Uplink is not ready. */
function findProblem(uplink: KubeObject, nodes: Informer, states: Informer): Said | undefined {
  const configs = objectsAt(specOf(uplink), "nodeConfigs");
  const selectors = configs.flatMap((config) => {
    const selector = readLabelSelector(config["nodeSelector"]);
    return selector instanceof InvalidSelectorError ? [] : [selector];
  });
  if (selectors.length < configs.length) {
    return { reason: "InvalidSpec", message: "Uplink is not ready because its spec is not accepted" };
  }
  const named = [...nodes.list()].map((node) => ({
    name: keyOfObject(node),
    times: selectors.filter((selector) => selector.matches(node.metadata.labels)).length,
  }));
  const namedMoreOften = named.filter(({ times }) => times > 1).map(({ name }) => name);
  if (namedMoreOften.length > 0) {
    const message = `multiple Uplink nodeConfigs select nodes: ${namedMoreOften.sort().join(",")}`;
    return { reason: "NodeSelectorOverlap", message };
  }
  const selected = named.filter(({ times }) => times === 1).map(({ name }) => name);
  if (selected.length === 0) {
    return { reason: "NoMatchingNodes", message: "no nodes match any Uplink nodeConfig" };
  }
  const problems = selected.sort().map((node) => findProblemOn(node, keyOfObject(uplink), states));
  return problems.find((problem) => problem !== undefined);
}

function findProblemOn(nodeName: string, uplinkName: string, states: Informer): Said | undefined {
  const name = `${uplinkName}.${nodeName}`;
  const state = states.get(name);
  if (!state) return { reason: "MissingUplinkState", message: `UplinkState ${name} is missing` };
  const spec = specOf(state);
  for (const [key, expected] of Object.entries({ uplinkName, nodeName })) {
    if (spec[key] === expected) continue;
    const message = `UplinkState ${name} reports ${key} ${JSON.stringify(spec[key] ?? "")}`;
    return { reason: "UplinkStateIdentityError", message };
  }
  if (isTrue(state, "Resolved")) return undefined;
  return { reason: "UplinkStateNotResolved", message: `UplinkState ${name} is not resolved` };
}
