// EndpointSlices: valid addresses, warnings, and which changes increment the generation.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, rowOf, update } from "../passage.ts";

const SLICES = definitionOf("discovery.k8s.io/EndpointSlice");
const slice = (addressType: string, addresses: string[], labels: Record<string, string> = {}) => ({
  metadata: { name: "s", labels },
  addressType,
  endpoints: [{ addresses }],
});

describe("the domains of an EndpointSlice", () => {
  const SEGMENTS = "should be a domain with at least two segments separated by dots";
  const SUBDOMAIN = expect.stringContaining("a lowercase RFC 1123 subdomain must consist of");
  const long = "a".repeat(64);

  it.each<[string, unknown[]]>([
    ["a.example.com", []],
    ["example.com.", []],
    ["", ["Required value"]],
    [".", [expect.stringMatching(/^Invalid value: "": a lowercase/)]],
    ["example.com..", [SUBDOMAIN]],
    ["host", [`Invalid value: "host": ${SEGMENTS}`]],
    ["host.", [`Invalid value: "host": ${SEGMENTS}`]],
    ["A.example.com", [SUBDOMAIN]],
    [`b.${long}.${long}a`, [`Invalid value: "${long}": must be no more than 63 characters`]],
    ["A.".repeat(130), [expect.stringMatching(/: must be no more than 253 characters,a lowercase RFC 1123/)]],
  ])("may be %j: %j", (address, expected) => {
    const { errors } = create(SLICES, slice("FQDN", [address]));
    expect(errors.map(({ message }) => message)).toEqual(expected);
    for (const { field } of errors) expect(field).toBe("endpoints[0].addresses[0]");
  });
});

describe("an EndpointSlice is taken with a warning", () => {
  const warnings = (body: JsonObject, changed = false) => {
    const { object } = create(SLICES, body);
    return SLICES.strategy.warnings?.(object, changed ? object : undefined);
  };

  it("for domains, when it is made", () => {
    const body = slice("FQDN", ["a.example.com"]);
    expect(warnings(body)).toEqual(["spec.addressType: FQDN endpoints are deprecated"]);
    expect(warnings(body, true)).toEqual([]);
  });

  it("for addresses that are written oddly, unless a controller wrote them", () => {
    const odd =
      'endpoints[0].addresses[1]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")';
    const by = (manager: string) =>
      slice("IPv6", ["fd00::2", "FD00::1"], { "endpointslice.kubernetes.io/managed-by": manager });
    expect(warnings(by("me"))).toEqual([odd]);
    expect(warnings(by("me"), true)).toEqual([odd]);
    for (const name of ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"]) {
      expect(warnings(by(name))).toEqual([]);
    }
  });
});

describe("the generation of an EndpointSlice", () => {
  const generation = (first: JsonObject, second: JsonObject) => {
    const before = create(SLICES, first).object;
    before.metadata.generation = 3;
    const { object, errors } = update(SLICES, { before, body: second });
    expect(lines(errors)).toEqual([]);
    return object.metadata.generation;
  };

  it("rises with its labels, too", () => {
    const plain = slice("IPv4", ["10.0.0.1"]);
    expect(generation(plain, slice("IPv4", ["10.0.0.1"], { a: "b" }))).toBe(4);
    expect(generation(plain, { ...plain, metadata: { name: "s" } })).not.toBe(4);
  });
});

it.each<[JsonObject[], string]>([
  [[{ name: "http", port: 80 }, { name: "https" }], "80,https"],
  [[{ name: "" }], "<unset>"],
  [[{}, { port: 53 }], "*,53"],
])("the ports %j are shown as %s", (ports, cell) => {
  const metadata = { name: "a", creationTimestamp: "2030-01-01T00:00:00Z" };
  expect(rowOf(SLICES, { metadata, ports })["Ports"]).toBe(cell);
});
