// Subresources that change one part of a running pod.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../../src/apimachinery/json/json.ts";
import {
  type Answer,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  TestApi,
} from "../../../../apiserver/endpoints/support.ts";

const PODS = "/api/v1/namespaces/default/pods";
const LIMITED = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m", memory: "1Gi" } };

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "i:1", resources: LIMITED }] },
  });
});
afterEach(() => api[Symbol.asyncDispose]());

const change = (subresource: string, spec: JsonObject, metadata: JsonObject = {}): Promise<Answer> =>
  api.patch(STRATEGIC_PATCH, `${PODS}/p/${subresource}`, { metadata, spec });
const why = ({ status, body }: Answer): string => `${status} ${String(body["message"])}`;
const specOf = ({ body }: Answer) => body["spec"] as JsonObject; // a pod has it

describe("ephemeralcontainers", () => {
  const add = (more: JsonObject = {}) =>
    change("ephemeralcontainers", { ephemeralContainers: [{ name: "d", image: "busybox:1", ...more }] });

  it("adds a container with its defaults, and nothing else", async () => {
    const answer = await change(
      "ephemeralcontainers",
      { ephemeralContainers: [{ name: "d", image: "busybox:1" }], containers: [{ name: "c", image: "i:2" }] },
      { labels: { a: "b" } },
    );
    expect(specOf(answer)).toMatchObject({
      containers: [{ name: "c", image: "i:1" }],
      ephemeralContainers: [{ name: "d", imagePullPolicy: "IfNotPresent", terminationMessagePolicy: "File" }],
    });
    expect(answer.body["metadata"]).toMatchObject({ generation: 2 });
    expect(answer.body["metadata"]).not.toHaveProperty("labels");
  });

  it("never changes one or takes it away", async () => {
    await add();
    const changed = why(await add({ image: "busybox:2" }));
    expect(changed).toContain('existing ephemeral containers "d" may not be changed\n');
    expect(changed).toContain('\n- "Image": "busybox:1",\n+ "Image": "busybox:2",\n');
    const none = await api.patch(MERGE_PATCH, `${PODS}/p/ephemeralcontainers`, {
      spec: { ephemeralContainers: null },
    });
    expect(why(none)).toContain('existing ephemeral containers "d" may not be removed');
  });

  it.each<[string, JsonObject, string]>([
    ["a name of another container", { name: "c" }, 'spec.ephemeralContainers[0].name: Duplicate value: "c"'],
    [
      "a target that is not there",
      { targetContainerName: "x" },
      'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
    ],
    [
      "ports",
      { ports: [{ containerPort: 80 }] },
      "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
    ],
  ])("refuses %s", async (_name, more, text) => {
    expect(why(await add(more))).toContain(text);
  });

  it("is the only way for them", async () => {
    const spec = { ephemeralContainers: [{ name: "d", image: "i" }] };
    const early = { apiVersion: "v1", kind: "Pod", metadata: { name: "q" } };
    const answer = await api.post(PODS, {
      ...early,
      spec: { ...spec, containers: [{ name: "c", image: "i" }] },
    });
    expect(why(answer)).toContain("spec.ephemeralContainers: Forbidden: cannot be set on create");
    expect((await api.patch(STRATEGIC_PATCH, `${PODS}/p`, { spec })).status).toBe(422);
  });
});

describe("resize", () => {
  const resize = (resources: JsonObject) =>
    change("resize", { containers: [{ name: "c", image: "i:2", resources }] });

  it("takes over resources, and nothing else", async () => {
    const answer = await resize({ requests: { cpu: "700m" } });
    expect(specOf(answer)).toMatchObject({
      containers: [{ name: "c", image: "i:1", resources: { requests: { cpu: "700m", memory: "1Gi" } } }],
    });
    expect(answer.body["metadata"]).toMatchObject({ generation: 2 });
  });

  it.each<[string, JsonObject, string]>([
    [
      "another quality of service",
      { requests: { cpu: "1" } },
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ],
    ["a limit that goes", { limits: { cpu: null } }, "spec.containers[0].resources.limits: Forbidden"],
    [
      "other resources",
      { limits: { "ephemeral-storage": "1Gi" } },
      "spec: Forbidden: only cpu and memory resources are mutable",
    ],
  ])("refuses %s", async (_name, resources, text) => {
    expect(why(await resize(resources))).toContain(text);
  });

  it("takes over what the pod has as a whole", async () => {
    const answer = await change("resize", { resources: { limits: { memory: "2Gi" } } });
    expect(specOf(answer)["resources"]).toMatchObject({ limits: { memory: "2Gi" } });
  });

  it.each<[string, JsonObject, string]>([
    [
      "a container more",
      { containers: [{ name: "d", image: "i" }] },
      "spec.containers: Forbidden: containers may not be added or removed on resize",
    ],
    [
      "a container of another name",
      {
        containers: [
          { name: "c", $patch: "delete" },
          { name: "d", image: "i" },
        ],
      },
      "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize",
    ],
    [
      "another policy",
      {
        containers: [
          { name: "c", resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] },
        ],
      },
      "spec: Forbidden: only cpu and memory resources are mutable",
    ],
    [
      "other resources of the whole pod",
      { resources: { limits: { "hugepages-2Mi": "2Mi", memory: "2Gi" } } },
      "spec: Forbidden: only cpu and memory resources are mutable at pod-level",
    ],
  ])("refuses %s", async (_name, spec, text) => {
    expect(why(await change("resize", spec))).toContain(text);
  });

  it.each<[string, JsonObject, string]>([
    ["of Windows", { os: { name: "windows" } }, "[]: Forbidden: windows pods cannot be resized"],
    [
      "with containers that only begin",
      { initContainers: [{ name: "b", image: "i" }] },
      "spec: Forbidden: resources for non-sidecar init containers are immutable",
    ],
    [
      "with helpers that use devices",
      {
        initContainers: [
          {
            name: "b",
            image: "i",
            restartPolicy: "Always",
            resources: { limits: { "a.b/c": "1", memory: "1Gi" } },
          },
        ],
      },
      "spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable",
    ],
  ])("refuses pods %s", async (_name, spec, text) => {
    await api.post(PODS, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "q" },
      spec: { containers: [{ name: "c", image: "i" }], ...spec },
    });
    const answer = await api.patch(STRATEGIC_PATCH, `${PODS}/q/resize`, {
      spec: { initContainers: [{ name: "b", resources: { limits: { "a.b/c": "2", memory: "1Gi" } } }] },
    });
    expect(why(answer)).toContain(text);
  });
});
