// Verification of a server certificate's host name as in Go's crypto/x509: by subjectAltName only, never by the
// common name.
import type { PeerCertificate } from "node:tls";
import { certificateOrError } from "../../../apimachinery/go/x509/ca-bundle.ts";
import type { Certificate } from "../../../apimachinery/go/x509/certificate.ts";
import { type IpAddress, ipFromValue, parseIp } from "../../../apimachinery/meta/ip.ts";

/** Errors list no more names than this. */
const NAMES_SHOWN_MAX = 100;

/** Why the certificate is not valid for this name or address; undefined: it is valid. An address may be in brackets. */
export function hostComplaint(certificate: Certificate, host: string): string | undefined {
  const { names } = certificate.extensions;
  const bare = /^\[.+\]$/.test(host) ? host.slice(1, -1) : host;
  const address = parseIp(bare);
  if (address !== undefined) {
    const addresses = names.addresses.map(addressOf);
    if (addresses.some((candidate) => isSame(candidate, address))) return undefined;
    return legacyComplaint(certificate, bare) ?? addressComplaint(addresses, bare);
  }
  const name = host.toLowerCase();
  const parts = partsOf(name);
  const isHostName = isValidName(name, { isPattern: false });
  const matches = (pattern: string): boolean =>
    isHostName && isValidName(pattern, { isPattern: true })
      ? matchesParts(pattern, parts)
      : pattern !== "" && pattern !== "." && pattern.toLowerCase() === name;
  if (names.dns.some(matches)) return undefined;
  return legacyComplaint(certificate, host) ?? nameComplaint(names.dns, host);
}

/** For clients of Node's TLS, which would accept a common name. */
export function checkServerIdentity(host: string, { raw }: PeerCertificate): Error | undefined {
  const certificate = certificateOrError(raw);
  const complaint = typeof certificate === "string" ? certificate : hostComplaint(certificate, host);
  return complaint === undefined ? undefined : new Error(complaint);
}

function legacyComplaint({ name, extensions }: Certificate, host: string): string | undefined {
  if (extensions.alternativeNames !== undefined || !matchesParts(name.commonName, partsOf(host)))
    return undefined;
  return "x509: certificate relies on legacy Common Name field, use SANs instead";
}

function addressComplaint(addresses: readonly IpAddress[], host: string): string {
  if (addresses.length === 0)
    return `x509: cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  if (addresses.length >= NAMES_SHOWN_MAX)
    return `x509: certificate is valid for ${addresses.length} IP SANs, but none matched ${host}`;
  return `x509: certificate is valid for ${addresses.map(({ text }) => text).join(", ")}, not ${host}`;
}

function nameComplaint(names: readonly string[], host: string): string {
  if (names.length >= NAMES_SHOWN_MAX)
    return `x509: certificate is valid for ${names.length} names, but none matched ${host}`;
  const valid = names.join(", ");
  if (valid === "") return `x509: certificate is not valid for any names, but wanted to match ${host}`;
  return `x509: certificate is valid for ${valid}, not ${host}`;
}

/** An IPv4 address may be written in 16 bytes. */
function addressOf(bytes: Buffer): IpAddress {
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).equals(MAPPED);
  const digits = isMapped ? bytes.subarray(12) : bytes;
  return ipFromValue(digits.length === 4 ? 4 : 6, BigInt(`0x${digits.toString("hex")}`));
}

const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

const isSame = (one: IpAddress, other: IpAddress): boolean =>
  one.family === other.family && one.value === other.value;

const partsOf = (host: string): readonly string[] => host.toLowerCase().replace(/\.$/, "").split(".");

/** "*" matches the whole first label, and no other. */
function matchesParts(pattern: string, host: readonly string[]): boolean {
  if (pattern === "") return false;
  const parts = pattern.toLowerCase().split(".");
  return (
    parts.length === host.length &&
    parts.every((part, index) => (index === 0 && part === "*") || part === host[index])
  );
}

const LABEL = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;

/** Underscores are accepted: they are invalid in host names, but common. */
function isValidName(host: string, { isPattern }: { readonly isPattern: boolean }): boolean {
  const name = isPattern ? host : host.replace(/\.$/, "");
  if (name === "*") return false;
  return name
    .split(".")
    .every((label, index) => (isPattern && index === 0 && label === "*") || LABEL.test(label));
}
