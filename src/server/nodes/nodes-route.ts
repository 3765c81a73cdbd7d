// The route `POST /egret/v1/nodes`, which creates nodes.

import { type Clock, formatTime } from "../../apimachinery/meta/clock.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { badRequest } from "../../apimachinery/meta/status.ts";
import type { ControlRoute } from "../../features/control-surface/control-route.ts";
import { nodesRoute, type WantedNodes } from "../../features/control-surface/nodes.ts";
import { StartError, UsageError } from "../errors.ts";
import { NETWORK, networksIn, newNodes } from "./new-nodes.ts";

export const nodesRouteBy = (clock: Clock): ControlRoute =>
  nodesRoute({
    newNodes: (wanted, present) => {
      try {
        return made(wanted, present, clock);
      } catch (error) {
        if (error instanceof UsageError || error instanceof StartError)
          throw badRequest(error.message.replace(/^--/, ""));
        throw error;
      }
    },
  });

function made(wanted: WantedNodes, present: readonly KubeObject[], clock: Clock): readonly KubeObject[] {
  const { count, name, zones = [], networks = [NETWORK], assignable = 0 } = wanted;
  const shared = {
    region: undefined,
    platform: "none",
    instanceType: undefined,
    labels: {},
    capacity: {},
  } as const;
  return newNodes(
    { count, name, zones, assignable, shared, networks: networksIn(networks), now: formatTime(clock.now()) },
    present,
  );
}
