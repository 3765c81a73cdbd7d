// Annotations of Nodes which recordEvent how a simulated node behaves, and what part of the pod networks it has.

import type { KubeObject } from "../apimachinery/meta/object-meta.ts";

/** Annotation of this project: "false" makes reachability probes of the node fail. */
export const REACHABLE = "egret.dev/reachable";

/** Annotation of this project: any value but "" and "false" simulates a failed machine. */
export const FAILED = "egret.dev/failed";

export const hasFailed = ({ metadata }: KubeObject): boolean => {
  const said = metadata.annotations?.[FAILED] ?? "";
  return said !== "" && said !== "false";
};

/** Reports whether a reachability probe of the node would succeed now. */
export const answers = (node: KubeObject): boolean =>
  node.metadata.annotations?.[REACHABLE] !== "false" && !hasFailed(node);

export const NODE_SUBNETS_ANNOTATION = "k8s.ovn.org/node-subnets";
