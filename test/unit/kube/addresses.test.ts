import { describe, expect, it } from "vitest";
import {
  duplicateStruct,
  isPortName,
  validateEndpointIp,
  validateIp,
} from "../../../src/apiserver/registry/strategy/checks.ts";

const details = (errors: readonly { message: string }[]): string[] =>
  errors.map(({ message }) => message.replace(/^Invalid value: "[^"]*": /, ""));

describe("addresses", () => {
  it.each([
    ["10.0.0.1", []],
    ["fd00::1", []],
    ["010.0.0.1", ["must not have leading 0s"]],
    ["::ffff:10.0.0.01", ["must not have leading 0s"]],
    ["::ffff:10.0.0.1", ["must not be an IPv4-mapped IPv6 address"]],
    ["10.0.0", ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]],
    ["", ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]],
    ["fe80::1%eth0", ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]],
  ])("%j is an address: %j", (text, expected) => {
    expect(details(validateIp("ip", text))).toEqual(expected);
  });

  const LOOPBACK = "may not be in the loopback range (127.0.0.0/8, ::1/128)";
  const LINK = "may not be in the link-local range (169.254.0.0/16, fe80::/10)";
  const MULTICAST = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
  it.each([
    ["10.0.0.1", []],
    ["224.0.1.1", []],
    ["ff05::1", []],
    ["127.0.0.1", [LOOPBACK]],
    ["::1", [LOOPBACK]],
    ["169.254.0.1", [LINK]],
    ["fe80::1", [LINK]],
    ["224.0.0.1", [MULTICAST]],
    ["ff02::1", [MULTICAST]],
    ["ff12::1", [MULTICAST]],
    ["0.0.0.0", ["may not be unspecified (0.0.0.0)"]],
    ["::", ["may not be unspecified (::)"]],
    ["x", ["must be a valid IP address"]],
  ])("%j may be an endpoint: %j", (text, expected) => {
    expect(details(validateEndpointIp("ip", text))).toEqual(expected);
  });

  it("a duplicate is shown with its members in their order", () => {
    expect(duplicateStruct("a[1]", { Type: "x", Address: "y" }, "once is enough")).toEqual({
      reason: "FieldValueDuplicate",
      field: "a[1]",
      message: 'Duplicate value: {"Type":"x","Address":"y"}: once is enough',
    });
  });
});

it.each([
  ["http", []],
  ["http-2", []],
  ["8080", ["must contain at least one letter (a-z)"]],
  ["a--b", ["must not contain consecutive hyphens"]],
  ["-a", ["must not begin or end with a hyphen"]],
  ["A b", ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]],
  ["abcdefghijklmnop", ["must be no more than 15 characters"]],
])("%j is the name of a port: %j", (name, complaints) => {
  expect(isPortName(name)).toEqual(complaints);
});
