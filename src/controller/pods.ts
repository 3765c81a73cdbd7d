// Pods by node, and whether they have ended.

import { objectAt, textAt } from "../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../apimachinery/meta/object-meta.ts";
import type { Informer } from "./informer.ts";
import { indexBy } from "./nested-map.ts";

/** The node that the pod is bound to; "" if none. */
export const nodeOf = (pod: KubeObject): string => textAt(specOf(pod), "nodeName");

/** Indexes the bound pods by node name. */
export const podsByNode = (pods: Informer) => indexBy(pods, (pod) => nodeOf(pod) || undefined);

/** A terminal phase: no container of the pod runs or will run. */
export const isEndPhase = (phase: string): boolean => phase === "Succeeded" || phase === "Failed";

export const hasEnded = (pod: KubeObject): boolean => isEndPhase(textAt(objectAt(pod, "status"), "phase"));
