import { expect, test } from "vitest";
import { Counters } from "../../../../../src/cluster/scheduler/counters.ts";
import { NodeInfo } from "../../../../../src/cluster/scheduler/node-info.ts";
import { type PodInfo, podInfo } from "../../../../../src/cluster/scheduler/pod-info.ts";

const ownedBy = (owner: string, name: string): PodInfo =>
  podInfo({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ name, namespace: "default", uid: name },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true },
      ],
    },
    spec: { containers: [] },
  });

test("to count the pods of a controller those of others are not looked at", () => {
  let looks = 0;
  const node = new NodeInfo("a");
  const counters = new Counters(new Map([["a", node]]), () => ({}));
  const put = (pod: PodInfo) => {
    const { owner } = pod;
    const look = (): string => {
      looks++;
      return owner;
    };
    Object.defineProperty(pod, "owner", { get: look });
    node.add(pod);
    counters.take(pod, node, 1);
    return pod;
  };
  const own = [1, 2, 3].map((number) => put(ownedBy("web", `web-${number}`)));
  for (let number = 0; number < 200; number++) put(ownedBy("other", `other-${number}`));
  looks = 0;
  expect(counters.ofOwner("web", "zone").byNode.get("a")).toBe(3);
  expect(looks).toBeLessThan(10);
  for (const pod of own.slice(1)) counters.take(pod, node, -1);
  expect(counters.ofOwner("web", "zone").total).toBe(1);
  counters.clear();
  expect(counters.ofOwner("web", "zone").byNode.get("a")).toBe(1);
});
