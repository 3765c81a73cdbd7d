// The controller of ClusterNetworkConnects: says in the condition Accepted whether the chosen networks can be connected.

import type { Informer } from "../../client/informer.ts";
import { equalJson } from "../../meta/json.ts";
import { keysIn, NADS, NAMESPACES, ovn } from "../kit/api.ts";
import { defineController } from "../kit/define-controller.ts";
import type { Kit } from "../kit/definition.ts";
import { isNewest } from "../kit/settings.ts";
import { applyConditions } from "../networks/apply-status.ts";
import { readClusterNetworks } from "../networks/cluster-networks.ts";
import { fitting } from "../networks/conditions.ts";
import { connectFailure } from "./connect-failure.ts";

const CONNECTS = ovn("clusternetworkconnects");

const all = (_: unknown, { connects }: { readonly connects: Informer }) => keysIn(connects);

export const clusterNetworkConnect = defineController({
  name: "clusternetworkconnect",
  summary: "whether networks can be connected",
  fieldManager: "clustermanager-networkconnect-controller",
  isWanted: isNewest,
  workers: 1,
  memory: ({ settings }: Kit) => ({ cluster: readClusterNetworks(settings) }),
  watches: {
    namespaces: {
      resource: NAMESPACES,
      on: ["update"],
      facts: ({ metadata }) => metadata.labels,
      toKeys: all,
    },
    nads: { resource: NADS, toKeys: all },
    connects: {
      resource: CONNECTS,
      toKeys: ({ object, old }, { connects }) =>
        old && equalJson(old["spec"], object["spec"]) ? [object.metadata.name] : keysIn(connects),
    },
  },
  prepare: ({ connects }) => keysIn(connects),
  async reconcile(name, { connects, nads, namespaces, client, clock, memory }) {
    const connect = connects.get(name);
    if (!connect) return;
    const sources = { nads, namespaces };
    const error = connectFailure(connect, {
      sources,
      cluster: memory.cluster,
      connects: connects.list(),
    });
    const condition = error
      ? ({ status: "False", reason: "ResourceAllocationFailed", message: fitting(error.message) } as const)
      : ({
          status: "True",
          reason: "ResourceAllocationSucceeded",
          message: "All validation checks passed successfully",
        } as const);
    const target = { client, resource: CONNECTS, object: connect, nowMs: clock.now() };
    await applyConditions(target, [{ type: "Accepted", ...condition }], { force: true });
  },
});
