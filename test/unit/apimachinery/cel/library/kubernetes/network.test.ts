import { expect, test } from "vitest";
import { resultOf } from "../../support.ts";

test.each([
  ["127.0.0.1", true],
  ["0.0.0.0", true],
  ["255.255.255.255", true],
  ["::", true],
  ["::1", true],
  ["2001:db8::1", true],
  ["2001:DB8:0:0:0:0:0:1", true],
  ["1:2:3:4:5:6:1.2.3.4", true],
  ["", false],
  ["1.2.3", false],
  ["1.2.3.4.5", false],
  ["256.0.0.1", false],
  ["01.2.3.4", false],
  ["1.2.3.04", false],
  ["1.2.3.4 ", false],
  ["1.2.3.x", false],
  ["::ffff:1.2.3.4", false],
  ["::ffff:102:304", false],
  ["fe80::1%eth0", false],
  ["1::2::3", false],
  ["1:2:3:4:5:6:7", false],
  ["1:2:3:4:5:6:7:8:9", false],
  ["12345::", false],
  ["1:2:3:4:5:6:7::8", false],
  [":1", false],
  ["1:", false],
  ["[::1]", false],
  ["10.0.0.0/8", false],
])("isIP(%j) is %s", (text, expected) => {
  expect(resultOf(`isIP(${JSON.stringify(text)})`)).toBe(String(expected));
});

test.each<[string, string, string]>([
  ["the family", 'ip("10.0.0.1").family() == 4 && ip("::1").family() == 6', "true"],
  ["the text is canonical", 'string(ip("2001:DB8:0:0:1:0:0:1"))', '"2001:db8::1:0:0:1"'],
  ["isCanonical", 'ip.isCanonical("::1") && !ip.isCanonical("0:0::1")', "true"],
  [
    "isCanonical of no address",
    'ip.isCanonical("x")',
    'error: IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP',
  ],
  ["equality is of addresses", 'ip("::1") == ip("0::1") && ip("::1") != ip("::2")', "true"],
  ["unspecified", 'ip("0.0.0.0").isUnspecified() && ip("::").isUnspecified()', "true"],
  ["loopback", 'ip("127.9.9.9").isLoopback() && ip("::1").isLoopback()', "true"],
  [
    "link-local multicast",
    'ip("224.0.0.1").isLinkLocalMulticast() && ip("ff02::1").isLinkLocalMulticast()',
    "true",
  ],
  [
    "link-local unicast",
    'ip("169.254.1.1").isLinkLocalUnicast() && ip("fe80::1").isLinkLocalUnicast()',
    "true",
  ],
  ["global unicast", 'ip("10.0.0.1").isGlobalUnicast() && !ip("224.0.0.1").isGlobalUnicast()', "true"],
  [
    "no address",
    'ip("1.2.3.400")',
    'error: IP Address "1.2.3.400" parse error during conversion from string: ParseAddr("1.2.3.400"): IPv4 field has value >255',
  ],
  [
    "an IPv4 address in IPv6",
    'ip("::ffff:1.2.3.4")',
    'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed',
  ],
  ["a zone", 'ip("fe80::1%eth0")', 'error: IP address "fe80::1%eth0" with zone value is not allowed'],
])("%s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});

test.each([
  ["10.0.0.0/8", true],
  ["10.0.0.1/8", true],
  ["0.0.0.0/0", true],
  ["::/0", true],
  ["fd00::/64", true],
  ["1.2.3.4/32", true],
  ["1.2.3.4", false],
  ["1.2.3.4/33", false],
  ["::/129", false],
  ["1.2.3.4/08", false],
  ["1.2.3.4/+8", false],
  ["1.2.3.4/", false],
  ["/8", false],
  ["fe80::1%eth0/64", false],
  ["::ffff:1.2.3.0/120", false],
])("isCIDR(%j) is %s", (text, expected) => {
  expect(resultOf(`isCIDR(${JSON.stringify(text)})`)).toBe(String(expected));
});

test.each<[string, string, string]>([
  ["containsIP of a text", 'cidr("10.0.0.0/8").containsIP("10.1.2.3")', "true"],
  ["containsIP of an address", 'cidr("10.0.0.0/8").containsIP(ip("11.1.2.3"))', "false"],
  ["containsIP of the other family", 'cidr("::/0").containsIP("10.0.0.1")', "false"],
  ["containsCIDR", 'cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', "true"],
  ["containsCIDR of a larger one", 'cidr("10.1.0.0/16").containsCIDR(cidr("10.0.0.0/8"))', "false"],
  ["the address", 'string(cidr("10.1.2.3/8").ip())', '"10.1.2.3"'],
  ["masked", 'string(cidr("10.1.2.3/8").masked())', '"10.0.0.0/8"'],
  ["masked of IPv6", 'string(cidr("fd00:1:2:3:4::5/60").masked())', '"fd00:1:2::/60"'],
  ["prefixLength", 'cidr("fd00::/64").prefixLength()', "64"],
  [
    "equality",
    'cidr("10.0.0.0/8") == cidr("10.0.0.0/8") && cidr("10.0.0.1/8") != cidr("10.0.0.0/8")',
    "true",
  ],
])("%s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});

test.each<[string, string, string]>([
  [
    "the parts",
    '[url("https://u:p@example.com:80/a/b?x=1")].map(u, [u.getScheme(), u.getHost(), u.getHostname(), u.getPort(), u.getEscapedPath()])[0]',
    '["https", "example.com:80", "example.com", "80", "/a/b"]',
  ],
  [
    "an address in brackets",
    'url("https://[::1]:80/").getHost() + " " + url("https://[::1]:80/").getHostname()',
    '"[::1]:80 ::1"',
  ],
  ["the path is escaped", 'url("https://e.com/a b").getEscapedPath()', '"/a%20b"'],
  ["the query", 'url("https://e.com/?k=v&k=%20&n").getQuery()', '{"k": ["v", " "], "n": [""]}'],
  ["a path alone is a reference", 'isURL("/a/b")', "true"],
  ["a relative path is none", 'isURL("../a")', "false"],
  ["a broken escape", 'isURL("https://e.com/%zz")', "false"],
  ["a port that is no number", 'isURL("https://e.com:x/")', "false"],
])("url: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});
