import { describe, expect, it } from "vitest";
import {
  apiServiceAddress,
  familiesOf,
  readServiceNetwork,
  ServiceNetworkError,
} from "../../../../../src/kube/core/service/network.ts";

const PORTS = "30000-32767";
const RANGE = "10.96.0.0/16";

describe("the networks of Services", () => {
  it("are read in their order; the first says the usual family", () => {
    expect(familiesOf(readServiceNetwork("fd00:10:96::/112,10.96.0.0/16", PORTS))).toEqual(["IPv6", "IPv4"]);
  });

  it("give the API its first address", () => {
    expect(apiServiceAddress(readServiceNetwork("10.43.0.0/16", PORTS))).toBe("10.43.0.1");
    expect(apiServiceAddress(readServiceNetwork("fd00:10:96::/112", PORTS))).toBe("fd00:10:96::1");
  });

  it.each([
    ["nonsense", "nonsense"],
    ["a network of two addresses", "10.96.0.0/31"],
    ["too large an IPv6 network", "fd00::/48"],
    ["two of one family", "10.96.0.0/16,10.97.0.0/16"],
    ["three", "10.96.0.0/16,fd00:10:96::/112,10.98.0.0/16"],
  ])("are refused: %s", (_name, text) => {
    expect(() => readServiceNetwork(text, PORTS)).toThrow(ServiceNetworkError);
  });
});

describe("the node ports of Services", () => {
  it.each([
    ["30000-32767", 30000, 32767],
    ["30000+100", 30000, 30100],
    ["30000", 30000, 30000],
  ])("can be written as %s", (text, first, last) => {
    expect(readServiceNetwork(RANGE, text).nodePorts).toEqual({ first, last });
  });

  it.each(["", "a-b", "0-5", "32767-30000", "60000-70000"])("are refused: %j", (text) => {
    expect(() => readServiceNetwork(RANGE, text)).toThrow(ServiceNetworkError);
  });
});
