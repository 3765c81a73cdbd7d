// The cloud itself, as far as there is one: it does what it is asked, after a while and unless it is told to refuse.
// Annotations on a Node or a CloudPrivateIPConfig say so for requests about them; the members here say so for all.
import type { KubeObject } from "../../meta/object-meta.ts";

/** Ours: how many milliseconds the cloud takes. */
const LATENCY = "egret.dev/cloud-latency-ms";
/** Ours: the error with which the cloud refuses. */
const ERROR = "egret.dev/cloud-error";

export interface CloudRequest {
  readonly verb: "assign" | "release" | "move";
  readonly address: string;
  /** Where the address is to be, or to go away. */
  readonly node: string;
}

export class EmulatedCloud {
  latencyMs = 0;
  /** Answers the error with which a request is refused. */
  refuse: (request: CloudRequest) => string | undefined = () => undefined;

  latencyOf(concerned: readonly (KubeObject | undefined)[]): number {
    const given = concerned.map((object) => Number(object?.metadata.annotations?.[LATENCY] ?? Number.NaN));
    return given.find((ms) => Number.isFinite(ms) && ms >= 0) ?? this.latencyMs;
  }

  errorOf(request: CloudRequest, concerned: readonly (KubeObject | undefined)[]): string | undefined {
    const given = concerned.map((object) => object?.metadata.annotations?.[ERROR]);
    return given.find((text) => text !== undefined) ?? this.refuse(request);
  }
}

/** True if what the cloud is told about the object has changed. */
export const isToldOtherwise = (before: KubeObject, now: KubeObject): boolean =>
  [LATENCY, ERROR].some((key) => before.metadata.annotations?.[key] !== now.metadata.annotations?.[key]);
