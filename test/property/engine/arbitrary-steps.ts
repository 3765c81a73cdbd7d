// Random sequences of steps. Few names and addresses make collisions likely.
import fc from "fast-check";
import { changeService, createService, spoilService } from "./arbitrary-services.ts";
import { colour, node } from "./arbitrary-words.ts";
import { DISTURBANCES, merge, type Resource, type Step, type Story } from "./steps.ts";

const ASSIGNABLE = "k8s.ovn.org/egress-assignable";
const REACHABLE = "egret.dev/reachable";
const BROKEN = "broken";
/** The annotation of a node for which the cloud refuses every request. */
export const CLOUD_ERROR = "egret.dev/cloud-error";

const egressIp = fc.constantFrom("a", "b", "c", "d");
const address = fc.constantFrom(
  "10.0.0.5",
  "10.0.0.6",
  "10.0.0.7",
  "10.0.1.5",
  "10.9.0.5",
  "10.9.0.6",
  "fd00::5",
  "FD00:0::5",
  "8.8.8.8",
);
const addresses = fc.array(address, { maxLength: 4 });
const primary = fc.constantFrom("10.0.0.1/24", "10.0.0.2/24", "10.0.1.1/24");
const hosts = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      '["10.0.0.1/24"]',
      '["10.9.0.1/24"]',
      '["10.9.0.5/24","fd00::1/64"]',
      "[]",
      '["fd00::2/64"]',
    ),
  },
  { weight: 1, arbitrary: fc.constant(BROKEN) },
);
const limit = fc.constantFrom({}, { ipv4: 1 }, { ip: 2 }, { ipv4: 9, ipv6: 2 });

const annotate = (name: string, annotations: Record<string, string | null>): Step =>
  merge("nodes", name, { metadata: { annotations } });

const createNode = fc
  .record({ name: node, ipv4: primary, cidrs: hosts, colour, capacity: limit, label: fc.boolean() })
  .map(
    ({ name, ipv4, cidrs, colour: is, capacity, label }): Step => ({
      do: "create",
      resource: "nodes",
      object: {
        apiVersion: "v1",
        kind: "Node",
        metadata: {
          name,
          labels: { "kubernetes.io/hostname": name, colour: is, ...(label ? { [ASSIGNABLE]: "" } : {}) },
          annotations: {
            "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({ ipv4 }),
            "k8s.ovn.org/host-cidrs": cidrs,
            "cloud.network.openshift.io/egress-ipconfig": JSON.stringify([
              { interface: "eni-0", ifaddr: { ipv4: ipv4.replace(/\d+\/24$/, "0/24") }, capacity },
            ]),
          },
        },
        status: { conditions: [{ type: "Ready", status: "True" }] },
      },
    }),
  );

const changeNode = fc.oneof(
  node.map((name): Step => ({ do: "delete", resource: "nodes", name })),
  fc
    .tuple(node, fc.constantFrom(null, "", "x"))
    .map(([name, value]) => merge("nodes", name, { metadata: { labels: { [ASSIGNABLE]: value } } })),
  fc
    .tuple(node, fc.constantFrom("True", "False"))
    .map(([name, status]) =>
      merge("nodes", name, { status: { conditions: [{ type: "Ready", status }] } }, "status"),
    ),
  fc.tuple(node, hosts).map(([name, cidrs]) => annotate(name, { "k8s.ovn.org/host-cidrs": cidrs })),
  fc
    .tuple(node, fc.oneof(primary, fc.constant("")))
    .map(([name, ipv4]) => annotate(name, { "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({ ipv4 }) })),
  fc
    .tuple(node, fc.constantFrom("false", null))
    .map(([name, value]) => annotate(name, { [REACHABLE]: value })),
  fc
    .tuple(node, colour)
    .map(([name, value]) => merge("nodes", name, { metadata: { labels: { colour: value } } })),
);

const createEgressIp = fc.tuple(egressIp, addresses).map(
  ([name, egressIPs]): Step => ({
    do: "create",
    resource: "egressips",
    object: {
      apiVersion: "k8s.ovn.org/v1",
      kind: "EgressIP",
      metadata: { name },
      spec: { egressIPs, namespaceSelector: {} },
    },
  }),
);
const items = fc.array(fc.record({ egressIP: address, node: fc.oneof(node, fc.constant("nowhere")) }), {
  maxLength: 3,
});
const changeEgressIp = fc.oneof(
  egressIp.map((name): Step => ({ do: "delete", resource: "egressips", name })),
  fc.tuple(egressIp, addresses).map(([name, egressIPs]) => merge("egressips", name, { spec: { egressIPs } })),
  egressIp.map((name) => merge("egressips", name, { spec: { egressIPs: ["10.0.0.5/24"] } })),
);
const writeStatus = fc
  .tuple(egressIp, items)
  .map(([name, written]) => merge("egressips", name, { status: { items: written } }));

const disturb = fc.oneof(
  fc.constantFrom(...DISTURBANCES).map((what): Step => ({ do: what })),
  fc
    .constantFrom<Resource>("nodes", "egressips", "endpointslices", "egressservices", "cloudprivateipconfigs")
    .map((resource): Step => ({ do: "hold", resource })),
);

const one = (step: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> => step.map((item) => [item]);

interface Part {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Step[]>;
}

const COMMON: readonly Part[] = [
  { weight: 5, arbitrary: one(createNode) },
  { weight: 5, arbitrary: one(changeNode) },
  { weight: 4, arbitrary: one(createEgressIp) },
  { weight: 4, arbitrary: one(changeEgressIp) },
  { weight: 4, arbitrary: one(disturb) },
];

const sequence = (...parts: readonly Part[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(...parts), { minLength: 5, maxLength: 40, size: "max" }).map((found) => found.flat());

const deleteRequest = fc
  .constantFrom("10.0.0.5", "10.0.0.6", "10.0.1.5")
  .map((name): Step => ({ do: "delete", resource: "cloudprivateipconfigs", name }));
const troubleCloud = fc.oneof(
  fc
    .tuple(node, fc.constantFrom("1500", null))
    .map(([name, latency]) => annotate(name, { "egret.dev/cloud-latency-ms": latency })),
  fc
    .tuple(node, fc.constantFrom("no", null))
    .map(([name, error]) => annotate(name, { [CLOUD_ERROR]: error })),
);

const NEWEST = { profile: "ovn-kubernetes-2026" } as const;

/** Without a cloud provider there are EgressServices as well. */
const bareMetal: fc.Arbitrary<Story> = sequence(
  ...[...COMMON, { weight: 2, arbitrary: one(writeStatus) }],
  ...[
    { weight: 3, arbitrary: createService },
    { weight: 3, arbitrary: one(changeService) },
  ],
).map((steps) => ({ ...NEWEST, cloud: false, steps }));

/** On a cloud provider: the cloud alone writes the statuses. */
const onCloud = sequence(
  ...COMMON,
  { weight: 3, arbitrary: one(troubleCloud) },
  { weight: 1, arbitrary: one(deleteRequest) },
);

/** Without and with a cloud provider. */
const older: fc.Arbitrary<Story> = fc
  .oneof(
    sequence(...COMMON, { weight: 2, arbitrary: one(writeStatus) }).map((steps) => ({ cloud: false, steps })),
    onCloud.map((steps) => ({ cloud: true, steps })),
  )
  .map((story) => ({ ...story, profile: "openshift-4.13" }));

/** EgressServices alone, including some that can have no host. */
const services: fc.Arbitrary<Story> = sequence(
  { weight: 4, arbitrary: one(createNode) },
  { weight: 4, arbitrary: one(changeNode) },
  { weight: 3, arbitrary: one(disturb) },
  { weight: 5, arbitrary: createService },
  { weight: 4, arbitrary: one(changeService) },
  { weight: 3, arbitrary: one(spoilService) },
).map((steps) => ({ ...NEWEST, cloud: false, steps }));

export const STORIES = {
  bareMetal,
  onCloud: onCloud.map((steps): Story => ({ ...NEWEST, cloud: true, steps })),
  older,
  services,
};
