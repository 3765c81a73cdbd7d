// The string formats that a real server checks in custom resources (v1.36), by name. A dash in a name does not count.
// What is not here is not checked. int32, int64, float and double are checked with the numbers.

import { quantityError } from "../go/quantity.ts";
import { isGoDate } from "../go/time.ts";
import { isCidr, isIpv4, isIpv6, isMac } from "./format/addresses.ts";
import {
  isBase64,
  isColor,
  isCreditCard,
  isIsbn,
  isIsbn10,
  isIsbn13,
  isRgbColor,
  isSsn,
} from "./format/codes.ts";
import { isEmail, isHostname, isLongName, isRequestUri, isShortName } from "./format/names.ts";
import { isDateTime, isDuration } from "./format/times.ts";

export type FormatCheck = (text: string) => boolean;

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const OBJECT_ID = /^[0-9a-f]{24}$/i;

const matches =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

const CHECKS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["bsonobjectid", matches(OBJECT_ID)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matches(UUID)],
  ["uuid3", matches(UUID3)],
  ["uuid4", matches(UUID4)],
  ["uuid5", matches(UUID5)],
  ["isbn", isIsbn],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", isSsn],
  ["hexcolor", isColor],
  ["rgbcolor", isRgbColor],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isGoDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["quantity", (text) => quantityError(text) === undefined],
  ["k8sshortname", isShortName],
  ["k8slongname", isLongName],
]);

/** The check behind a format's name; undefined: the format is not checked. */
export const formatCheck = (format: string): FormatCheck | undefined =>
  CHECKS.get(format.replaceAll("-", ""));
