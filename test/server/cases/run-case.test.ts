// How a case runs, and the report of a failed expectation.
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCase } from "../../../src/testing/cases/read-case.ts";
import { playCase } from "../../../src/testing/cases/run-case.ts";
import { CaseFailedError, runCase } from "../../../src/testing/start-egret.ts";

const MANIFESTS = join(import.meta.dirname, "../../e2e/manifests");

const NODE = `
    - apiVersion: v1
      kind: Node
      metadata:
        name: a
        labels: { k8s.ovn.org/egress-assignable: "" }
        annotations:
          k8s.ovn.org/node-primary-ifaddr: '{"ipv4":"192.168.126.12/24"}'
          k8s.ovn.org/host-cidrs: '["192.168.126.12/24"]'
      status:
        addresses: [{ type: InternalIP, address: 192.168.126.12 }, { type: InternalIP, address: "fd00:126::c" }]
        conditions: [{ type: Ready, status: "False" }]
    - apiVersion: k8s.ovn.org/v1
      kind: EgressIP
      metadata: { name: web }
      spec: { egressIPs: [192.168.126.101], namespaceSelector: {} }
`;

const play = (rest: string, state = `state:\n  objects:${NODE}`) =>
  playCase(parseCase(join(MANIFESTS, "x.yaml"), `${state}${rest}`));

test("what differs is told with the reasons, and thrown in a test", async () => {
  const error = await runCase(join(MANIFESTS, "case.yaml")).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CaseFailedError);
  const { message, report } = error as CaseFailedError;
  expect(message).toContain("found     192.168.126.101 on node-b");
  expect(message).toContain("because   EgressIP shop: each of its addresses has a node; node-a has no label");
  expect(report.facts.map(({ holds }) => holds)).toEqual([true, false, true, false]);
});

test("time passes until something is so, and a refused change is told unless it is expected", async () => {
  const { facts, problem } = await play(`steps:
  - name: made ready
    do:
      - patch: node/a
        with: { metadata: { annotations: { mark: "1" } } }
      - ready: node/a
      - until: object.status.items.size() == 1
        query: { kind: k8s.ovn.org/v1/EgressIP, name: web }
      - until: object.status.items.size() == 9
        query: { kind: k8s.ovn.org/v1/EgressIP, name: web }
        within: 2s
      - delete: node/none
    expect:
      - refused: 'nodes "none" not found'
      - refused: it was not so within
      - refused: nothing of that
      - cel: node.metadata.annotations.mark == "2"
        queries: { node: { kind: v1/Node, name: a } }
  - name: refused
    do:
      - patch: egressip/web
        with: { spec: { egressIPs: 7 } }
`);
  expect(problem).toBeUndefined();
  expect(facts.map(({ holds, fact }) => `${holds} ${fact}`)).toEqual([
    "true refused",
    "true refused",
    "false refused",
    'false node.metadata.annotations.mark == "2"',
    "false patch egressip/web",
  ]);
  expect(facts[2]?.differences[0]?.found).toContain('nodes "none" not found');
  expect(facts[3]?.differences[0]?.found).toContain('"mark":"1"');
  expect(facts[4]?.differences[0]?.found).toContain("must be of type array");
});

test("it always goes the same way", async () => {
  const rest = `expect:
  - cel: "false"
    query: { kind: v1/Node, name: a }
  - cel: object.metadata.uid == ""
    query: { kind: k8s.ovn.org/v1/EgressIP, name: web }
`;
  const [first, second] = [await play(rest), await play(rest)];
  expect(first).toEqual(second);
  expect(first.facts).toHaveLength(2);
});

test.each([
  ["state: {}\nserver: { clusterSubnets: none }\n", "--cluster-subnets: "],
  ["state: {}\nserver: { controllers: none }\n", '--controllers: "none" is not in the list'],
  ["state: { sources: [none.yaml] }\n", "none.yaml cannot be read"],
  [
    "state: { objects: [{ apiVersion: v1, kind: Shelf, metadata: { name: a } }] }\n",
    "the state cannot be laid: apply Shelf a: no kind Shelf of v1 is served",
  ],
  ["state: {}\nexpect: [{ explain: shelf/a }]\n", "expect[0]: shelf cannot be explained"],
  ["state: {}\nexpect: [{ trace: pod/a/b, to: 8.8.8.8 }]\n", 'expect[0]: pods "b" not found'],
  [
    "state: {}\nexpect: [{ cel: 'true', query: { kind: v1/Shelf } }]\n",
    "expect[0]: no kind Shelf of v1 is served",
  ],
])("what cannot be played says why: %s", async (state, told) => {
  const { passed, problem } = await play("", state);
  expect({ passed, problem }).toEqual({ passed: false, problem: expect.stringContaining(told) });
});

const LIVING = `
name: a machine is down
server: { cluster: true }
state:
  objects:
${["a", "b"]
  .map(
    (name, index) => `
    - apiVersion: v1
      kind: Node
      metadata:
        name: ${name}
        labels: { k8s.ovn.org/egress-assignable: "", kubernetes.io/hostname: ${name} }
        annotations:
          k8s.ovn.org/node-primary-ifaddr: '{"ipv4":"192.168.126.1${index}/24"}'
          k8s.ovn.org/host-cidrs: '["192.168.126.1${index}/24"]'
      status:
        addresses: [{ type: InternalIP, address: 192.168.126.1${index} }]
        conditions: [{ type: Ready, status: "True" }]
        allocatable: { cpu: "4", memory: 16Gi, pods: "110" }`,
  )
  .join("")}
    - apiVersion: apps/v1
      kind: Deployment
      metadata: { name: web, namespace: default }
      spec:
        replicas: 3
        selector: { matchLabels: { app: web } }
        template:
          metadata: { labels: { app: web } }
          spec: { containers: [{ name: web, image: web }] }
    - apiVersion: k8s.ovn.org/v1
      kind: EgressIP
      metadata: { name: web }
      spec: { egressIPs: [192.168.126.101], namespaceSelector: {} }
steps:
  - name: all is well
    expect:
      - cel: objects.all(pod, pod.status.phase == "Running") && objects.exists(pod, pod.spec.nodeName == "a")
        query: { kind: v1/Pod, namespace: default }
  - name: a fails
    do:
      - annotate: node/a
        annotations: { egret.dev/failed: "true" }
    rest: 7m
    expect:
      - explain: egressip/web
        addresses: { 192.168.126.101: b }
      - cel: objects.filter(pod, pod.spec.nodeName == "b" && pod.status.phase == "Running").size() == 3
        query: { kind: v1/Pod, namespace: default }
`;

test("a cluster that lives where the file asks for one", async () => {
  const { problem, facts } = await playCase(parseCase("living.yaml", LIVING));
  expect(problem).toBeUndefined();
  expect(facts.filter(({ holds }) => !holds)).toEqual([]);
  const still = await playCase(parseCase("living.yaml", LIVING.replace("cluster: true", "cluster: false")));
  expect(still.facts.map(({ holds }) => holds)).toContain(false);
});
