// The explanation of an EgressService matches the controller's decision: its host, or the reason why it has none.
import { expect } from "vitest";
import { objectAt, objectsAt, textAt, textsAt } from "../../../src/apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../../src/apimachinery/meta/object-meta.ts";
import { explainEgressService } from "../../../src/ovn/explain/egress-service.ts";
import { readNodes, type SeenNode } from "./cluster-view.ts";
import { isOlder } from "./egress-ip-rules.ts";
import { clusterOf } from "./explain-rules.ts";
import type { World } from "./world.ts";

const SERVICE_NAME = "kubernetes.io/service-name";
const POD_NETWORK = /^10\.12[89]\./;

/** Called when the controllers are idle. An older profile has no EgressServices. */
export async function checkServicesExplained(world: World): Promise<void> {
  if (isOlder(world)) return;
  const cluster = await clusterOf(world, ["nodes", "services", "endpointslices", "egressservices"]);
  const nodes = await readNodes(world);
  const [services, slices] = [await world.list("services"), await world.list("endpointslices")];
  for (const object of await world.list("egressservices")) {
    const { name = "" } = object.metadata;
    const { summary, reasons, sections } = explainEgressService(cluster, object);
    const host = textAt(objectAt(object, "status"), "host");
    const rows = sections.find(({ title }) => title === "Each node")?.rows ?? [];
    const hosts = rows.filter(([, , , answer]) => answer === "host").map(([node]) => node);
    expect(hosts, summary).toEqual(nodes.some((node) => node.name === host) ? [host] : []);
    if (host === "ALL") expect(summary).toMatch(/lets each endpoint leave by its own node$/);
    else if (host !== "") expect(summary).toContain(` has its host on ${host}: `);
    else {
      expect(summary).toContain(" has no host: ");
      expect(reasons.length, summary).toBeGreaterThan(0);
    }
    const service = services.find(({ metadata }) => metadata.name === name);
    const own = slices.filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === name);
    const asked = { nodes, object, service, slices: own };
    for (const { text } of reasons) {
      const judge = JUDGES.find(([said]) => said.test(text))?.[1];
      expect(judge?.(asked), `${name}: ${text}`).toBe(true);
    }
  }
}

interface Asked {
  readonly nodes: readonly SeenNode[];
  readonly object: KubeObject;
  readonly service: KubeObject | undefined;
  /** The EndpointSlices of the Service. */
  readonly slices: readonly KubeObject[];
}

/** Judges by the objects themselves, without the engine's own code. */
const JUDGES: readonly (readonly [RegExp, (asked: Asked) => boolean])[] = [
  [/^there is no Service/, ({ service }) => service === undefined],
  [
    /^its nodeSelector cannot be understood/,
    ({ object }) => JSON.stringify(specOf(object)).includes('"Near"'),
  ],
  [
    /^its Service has no ingress address$/,
    ({ service }) => objectsAt(objectAt(objectAt(service, "status"), "loadBalancer"), "ingress").length === 0,
  ],
  [/^its Service has no endpoint/, ({ slices }) => !hasPodEndpoint(slices)],
  [/^no node matches/, (asked) => hasPodEndpoint(asked.slices) && suitable(asked).length === 0],
  [
    /^no node that matches is Ready and answers$/,
    (asked) => suitable(asked).length > 0 && !suitable(asked).some(({ ready, answers }) => ready && answers),
  ],
];

const endpointsIn = (slices: readonly KubeObject[]) =>
  slices.flatMap((slice) => objectsAt(slice, "endpoints")).filter(({ nodeName }) => nodeName !== undefined);

const hasPodEndpoint = (slices: readonly KubeObject[]): boolean =>
  endpointsIn(slices).some((endpoint) =>
    textsAt(endpoint, "addresses").some((text) => POD_NETWORK.test(text)),
  );

/** Nodes that match the node selector; with externalTrafficPolicy Local, only those with an endpoint. */
function suitable({ nodes, object, service, slices }: Asked): SeenNode[] {
  const wanted = Object.entries(objectAt(objectAt(specOf(object), "nodeSelector"), "matchLabels") ?? {});
  const isLocal = service !== undefined && specOf(service)["externalTrafficPolicy"] === "Local";
  const hosts = endpointsIn(slices).map((endpoint) => endpoint["nodeName"]);
  return nodes
    .filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value))
    .filter(({ labels }) => !isLocal || hosts.includes(labels["kubernetes.io/hostname"]));
}
