// Many pods and destinations at once, and ranges as destinations.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { runSync } from "../../../../src/apimachinery/scheduling/coroutine.ts";
import { asText } from "../../../../src/ovn/tell.ts";
import { asCsv, blocksOfMany, blocksOfMatrix, matrixOf } from "../../../../src/ovn/tell-many.ts";
import { type ManyRequest, type ManyTraces, traceMany } from "../../../../src/ovn/trace/many.ts";
import { clusterOf, DENY_ALL, egressIp, firewall, namespace, node, object, pod, world } from "../world.ts";
import { advertised } from "./example.ts";

const many = (objects: readonly KubeObject[], request: Partial<ManyRequest> = {}): ManyTraces =>
  runSync(
    traceMany(clusterOf(world(...objects)), {
      from: ["ns/ns"],
      to: [],
      protocol: "tcp",
      by: "pod",
      ...request,
    }),
  );
const q = pod({ name: "q", node: "n2", ips: ["10.128.2.3"] });
const eip = egressIp("eip", ["192.168.126.101@n1"]);
/** Each row: the pod, and for each way the ranges with what happens. */
const told = ({ ways, rows }: ManyTraces) =>
  rows.map((row) => [
    row.pod ?? row.namespace,
    ...row.ways.flat().flatMap((way) =>
      (ways[way]?.parts ?? []).map(({ ranges = [], outcomes }) => {
        const ends = outcomes.map(
          ({ verdict, source, keepsAddress, by }) =>
            `${verdict}${source ? ` ${source}` : ""}${keepsAddress ? " own" : ""}${by[0] ? ` ${by[0].kind}` : ""}`,
        );
        return `${ranges.join(",")}: ${ends.join(" or ")}`;
      }),
    ),
  ]);

describe("pods", () => {
  test("that leave in the same way share it", () => {
    const found = many([eip, q]);
    expect(found.ways).toHaveLength(1);
    expect(told(found)).toEqual([
      ["p", "0.0.0.0/0: allowed 192.168.126.101 EgressIP"],
      ["q", "0.0.0.0/0: allowed 192.168.126.101 EgressIP"],
    ]);
  });

  test("leave by their nodes where nothing else applies, and with their own address where that is advertised", () => {
    expect(told(many([q]))).toEqual([
      ["p", "0.0.0.0/0: allowed 192.168.126.12"],
      ["q", "0.0.0.0/0: allowed 192.168.126.51"],
    ]);
    expect(told(many([advertised, pod({ name: "r", ips: ["10.128.1.9"] })]))).toEqual([
      ["p", "0.0.0.0/0: allowed own"],
      ["r", "0.0.0.0/0: allowed own"],
    ]);
  });

  test("are those of namespaces, those that are named, or all; none that have finished", () => {
    const objects = [
      namespace("other"),
      pod({ name: "o", namespace: "other", ips: ["10.128.1.7"] }),
      pod({ name: "done", phase: "Succeeded" }),
      q,
    ];
    const names = (from: string[]) =>
      many(objects, { from }).rows.map((row) => `${row.namespace}/${row.pod}`);
    expect(names(["ns/ns"])).toEqual(["ns/p", "ns/q"]);
    expect(names(["pod/ns/q", "ns/other", "pod/ns/q"])).toEqual(["ns/q", "other/o"]);
    expect(names([])).toEqual(["ns/p", "ns/q", "other/o"]);
    expect(() => names(["ns/none"])).toThrow('namespaces "none" not found');
    expect(() => names(["pod/ns/none"])).toThrow('pods "none" not found in namespace ns');
    expect(() => names(["node/n1"])).toThrow("node/n1 sends nothing");
  });

  test("of a namespace are one row with all ways that are taken", () => {
    const found = many([q], { by: "namespace" });
    expect(found.rows).toEqual([{ namespace: "ns", pods: 2, ways: [[0, 1]] }]);
  });

  test("that were denied on different nodes were denied in one way", () => {
    expect(many([q, firewall(DENY_ALL)]).ways).toHaveLength(1);
  });

  test("with IPv6 have a destination more, unless some are given", () => {
    const six = [node("n1", ["192.168.126.12/24", "fc00::12/64"]), pod({ ips: ["10.128.1.3", "fd01::3"] })];
    expect(many(six).to).toEqual(["0.0.0.0/0", "::/0"]);
    expect(told(many(six, { to: ["2001:4860::/32"] }))).toEqual([["p", "2001:4860::/32: allowed fc00::12"]]);
  });

  test("that are too many at once are refused", () => {
    const to = Array.from({ length: 1_000 }, (_, at) => `8.8.${at % 250}.${Math.floor(at / 250)}`);
    const pods = Array.from({ length: 201 }, (_, at) => pod({ name: `p${at}` }));
    expect(() => many(pods, { to })).toThrow("202 pods and 1000 destinations are too many at once");
  });
});

describe("a range", () => {
  const policy = (egress: unknown[]) =>
    object(
      "NetworkPolicy",
      { name: "np", namespace: "ns" },
      { spec: { podSelector: {}, policyTypes: ["Egress"], egress } },
    );

  test("is cut where rules end; what is decided in the same way is one part", () => {
    const allow = (cidrSelector: string) => ({ type: "Allow", to: { cidrSelector } });
    expect(told(many([eip, firewall(allow("8.8.8.0/24"), allow("9.9.9.9/32"), DENY_ALL)]))).toEqual([
      ["p", "0.0.0.0/0: denied EgressFirewall", "8.8.8.0/24,9.9.9.9/32: allowed 192.168.126.101 EgressIP"],
    ]);
  });

  test("a part in a part is told only where it differs from what is around it", () => {
    const egress = [
      { to: [{ ipBlock: { cidr: "8.0.0.0/8", except: ["8.8.0.0/16"] } }] },
      { to: [{ ipBlock: { cidr: "8.8.8.0/24" } }] },
    ];
    expect(told(many([policy(egress)]))).toEqual([
      ["p", "0.0.0.0/0,8.8.0.0/16: denied NetworkPolicy", "8.0.0.0/8,8.8.8.0/24: allowed 192.168.126.12"],
    ]);
    expect(
      told(many([policy([{}]), firewall({ type: "Allow", to: { cidrSelector: "8.0.0.0/8" } })])),
    ).toEqual([["p", "0.0.0.0/0: allowed 192.168.126.12"]]);
  });

  test("that is cut in two leaves nothing of itself", () => {
    const halves = ["0.0.0.0/1", "128.0.0.0/1"].map((cidrSelector, at) => ({
      type: at === 0 ? "Deny" : "Allow",
      to: { cidrSelector },
    }));
    expect(told(many([firewall(...halves)]))).toEqual([
      ["p", "0.0.0.0/1: denied EgressFirewall", "128.0.0.0/1: allowed 192.168.126.12"],
    ]);
  });

  test("smaller than all rules is whole, and a single address is one", () => {
    expect(told(many([firewall(DENY_ALL)], { to: ["8.8.8.0/24"] }))).toEqual([
      ["p", "8.8.8.0/24: denied EgressFirewall"],
    ]);
    expect(told(many([], { to: ["192.168.126.51/32"] }))).toEqual([
      ["p", "192.168.126.51/32: allowed 192.168.126.12"],
    ]);
  });

  test("of the cluster's own networks is told; in a wider one they are left out", () => {
    expect(told(many([], { to: ["10.128.0.0/14"] }))).toEqual([["p", "10.128.0.0/14: allowed own"]]);
    expect(told(many([], { to: ["10.0.0.0/8"] }))).toEqual([["p", "10.0.0.0/8: allowed 192.168.126.12"]]);
  });

  test("names in rules cut it at the addresses that they are known to have", () => {
    const found = runSync(
      traceMany(
        clusterOf(world(firewall({ type: "Deny", to: { dnsName: "a.example" } })), {
          names: { "a.example": ["9.9.9.9"] },
        }),
        { from: ["ns/ns"], to: ["0.0.0.0/0"], protocol: "tcp", by: "pod" },
      ),
    );
    expect(told(found)).toEqual([
      ["p", "0.0.0.0/0: allowed 192.168.126.12", "9.9.9.9/32: denied EgressFirewall"],
    ]);
  });

  test("an address that stands for it is nobody's", () => {
    const objects = [
      node("n9", ["8.8.8.1/24"]),
      object(
        "Service",
        { name: "s", namespace: "ns" },
        { spec: { clusterIP: "10.96.0.9", externalIPs: ["8.8.8.0"], ports: [{ port: 80 }] } },
      ),
    ];
    expect(told(many(objects, { to: ["8.8.8.0/24"] }))).toEqual([
      ["p", "8.8.8.0/24: allowed 192.168.126.12"],
    ]);
  });
});

test("a table, a matrix and CSV are made of the same", () => {
  const allow = { type: "Allow", to: { cidrSelector: "8.8.8.0/24" } };
  const pods = Array.from({ length: 5 }, (_, at) => pod({ name: `x${at}`, ips: [`10.128.1.${20 + at}`] }));
  const found = many([eip, firewall(allow, DENY_ALL), ...pods], { to: ["0.0.0.0/0", "8.8.8.8"] });
  expect(asText(blocksOfMany(found))).toBe(`6 pods to 0.0.0.0/0, 8.8.8.8: 6 with several outcomes, 6 allowed

Outcomes by sender
  PODS                       TO          OUTCOME  SOURCE           NODE  BY
  ns/p, ns/x0, ns/x1, … (6)  0.0.0.0/0   denied                          EgressFirewall ns/default rule 1
                             8.8.8.0/24  allowed  192.168.126.101  n1    EgressIP eip
  ns/p, ns/x0, ns/x1, … (6)  8.8.8.8     allowed  192.168.126.101  n1    EgressIP eip
`);
  expect(asCsv(matrixOf(found)).split("\n").slice(0, 2)).toEqual([
    "namespace,pod,node,0.0.0.0/0,8.8.8.8",
    "ns,p,n1,0.0.0.0/0: denied by EgressFirewall ns/default rule 1; 8.8.8.0/24: allowed 192.168.126.101 from n1 by EgressIP eip,allowed 192.168.126.101 from n1 by EgressIP eip",
  ]);
  expect(asText(blocksOfMatrix(found))).toMatch(/ {2}NAMESPACE +POD +NODE +0\.0\.0\.0\/0 +8\.8\.8\.8\n/);
  expect(asCsv([['a "b"', "c,d", "e"]])).toBe('"a ""b""","c,d",e\n');
});
