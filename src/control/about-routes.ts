// What runs here, for people and tools that have found a server and want to know which one.
import type { ControlRoute, ControlSchema } from "./control-route.ts";

export interface ServerStatus {
  readonly url: string;
  readonly pid: number;
  /** Of Egret: "0.1.0". */
  readonly version: string;
  /** Of the kube-apiserver that it is like: "v1.36.3". */
  readonly kubernetesVersion: string;
  readonly profile: string;
  /** The folder of the store, whole; "" while all is kept in memory. */
  readonly dataDir: string;
  /** "" when none was written. */
  readonly kubeconfig: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Those that work. */
  readonly controllers: readonly string[];
  readonly objects: number;
  readonly revision: number;
}

const text = { type: "string" };
const count = { type: "integer" };

const STATUS: ControlSchema = {
  type: "object",
  properties: {
    url: text,
    pid: count,
    version: { ...text, description: "Of Egret." },
    kubernetesVersion: { ...text, description: "Of the kube-apiserver that it is like." },
    profile: text,
    dataDir: { ...text, description: "The folder of the store; empty while all is kept in memory." },
    kubeconfig: { ...text, description: "The file that was written; empty when none was." },
    startedAt: text,
    controllers: { type: "array", items: text },
    objects: count,
    revision: count,
  },
};

export const aboutRoutes = (status: () => ServerStatus): ControlRoute[] => [
  {
    method: "GET",
    path: "/status",
    operationId: "getStatus",
    summary: "Which server this is: address, process, folder, versions, profile, and how much is in it.",
    answer: { description: "What runs here.", schema: STATUS },
    handle: () => ({ json: status() }),
  },
];
