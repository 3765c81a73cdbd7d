import { describe, expect, test } from "vitest";
import { isObject, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { NEWEST, readDefinitionsOf } from "../../../../src/server/manifests.ts";

const old = await readDefinitionsOf("openshift-4.13");
const newest = await readDefinitionsOf(NEWEST);

interface Version {
  readonly subresources?: JsonObject;
  readonly additionalPrinterColumns?: readonly unknown[];
  readonly schema: { readonly openAPIV3Schema: JsonObject };
}

const named = (definitions: readonly KubeObject[], name: string): KubeObject => {
  const found = definitions.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`${name} is not there`);
  return found;
};
const versionOf = (definition: KubeObject): Version =>
  (definition["spec"] as { versions: [Version] }).versions[0]; // every definition has a version

/** Returns the schema at a path such as "spec.egress[].to". */
function schemaAt(name: string, path: string): JsonObject {
  let schema: unknown = versionOf(named(old, name)).schema.openAPIV3Schema;
  for (const step of path.split(".")) {
    const [field = "", ...items] = step.split("[]");
    schema = isObject(schema) && isObject(schema["properties"]) ? schema["properties"][field] : undefined;
    for (const _ of items) schema = isObject(schema) ? schema["items"] : undefined;
  }
  if (!isObject(schema)) throw new Error(`there is no ${path}`);
  return schema;
}

/** The places of list and map types. */
function listTypes(value: unknown, place = ""): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    /^x-kubernetes-(list|map)/.test(key) ? [`${place}.${key}`] : listTypes(member, `${place}.${key}`),
  );
}

describe("openshift-4.13", () => {
  test("has the kinds of then and no others", () => {
    const names = old.map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(10);
    for (const later of ["egressservices", "adminpolicybasedexternalroutes", "userdefinednetworks", "vteps"])
      expect(names).not.toContain(`${later}.k8s.ovn.org`);
    expect(newest.length).toBeGreaterThan(20);
  });

  test("EgressIP and EgressFirewall have no status subresource (behaviour.md i.1)", () => {
    expect(versionOf(named(old, "egressips.k8s.ovn.org")).subresources).toBeUndefined();
    expect(versionOf(named(old, "egressfirewalls.k8s.ovn.org")).subresources).toEqual({});
  });

  test("EgressQoS has one, with nothing in it (behaviour.md i.1)", () => {
    const version = versionOf(named(old, "egressqoses.k8s.ovn.org"));
    expect(version.subresources).toEqual({ status: {} });
    expect(version.additionalPrinterColumns).toBeUndefined();
    expect(schemaAt("egressqoses.k8s.ovn.org", "status")).not.toHaveProperty("properties");
  });

  test("a rule of a firewall names no wildcard, and may select nodes (behaviour.md i.3)", () => {
    const to = "spec.egress[].to";
    const { pattern } = schemaAt("egressfirewalls.k8s.ovn.org", `${to}.dnsName`);
    expect("www.example.com").toMatch(new RegExp(String(pattern)));
    expect("*.example.com").not.toMatch(new RegExp(String(pattern)));
    expect(schemaAt("egressfirewalls.k8s.ovn.org", `${to}.nodeSelector`)).toHaveProperty("properties");
  });

  test("the name of a CloudPrivateIPConfig is an address as it is written elsewhere", () => {
    const name = schemaAt("cloudprivateipconfigs.cloud.network.openshift.io", "metadata.name");
    expect(name["anyOf"]).toEqual([{ format: "ipv4" }, { format: "ipv6" }]);
  });

  test("lists are not told how they merge, but for one selector", () => {
    const changed = ["egressips.k8s.ovn.org", "egressfirewalls.k8s.ovn.org", "egressqoses.k8s.ovn.org"];
    const places = changed.flatMap((name) => listTypes(versionOf(named(old, name)).schema));
    expect(places).toHaveLength(1);
    expect(places[0]).toMatch(/nodeSelector\.x-kubernetes-map-type$/);
  });
});
