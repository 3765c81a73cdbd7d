// Pods by node, and whether they have ended.
import type { Informer } from "../../client/informer.ts";
import { objectAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { indexBy } from "./nested-map.ts";

/** The node that the pod is bound to; "" if none. */
export const nodeOf = (pod: KubeObject): string => textAt(specOf(pod), "nodeName");

/** Indexes the bound pods by node name. */
export const podsByNode = (pods: Informer) => indexBy(pods, (pod) => nodeOf(pod) || undefined);

/** A terminal phase: no container of the pod runs or will run. */
export const isEndPhase = (phase: string): boolean => phase === "Succeeded" || phase === "Failed";

export const hasEnded = (pod: KubeObject): boolean => isEndPhase(textAt(objectAt(pod, "status"), "phase"));
