import { describe, expect, test } from "vitest";
import { formatCheck } from "../../../../src/apimachinery/schema/formats.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

interface Examples {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

const FORMATS: Readonly<Record<string, Examples>> = {
  ipv4: {
    good: ["1.2.3.4", "01.02.03.04", "::ffff:1.2.3.4"],
    bad: ["1.2.3", "::1", "1.2.3.256", " 1.2.3.4", ""],
  },
  ipv6: {
    good: ["fd00::1", "::", "2001:db8::1", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"],
    bad: ["1.2.3.4", "fe80::1%eth0", "1::2::3", "1:2:3:4:5:6:7:8:9", "12345::"],
  },
  cidr: {
    good: ["10.0.0.1/8", "010.0.0.0/8", "::ffff:10.0.0.0/104", "10.0.0.0/08", "fd00::/8"],
    bad: ["10.0.0.0", " 10.0.0.0/8", "fe80::%eth0/64", "10.0/8", "10.0.0.0/33", "::/129", "10.0.0.0/+8"],
  },
  mac: {
    good: ["00:11:22:33:44:55", "00-11-22-33-44-55", "0011.2233.4455", "00:11:22:33:44:55:66:77"],
    bad: ["1:2", "xx", "00:11:22:33:44", "00:11:22-33:44:55", "00:11:22:33:44:5g"],
  },
  hostname: {
    good: ["h.example", "a.example.com", "localhost", "a-b", "x", "ex-am-ple.com", "123.example"],
    bad: ["-bad-", "a b", "", "foo-bar", "example.c", "a..b", `${"a".repeat(64)}.example`],
  },
  email: {
    good: ["a@b.example", "A Person <a@b.example>", '"a b"@c.example', "a+b@c", "<a@b>"],
    bad: ["x", "a@", "@b", "a b@c", "a@b@c", "Person a@b", "a@b.example>", "a..b@c", ".a@b"],
  },
  uri: {
    good: ["http://x/y", "/absolute", "https://u:p@[::1]:80/x?y#z", "urn:x", "http://x", "*"],
    bad: ["x y", "relative/path", "", "http://a b/", ":x", "/%zz", "http://[::1", "http://x:y/"],
  },
  "date-time": {
    good: ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123+01:00", "2024-01-02t03:04:05z"],
    bad: [
      "2020-01-01",
      "2024-01-02T03:04:05",
      "2024-02-30T00:00:00Z",
      "2024-01-02 03:04:05Z",
      "2024-01-02T24:00:00Z",
      "2016-12-31T23:59:60Z",
      "today",
    ],
  },
  date: { good: ["2020-02-03", "2024-02-29"], bad: ["2020-13-01", "2023-02-29", "2020-2-3", "2020-00-01"] },
  duration: {
    good: ["1h30m", "5 days", "22 ns", "1.5h", "-3s", "0", "2 weeks 1 fortnight", "300ms"],
    bad: ["1 fortnight", "h", "", "1.5 days", "10000000h"],
  },
  uuid: {
    good: [
      "11111111-2222-3333-4444-555555555555",
      "11111111222233334444555555555555",
      "AAAAAAAA-2222-3333-4444-555555555555",
    ],
    bad: ["1111", "g1111111-2222-3333-4444-555555555555"],
  },
  uuid3: { good: ["11111111-2222-3333-4444-555555555555"], bad: ["11111111-2222-4333-4444-555555555555"] },
  uuid4: {
    good: ["11111111-2222-4333-8444-555555555555"],
    bad: ["11111111-2222-3333-8444-555555555555", "11111111-2222-4333-7444-555555555555"],
  },
  uuid5: { good: ["11111111-2222-5333-b444-555555555555"], bad: ["11111111-2222-4333-8444-555555555555"] },
  bsonobjectid: { good: ["507f1f77bcf86cd799439011"], bad: ["507f", "507f1f77bcf86cd79943901g"] },
  isbn: { good: ["0321751043", "978-0321751041"], bad: ["0321751044", "978"] },
  isbn10: { good: ["0321751043", "080442957X"], bad: ["978-0321751041"] },
  isbn13: { good: ["978-0321751041", "9780321751041"], bad: ["978-0321751042", "0321751043"] },
  creditcard: { good: ["4111 1111 1111 1111", "5555-5555-5555-4444"], bad: ["4111 1111 1111 1112", "1"] },
  ssn: { good: ["123-45-6789", "123 45 6789"], bad: ["123456789", "123-45-678"] },
  hexcolor: { good: ["#FFFFFF", "abc", "#abc"], bad: ["#ffff", "red"] },
  rgbcolor: { good: ["rgb(255,255,255)", "rgb( 0 , 1 , 22 )"], bad: ["rgb(256,0,0)", "rgb(1,2)"] },
  byte: { good: ["YQ==", "YWI=", "YWJj"], bad: ["", "YQ", "not base64!"] },
  password: { good: ["", "anything"], bad: [] },
  quantity: { good: ["1", "500m", "1.5Gi", "1e3", "-2"], bad: ["", "lots", "1.2.3", "1Q"] },
  "k8s-short-name": { good: ["a", "a-b"], bad: ["Bad", "a.b", "-a", "a".repeat(64)] },
  "k8s-long-name": { good: ["a.b", "a"], bad: ["A", "a..b", "a.".repeat(130)] },
};

describe.each(Object.entries(FORMATS))("%s", (format, { good, bad }) => {
  test.each(good)("takes %j", (text) => expect(formatCheck(format)?.(text)).toBe(true));
  test.each(bad)("refuses %j", (text) => expect(formatCheck(format)?.(text)).toBe(false));
});

test.each(["nosuch", "ip", "int32", "semver"])("%s is not a format that is checked", (format) => {
  expect(formatCheck(format)).toBeUndefined();
});

test("a dash in a format's name does not count", () => {
  expect(formatCheck("datetime")).toBe(formatCheck("date-time"));
});

test.each([
  ["email", `${"a ".repeat(499)}<`],
  ["hostname", "a-".repeat(120)],
  ["creditcard", "4".repeat(1e5)],
  ["duration", "1 a".repeat(3e4)],
])("a hostile %s costs no time", (format, text) => {
  const start = cpuMs();
  formatCheck(format)?.(text);
  expect(cpuMs() - start).toBeLessThan(500);
});
