// Pods as those see them who deal with what runs on nodes: where they are, and which of them are over.
import type { Informer } from "../../client/informer.ts";
import { objectAt, textAt } from "../../meta/json.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { indexBy } from "./nested-map.ts";

/** The node on which a pod is; "": on none. */
export const nodeOf = (pod: KubeObject): string => textAt(specOf(pod), "nodeName");

/** Those that have a node, by its name. */
export const podsByNode = (pods: Informer) => indexBy(pods, (pod) => nodeOf(pod) || undefined);

/** Of a pod in this phase no container runs any more, nor will. */
export const isEndPhase = (phase: string): boolean => phase === "Succeeded" || phase === "Failed";

export const hasEnded = (pod: KubeObject): boolean => isEndPhase(textAt(objectAt(pod, "status"), "phase"));
