import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, rowOf } from "../passage.ts";

const ENDPOINTS = definitionOf("Endpoints");

describe("Endpoints", () => {
  it.each<[JsonObject[] | undefined, string]>([
    [undefined, "<none>"],
    [[], "<none>"],
    [[{ notReadyAddresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }], ""],
    [[{ notReadyAddresses: [{ ip: "10.0.0.1" }] }, { addresses: [{ ip: "10.0.0.2" }] }], "10.0.0.2"],
  ])("with the subsets %j are shown as %j", (subsets, cell) => {
    const metadata = { name: "a", creationTimestamp: "2030-01-01T00:00:00Z" };
    expect(rowOf(ENDPOINTS, { metadata, subsets })["Endpoints"]).toBe(cell);
  });

  it("are taken with a warning for addresses that are written oddly, unless a controller wrote them", () => {
    const warnings = (labels: Record<string, string>) => {
      const subset = {
        addresses: [{ ip: "10.0.0.1" }, { ip: "FD00::1" }],
        notReadyAddresses: [{ ip: "FD00::2" }],
      };
      const { object, errors } = create(ENDPOINTS, { metadata: { name: "a", labels }, subsets: [subset] });
      expect(lines(errors)).toEqual([]);
      return ENDPOINTS.strategy.warnings?.(object, undefined);
    };
    const odd = (field: string, end: number) =>
      `subsets[0].${field}.ip: IPv6 address "FD00::${end}" should be in RFC 5952 canonical format ("fd00::${end}")`;
    expect(warnings({})).toEqual([odd("addresses[1]", 1), odd("notReadyAddresses[0]", 2)]);
    expect(warnings({ "endpoints.kubernetes.io/managed-by": "endpoint-controller" })).toEqual([]);
  });
});
