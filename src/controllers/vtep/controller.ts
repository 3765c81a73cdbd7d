// The controller of VTEPs: keeps one from going while networks go over it, and says in the condition Accepted whether it
// can be used. What is refused is also said in an event.

import { equalJson, isObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import {
  CLUSTER_USER_DEFINED_NETWORKS,
  hold,
  isGoing,
  keysIn,
  NODES,
  ovn,
  removeFinalizer,
  subjectOf,
} from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import { isNewest } from "../kit/settings.ts";
import { applyConditions } from "../networks/apply-status.ts";
import { accepted, NODE_VTEPS_ANNOTATION } from "./validate.ts";

const FINALIZER = "k8s.ovn.org/vtep-protection";
const VTEPS = ovn("vteps");

export const vtep = defineController({
  name: "vtep",
  summary: "whether VTEPs are accepted",
  fieldManager: "clustermanager-vtep-controller",
  events: "ovnk-controlplane",
  isWanted: isNewest,
  workers: 1,
  watches: {
    nodes: {
      resource: NODES,
      facts: ({ metadata }) => metadata.annotations?.[NODE_VTEPS_ANNOTATION],
      toKeys: (_, { vteps }) => keysIn(vteps),
    },
    cudns: {
      resource: CLUSTER_USER_DEFINED_NETWORKS,
      on: ["add", "delete"],
      toKeys: ({ object }) => [vtepOf(object)],
    },
    vteps: {
      resource: VTEPS,
      toKeys: ({ object, old }, { vteps }) =>
        old && equalJson(old["spec"], object["spec"]) ? [object.metadata.name] : keysIn(vteps),
    },
  },
  prepare: ({ vteps }) => keysIn(vteps),
  async reconcile(name, { vteps, cudns, nodes, client, clock, say }) {
    const vtep = vteps.get(name);
    if (!vtep) return;
    const users = keysIn(cudns).filter((key) => vtepOf(cudns.get(key)) === name);
    const held = { client, resource: VTEPS, finalizer: FINALIZER };
    if (isGoing(vtep)) {
      if (users.length === 0) await removeFinalizer(held, vtep);
      return;
    }
    await hold(held, vtep);
    const condition = accepted(vtep, { vteps: vteps.list(), nodes: nodes.list(), users });
    const target = { client, resource: VTEPS, object: vtep, nowMs: clock.now() };
    const told = await applyConditions(target, [condition], { force: true });
    if (!told || condition.status === "True") return;
    const { reason, message } = condition;
    say({ subject: subjectOf(vtep), type: "Warning", reason, message });
  },
});

/** The VTEP that a ClusterUserDefinedNetwork goes over. */
function vtepOf(cudn: KubeObject | undefined): string | undefined {
  const spec = cudn?.["spec"];
  const evpn = objectAt(objectAt(isObject(spec) ? spec : undefined, "network"), "evpn");
  return typeof evpn?.["vtep"] === "string" ? evpn["vtep"] : undefined;
}
