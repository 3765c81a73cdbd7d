import { expect, test } from "vitest";
import { resultOf } from "../support.ts";

test.each<[string, string, string]>([
  ["suffixes are powers of ten and of two", 'quantity("1.5Gi").isGreaterThan(quantity("1.5G"))', "true"],
  ["isLessThan", 'quantity("100m").isLessThan(quantity("1"))', "true"],
  ["compareTo", 'quantity("200M").compareTo(quantity("0.2G"))', "0"],
  ["equality is of amounts", 'quantity("1000m") == quantity("1")', "true"],
  ["add", 'quantity("50k").add(quantity("20")) == quantity("50020")', "true"],
  ["add an int", 'quantity("50k").add(20) == quantity("50020")', "true"],
  ["sub", 'quantity("50k").sub(quantity("20")) == quantity("49980")', "true"],
  ["sign is a function", 'sign(quantity("-5")) + sign(quantity("0"))', "-1"],
  ["asInteger", 'quantity("50k").asInteger()', "50000"],
  ["asInteger of a fraction", 'quantity("500m").asInteger()', "error: cannot convert value to integer"],
  ["isInteger", 'quantity("50k").isInteger() && !quantity("50500m").isInteger()', "true"],
  ["asApproximateFloat", 'quantity("1500m").asApproximateFloat()', "1.5"],
  [
    "isQuantity",
    'isQuantity("1.3Gi") && isQuantity("-1e3") && !isQuantity("1.3GB") && !isQuantity("")',
    "true",
  ],
  [
    "no quantity",
    'quantity("1x")',
    "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
])("quantity: %s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});

test.each<[string, string, string]>([
  ["parts", '[semver("1.2.3")].map(v, [v.major(), v.minor(), v.patch()])[0]', "[1, 2, 3]"],
  ["numbers are compared as numbers", 'semver("1.2.3").compareTo(semver("1.10.0"))', "-1"],
  ["a release comes after its candidates", 'semver("1.0.0").isGreaterThan(semver("1.0.0-rc.1"))', "true"],
  ["candidates are compared part by part", 'semver("1.0.0-rc.2").isLessThan(semver("1.0.0-rc.10"))', "true"],
  ["all three parts are needed", 'isSemver("1.0") || isSemver("v1.0.0")', "false"],
  ["unless it is normalised", 'isSemver("v1.0", true) && semver("v01.0", true) == semver("1.0.0")', "true"],
])("semver: %s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});

test.each<[string, string, string]>([
  ["a label fits", 'format.dns1123Label().validate("a-b").hasValue()', "false"],
  [
    "a label does not fit",
    'format.dns1123Label().validate("A_b").value()[0].startsWith("a lowercase RFC 1123 label must consist of")',
    "true",
  ],
  ["a subdomain", 'format.dns1123Subdomain().validate("a.b").hasValue()', "false"],
  ["a qualified name", 'format.qualifiedName().validate("a/b/c").hasValue()', "true"],
  ["a UUID", 'format.uuid().validate("123e4567-e89b-12d3-a456-426614174000").hasValue()', "false"],
  ["a date", 'format.date().validate("2024-02-30").hasValue()', "true"],
  ["a format by its name", 'format.named("dns1123Label").value() == format.dns1123Label()', "true"],
  ["an unknown name", 'format.named("nosuch").hasValue()', "false"],
])("format: %s: %s", (_rule, text, expected) => {
  expect(resultOf(text)).toBe(expected);
});
