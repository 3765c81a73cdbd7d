// Allocation of addresses and node ports through the API, because all Services share the ranges.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type JsonObject, objectAt } from "../../../../../src/apimachinery/json/json.ts";
import { createMemoryEngine } from "../../../../../src/storage/engine.ts";
import { type Answer, MERGE_PATCH, TestApi } from "../../../apiserver/endpoints/support.ts";

const SERVICES = "/api/v1/namespaces/default/services";
const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";
const CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";
const PORTS = [{ port: 80 }];
const BALANCED = { type: "LoadBalancer", externalTrafficPolicy: "Local", ports: PORTS };

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const create = (name: string, spec: JsonObject, query = ""): Promise<Answer> =>
  api.post(`${SERVICES}${query}`, { apiVersion: "v1", kind: "Service", metadata: { name }, spec });
const change = (name: string, spec: JsonObject): Promise<Answer> =>
  api.patch(MERGE_PATCH, `${SERVICES}/${name}`, { spec });
const specOf = ({ body }: Answer): JsonObject => objectAt(body, "spec") ?? {};
const ipsOf = (answer: Answer) => specOf(answer)["clusterIPs"] as string[]; // as a Service has them
const nodePortsOf = (answer: Answer) =>
  (specOf(answer)["ports"] as JsonObject[]).map(({ nodePort }) => nodePort); // likewise
const why = ({ status, body }: Answer): string => `${status} ${String(body["message"])}`;
const addresses = async (): Promise<string[]> =>
  ((await api.get(ADDRESSES)).body["items"] as { metadata: { name: string } }[]) // a list of objects
    .map(({ metadata }) => metadata.name);

describe("cluster IPs", () => {
  it("are taken from the range, behind the part for those who choose, each only once", async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create(`s${index}`, { ports: PORTS })),
    );
    const ips = made.map((answer) => ipsOf(answer)[0]);
    expect(new Set(ips).size).toBe(20);
    for (const ip of ips) expect(ip).toMatch(/^10\.96\.(?!0\.)\d+\.\d+$/);
    expect((await addresses()).sort()).toEqual([...ips].sort());
  });

  it("of which one is wanted by many go to one", async () => {
    const made = await Promise.all(
      ["a", "b", "c"].map((name) => create(name, { clusterIP: "10.96.7.7", ports: PORTS })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
    expect(made.map(why).find((text) => text.startsWith("422"))).toContain(
      'spec.clusterIPs: Invalid value: ["10.96.7.7"]: failed to allocate IP 10.96.7.7: provided IP is already allocated',
    );
    expect(await addresses()).toEqual(["10.96.7.7"]);
  });

  it.each([
    ["10.96.0.0", "the address of the network"],
    ["10.96.255.255", "the address of everybody"],
    ["192.168.7.7", "one from elsewhere"],
  ])("cannot be %s, %s", async (clusterIP) => {
    expect(why(await create("s", { clusterIP, ports: PORTS }))).toContain(
      `failed to allocate IP ${clusterIP}: the provided network does not match the current range`,
    );
  });

  it("are objects that name their Service, and go with it", async () => {
    await create("s", { clusterIP: "10.96.7.7", ports: PORTS });
    const { body } = await api.get(`${ADDRESSES}/10.96.7.7`);
    expect(body).toMatchObject({
      metadata: {
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
        managedFields: [{ manager: "kube-apiserver" }],
      },
      spec: { parentRef: { resource: "services", namespace: "default", name: "s" } },
    });
    const before = api.store.revision;
    await api.send("DELETE", `${SERVICES}/s`);
    expect(api.store.revision).toBe(before + 1);
    expect(await addresses()).toEqual([]);
    expect((await create("t", { clusterIP: "10.96.7.7", ports: PORTS })).status).toBe(201);
  });

  it("are not taken by a Service that is refused, nor by a dry run", async () => {
    expect((await create("s", { clusterIP: "10.96.7.7" })).status).toBe(422);
    const dry = await create("s", { ports: PORTS }, "?dryRun=All");
    expect(ipsOf(dry)).toEqual(["10.96.0.0"]);
    expect((await create("s", { clusterIP: "10.96.7.7", ports: PORTS }, "?dryRun=All")).status).toBe(201);
    expect(why(await create("s", { clusterIP: "1.1.1.1", ports: PORTS }, "?dryRun=All"))).toContain(
      "the provided IP (1.1.1.1) is not in the valid range. The range of valid IPs is 10.96.0.0/16",
    );
    expect(await addresses()).toEqual([]);
  });

  it("can come from the range of a ServiceCIDR, too", async () => {
    const made = await api.post(CIDRS, {
      apiVersion: "networking.k8s.io/v1",
      kind: "ServiceCIDR",
      metadata: { name: "more" },
      spec: { cidrs: ["10.97.0.0/24"] },
    });
    expect(made.status).toBe(201);
    expect(ipsOf(await create("s", { clusterIP: "10.97.0.9", ports: PORTS }))).toEqual(["10.97.0.9"]);
  });

  it("stay taken when the server starts again", async () => {
    const engine = createMemoryEngine();
    engine.close = async () => {};
    const first = await TestApi.open({ engine });
    const body = { apiVersion: "v1", kind: "Service", metadata: { name: "s" } };
    await first.post(SERVICES, {
      ...body,
      spec: { type: "NodePort", clusterIP: "10.96.7.7", ports: [{ port: 80, nodePort: 30123 }] },
    });
    await first[Symbol.asyncDispose]();
    await using second = await TestApi.open({ engine });
    const again = { ...body, metadata: { name: "t" } };
    const answer = await second.post(SERVICES, { ...again, spec: { clusterIP: "10.96.7.7", ports: PORTS } });
    expect(why(answer)).toContain("provided IP is already allocated");
    const port = await second.post(SERVICES, {
      ...again,
      spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30123 }] },
    });
    expect(why(port)).toContain("provided port is already allocated");
  });
});

describe("families", () => {
  const FAMILIES = { ipFamilies: ["IPv4", "IPv6"] };

  it("are both there when both are wanted, one of each", async () => {
    const answer = await create("s", { ipFamilyPolicy: "PreferDualStack", ports: PORTS });
    expect(specOf(answer)).toMatchObject(FAMILIES);
    expect(ipsOf(answer)).toEqual([
      expect.stringMatching(/^10\.96\./),
      expect.stringMatching(/^fd00:10:96::/),
    ]);
    expect((await addresses()).sort()).toEqual([...ipsOf(answer)].sort());
  });

  it("can be gained and lost; the second address comes and goes", async () => {
    await create("s", { clusterIP: "10.96.7.7", ports: PORTS });
    const both = await change("s", { ipFamilyPolicy: "RequireDualStack" });
    expect(specOf(both)).toMatchObject(FAMILIES);
    expect(await addresses()).toHaveLength(2);
    const one = await change("s", { ipFamilyPolicy: "SingleStack" });
    expect(specOf(one)).toMatchObject({ clusterIPs: ["10.96.7.7"], ipFamilies: ["IPv4"] });
    expect(await addresses()).toEqual(["10.96.7.7"]);
  });

  it("follow the addresses that are given", async () => {
    const answer = await create("s", { clusterIP: "fd00:10:96::9", ports: PORTS });
    expect(specOf(answer)).toMatchObject({ ipFamilies: ["IPv6"], ipFamilyPolicy: "SingleStack" });
  });

  it.each<[string, JsonObject, string]>([
    [
      "two addresses for one family",
      { clusterIP: "10.96.7.7", clusterIPs: ["10.96.7.7", "fd00:10:96::7"] },
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
    ],
    [
      "addresses of the same family",
      { clusterIP: "10.96.7.7", clusterIPs: ["10.96.7.7", "10.96.7.8"], ipFamilyPolicy: "RequireDualStack" },
      "may specify no more than one IP for each IP family",
    ],
    [
      "an address of another family",
      { clusterIP: "10.96.7.7", ipFamilies: ["IPv6"] },
      'spec.clusterIPs[0]: Invalid value: "10.96.7.7": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
  ])("are refused: %s", async (_name, spec, text) => {
    expect(why(await create("s", { ports: PORTS, ...spec }))).toContain(text);
  });

  it("cannot be dropped under another policy, nor can the first one change", async () => {
    const made = await create("s", { ipFamilyPolicy: "RequireDualStack", ports: PORTS });
    expect(why(await change("s", { ipFamilies: ["IPv4"] }))).toContain(
      "must be 'SingleStack' to release the secondary IP family",
    );
    expect(why(await change("s", { clusterIPs: [ipsOf(made)[0]] }))).toContain(
      "must be 'SingleStack' to release the secondary cluster IP",
    );
    expect((await change("s", { ipFamilies: ["IPv6", "IPv4"] })).status).toBe(422);
  });
});

describe("a change of type", () => {
  it("to a name gives everything back, and from a name takes it", async () => {
    await create("s", { type: "NodePort", clusterIP: "10.96.7.7", ports: [{ port: 80, nodePort: 30080 }] });
    const named = await change("s", { type: "ExternalName", externalName: "x.example.com" });
    expect(specOf(named)).toEqual({
      type: "ExternalName",
      externalName: "x.example.com",
      sessionAffinity: "None",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
    });
    expect(await addresses()).toEqual([]);
    expect((await create("t", { type: "NodePort", ports: [{ port: 80, nodePort: 30080 }] })).status).toBe(
      201,
    );
    expect(ipsOf(await change("s", { type: "ClusterIP", externalName: null }))).toHaveLength(1);
  });

  it("keeps what a headless Service never had", async () => {
    await create("s", { clusterIP: "None", selector: { a: "b" }, ports: PORTS });
    expect(await addresses()).toEqual([]);
    expect((await api.send("DELETE", `${SERVICES}/s`)).status).toBe(200);
  });
});

describe("node ports", () => {
  it("are taken behind the part for those who choose; TCP and UDP of one number share one", async () => {
    const answer = await create("s", {
      type: "NodePort",
      ports: [
        { name: "t", port: 53 },
        { name: "u", port: 53, protocol: "UDP" },
        { name: "w", port: 80 },
      ],
    });
    const [tcp, udp, web] = nodePortsOf(answer);
    expect(tcp).toBe(udp);
    expect(web).not.toBe(tcp);
    for (const port of [tcp, web]) expect(port).toBeGreaterThanOrEqual(30086);
  });

  it("keep to their name when ports are replaced, and are free when they are dropped", async () => {
    await create("s", { type: "NodePort", ports: [{ name: "a", port: 80, nodePort: 30080 }] });
    const more = await change("s", {
      ports: [
        { name: "a", port: 81 },
        { name: "b", port: 82, nodePort: 30082 },
      ],
    });
    expect(nodePortsOf(more)).toEqual([30080, 30082]);
    expect(nodePortsOf(await change("s", { ports: [{ name: "b", port: 82 }] }))).toEqual([30082]);
    expect((await create("t", { type: "NodePort", ports: [{ port: 80, nodePort: 30080 }] })).status).toBe(
      201,
    );
  });

  it("are refused outside the range and when they are taken", async () => {
    expect(why(await create("s", { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] }))).toContain(
      "provided port is not in the valid range. The range of valid ports is 30000-32767",
    );
    await create("s", { type: "NodePort", ports: [{ port: 80, nodePort: 30080 }] });
    await create("t", { type: "NodePort", ports: PORTS });
    expect(why(await change("t", { ports: [{ port: 80, nodePort: 30080 }] }))).toContain(
      "spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated",
    );
  });

  it("of a dry run are made up", async () => {
    const ports = [
      { name: "a", port: 80 },
      { name: "b", port: 81 },
    ];
    expect(nodePortsOf(await create("s", { type: "NodePort", ports }, "?dryRun=All"))).toEqual([
      32769, 32770,
    ]);
  });

  it("can be left out by a balancer; those that it has stay until they are taken out", async () => {
    const without = { type: "LoadBalancer", allocateLoadBalancerNodePorts: false };
    expect(nodePortsOf(await create("s", { ...without, ports: PORTS }))).toEqual([undefined]);
    const ports = [{ port: 80, nodePort: 30080 }];
    await create("t", { type: "LoadBalancer", ports });
    expect(nodePortsOf(await change("t", { allocateLoadBalancerNodePorts: false }))).toEqual([30080]);
    expect(nodePortsOf(await change("t", { ports: PORTS }))).toEqual([undefined]);
    expect((await create("u", { type: "NodePort", ports })).status).toBe(201);
    expect(nodePortsOf(await change("u", without))).toEqual([30080]);
    const inward = await change("u", { type: "ClusterIP" });
    expect(specOf(inward)["ports"]).toEqual([{ port: 80, protocol: "TCP", targetPort: 80 }]);
    expect((await create("v", { type: "NodePort", ports })).status).toBe(201);
  });

  it("go with the type, also when some of the ports go as well", async () => {
    const first = { name: "a", port: 80, nodePort: 30111 };
    await create("s", { type: "NodePort", ports: [first, { name: "b", port: 81, nodePort: 30112 }] });
    const other = await change("s", { type: "ClusterIP", ports: [{ ...first, nodePort: 30113 }] });
    expect(why(other)).toContain(
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    );
    const answer = await change("s", { type: "ClusterIP", ports: [first] });
    expect(answer.status).toBe(200);
    expect(nodePortsOf(answer)).toEqual([undefined]);
    expect((await create("t", { type: "NodePort", ports: [{ port: 80, nodePort: 30112 }] })).status).toBe(
      201,
    );
  });

  it("for health checks come and go with the policy that needs them", async () => {
    const made = await create("s", { ...BALANCED, healthCheckNodePort: 30099 });
    expect(specOf(made)["healthCheckNodePort"]).toBe(30099);
    expect(why(await create("t", { ...BALANCED, healthCheckNodePort: 30099 }))).toBe(
      "500 Internal error occurred: failed to allocate requested HealthCheck NodePort 30099: provided port is already allocated",
    );
    expect(specOf(await change("s", { externalTrafficPolicy: "Cluster" }))).not.toHaveProperty(
      "healthCheckNodePort",
    );
    expect((await create("t", { ...BALANCED, healthCheckNodePort: 30099 })).status).toBe(201);
    expect(
      specOf(await change("s", { externalTrafficPolicy: "Local" }))["healthCheckNodePort"],
    ).toBeGreaterThan(30000);
  });
});
