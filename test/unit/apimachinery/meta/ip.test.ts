import { describe, expect, test } from "vitest";
import {
  cidrContains,
  cidrsOverlap,
  ipFromValue,
  isGlobalUnicast,
  parseCidr,
  parseIp,
} from "../../../../src/apimachinery/meta/ip.ts";

describe("addresses", () => {
  test.each([
    ["1.2.3.4", "1.2.3.4"],
    ["::FEFF:C0A8:8D32", "::feff:c0a8:8d32"],
    ["0:0:0:0:0:feff:c0a8:8e32", "::feff:c0a8:8e32"],
    ["::ffff:192.168.126.101", "192.168.126.101"],
    ["::FFFF:c0a8:7e65", "192.168.126.101"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
    ["::", "::"],
  ])("%s is %s", (text, canonical) => {
    expect(parseIp(text)?.text).toBe(canonical);
  });

  test.each([
    "",
    " 1.2.3.4",
    "1.2.3",
    "1.2.3.4.",
    "01.2.3.4",
    "256.1.1.1",
    "192.168.126.99/32",
    "fe80::1%eth0",
    "1::2::3",
    "1:2:3:4:5:6:7:8::",
    "0:0:0:0:0:feff:c0a8:8e32:5",
    "12345::",
    "::1.2.3.04",
    ":1:2:3:4:5:6:7",
    "1.2.3.4::",
  ])("%j is no address", (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  test("numbers become addresses", () => {
    expect(ipFromValue(4, 0xc0a87e65n).text).toBe("192.168.126.101");
    expect(ipFromValue(6, 1n).text).toBe("::1");
  });

  test.each([
    ["8.8.8.8", true],
    ["10.0.0.1", true],
    ["fd00::1", true],
    ["0.0.0.0", false],
    ["255.255.255.255", false],
    ["127.0.0.1", false],
    ["169.254.1.1", false],
    ["224.0.0.1", false],
    ["::", false],
    ["::1", false],
    ["fe80::1", false],
    ["ff02::1", false],
  ])("%s is global unicast: %s", (text, expected) => {
    const ip = parseIp(text);
    expect(ip && isGlobalUnicast(ip)).toBe(expected);
  });
});

describe("networks", () => {
  test.each([
    ["192.168.126.12/24", "192.168.126.0/24"],
    ["fd00::c/64", "fd00::/64"],
    ["1.2.3.4/0", "0.0.0.0/0"],
    ["1.2.3.4/32", "1.2.3.4/32"],
    ["::ffff:1.2.3.4/120", "1.2.3.0/24"],
  ])("%s lies in %s", (text, network) => {
    expect(parseCidr(text)?.text).toBe(network);
  });

  test.each([
    ["255.255.255.255/0", "0.0.0.0/0"],
    ["255.255.255.255/1", "128.0.0.0/1"],
    ["255.255.255.255/31", "255.255.255.254/31"],
    ["255.255.255.255/32", "255.255.255.255/32"],
    ["ffff:ffff::/0", "::/0"],
    ["ffff:ffff::/1", "8000::/1"],
    ["2001:db8::ffff/127", "2001:db8::fffe/127"],
    ["2001:db8::ffff/128", "2001:db8::ffff/128"],
  ])("at the ends of prefixes %s lies in %s", (text, network) => {
    expect(parseCidr(text)?.text).toBe(network);
  });

  test.each(["1.2.3.4", "1.2.3.4/", "1.2.3.4/33", "1.2.3.4/-1", "::1/129", "x/8", "1.2.3.4/8/8"])(
    "%j is no network",
    (text) => {
      expect(parseCidr(text)).toBeUndefined();
    },
  );

  test("contain addresses of their family only, both ends included", () => {
    const network = parseCidr("192.168.126.0/24")!;
    for (const text of ["192.168.126.0", "192.168.126.255", "::ffff:192.168.126.7"]) {
      expect(cidrContains(network, parseIp(text)!)).toBe(true);
    }
    for (const text of ["192.168.125.255", "192.168.127.0", "::c0a8:7e01"]) {
      expect(cidrContains(network, parseIp(text)!)).toBe(false);
    }
  });

  test("overlap when they share an address", () => {
    const overlap = (a: string, b: string): boolean => cidrsOverlap(parseCidr(a)!, parseCidr(b)!);
    expect(overlap("10.0.0.0/8", "10.1.0.0/16")).toBe(true);
    expect(overlap("10.0.0.0/16", "10.1.0.0/16")).toBe(false);
    expect(overlap("0.0.0.0/0", "::/0")).toBe(false);
  });
});
