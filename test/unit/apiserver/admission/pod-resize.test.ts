import { afterEach, beforeEach, expect, test } from "vitest";
import { StatusError } from "../../../../src/apimachinery/meta/status.ts";
import { createPodResize } from "../../../../src/kube/admission/pod-resize.ts";
import { TestApi } from "../endpoints/support.ts";
import { asked, container } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  const allocatable = { cpu: "4", memory: "1Gi" };
  for (const [name, os] of [
    ["n", "linux"],
    ["w", "windows"],
  ]) {
    await api.post("/api/v1/nodes", {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { "kubernetes.io/os": os } },
      status: { allocatable },
    });
  }
});
afterEach(() => api[Symbol.asyncDispose]());

interface Resize {
  readonly nodeName?: string;
  readonly requests?: Record<string, string>;
  readonly generation?: number;
  readonly subresource?: string;
}

/** The answer to a refused resize; undefined: it is allowed. */
function refusal({ nodeName = "n", requests = {}, generation = 2, subresource = "resize" }: Resize) {
  const podOf = (generationNow: number) => ({
    metadata: { name: "p", generation: generationNow },
    spec: { ...(nodeName ? { nodeName } : {}), containers: [container("c", { requests })] },
  });
  const write = { namespace: "default", name: "p", subresource, operation: "UPDATE" } as const;
  try {
    createPodResize({ store: api.store }).validate(
      asked("pods", { ...write, object: podOf(generation), oldObject: podOf(1) }),
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, message, details } = error.status;
    return [code, message, ...(details?.causes ?? []).map(({ reason }) => reason)];
  }
}

test.each<[name: string, resize: Resize, told: unknown]>([
  ["fits", { requests: { cpu: "4", memory: "1Gi" } }, undefined],
  [
    "asks for more than the node has",
    { requests: { cpu: "5", memory: "2Gi" } },
    [
      403,
      'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 5000, allocatable: 4000; memory, requested: 2147483648, allocatable: 1073741824',
      "NodeCapacity",
    ],
  ],
  ["is on no node", { nodeName: "", requests: { cpu: "5" } }, undefined],
  ["is on a node that is gone", { nodeName: "m" }, [403, 'pods "p" is forbidden: node "m" not found']],
  [
    "is on a node of another system",
    { nodeName: "w" },
    [
      403,
      'pods "p" is forbidden: pod resize is only supported on linux nodes, node "w" is "windows"',
      "UnsupportedPlatform",
    ],
  ],
  ["changes nothing", { requests: { cpu: "5" }, generation: 1 }, undefined],
  ["is changed elsewhere", { requests: { cpu: "5" }, subresource: "" }, undefined],
])("a pod that %s", (_name, resize, told) => {
  expect(refusal(resize)).toEqual(told);
});
