// Validation of the load balancer status of a Service.
import { describe, expect, it } from "vitest";
import { type JsonObject, objectAt } from "../../../../../src/apimachinery/json/json.ts";
import { storageView } from "../../../../../src/apiserver/registry/definition/view.ts";
import { create, definitionOf, lines, update } from "../../passage.ts";

const SERVICES = definitionOf("Service");
const metadata = { name: "s" };
const BALANCED = { type: "LoadBalancer", clusterIP: "10.96.7.7", ports: [{ port: 80 }] };
const INSIDE = { ...BALANCED, type: "ClusterIP" };
const made = (spec: JsonObject) => create(SERVICES, { metadata, spec }).object;
const statusWith = (ingress: JsonObject[]) => ({ loadBalancer: { ingress } });
const enter = (spec: JsonObject, ingress: JsonObject[]) => {
  const body = { metadata, spec, status: statusWith(ingress) };
  return update(SERVICES, { before: made(spec), body }, "status");
};

describe("the status of a Service", () => {
  const AT = "status.loadBalancer.ingress[0]";
  const IP_RULE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

  it.each<[string, JsonObject, string[]]>([
    ["an address", { ip: "1.2.3.4" }, []],
    ["a name", { hostname: "lb.example.com" }, []],
    ["no address", { ip: "1.2.3" }, [`${AT}.ip: Invalid value: "1.2.3": ${IP_RULE}`]],
    [
      "a way without an address",
      { ipMode: "VIP" },
      [`${AT}.ipMode: Forbidden: may not be specified when \`ip\` is not set`],
    ],
    [
      "an unknown way",
      { ip: "1.2.3.4", ipMode: "Odd" },
      [`${AT}.ipMode: Unsupported value: "Odd": supported values: "Proxy", "VIP"`],
    ],
    [
      "an address for a name",
      { hostname: "1.2.3.4" },
      [`${AT}.hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address`],
    ],
  ])("of a balancer with %s", (_name, point, expected) => {
    expect(lines(enter(BALANCED, [point]).errors)).toEqual(expected);
  });

  it("of a balancer has names that are subdomains", () => {
    const [error, ...more] = lines(enter(BALANCED, [{ hostname: "A_b" }]).errors);
    expect(error).toMatch(
      /^status\.loadBalancer\.ingress\[0\]\.hostname: Invalid value: "A_b": a lowercase RFC 1123/,
    );
    expect(more).toEqual([]);
  });

  it("says in which way an address is reached, which has a default only where the request says that it balances", () => {
    expect(enter(BALANCED, [{ ip: "1.2.3.4" }]).object["status"]).toEqual(
      statusWith([{ ip: "1.2.3.4", ipMode: "VIP" }]),
    );
    const body = { metadata, spec: {}, status: statusWith([{ ip: "1.2.3.4" }]) };
    expect(lines(update(SERVICES, { before: made(BALANCED), body }, "status").errors)).toEqual([
      `${AT}.ipMode: Required value: must be specified when \`ip\` is set`,
    ]);
  });

  it("of another type has nothing of it, and is not looked at further", () => {
    expect(lines(enter(INSIDE, [{ ip: "nonsense" }]).errors)).toEqual([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
    expect(lines(enter(INSIDE, []).errors)).toEqual([]);
    const before = { ...made(INSIDE), status: statusWith([{ ip: "1.2.3.4" }]) };
    expect(lines(update(SERVICES, { before, body: before }, "status").errors)).toEqual([]);
  });

  it("loses where it was reached when it no longer balances", () => {
    const status = { ...statusWith([{ ip: "1.2.3.4", ipMode: "VIP" }]), conditions: [] };
    const before = { ...made(BALANCED), status };
    const labelled = update(SERVICES, {
      before,
      body: { ...before, metadata: { ...metadata, labels: { a: "b" } } },
    });
    expect(labelled.object["status"]).toEqual(status);
    const spec = { ...objectAt(before, "spec"), type: "ClusterIP" };
    const { object, errors } = update(SERVICES, { before, body: { ...before, spec } });
    expect(lines(errors)).toEqual([]);
    expect(object["status"]).toEqual({ loadBalancer: {}, conditions: [] });
  });

  it("is taken with a warning for an address that is written oddly", () => {
    const { object } = enter(BALANCED, [{ hostname: "a.b" }, { ip: "2001:DB8::1" }]);
    expect(storageView(SERVICES).version.status?.warnings?.(object, undefined)).toEqual([
      'status.loadBalancer.ingress[1]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ]);
  });
});
