// Checks of port numbers, port names and protocols that several kinds share.
import { type FieldError, invalid, notSupported } from "../meta/field-error.ts";
import { isQualifiedName } from "../meta/names.ts";

const PORT_NAME_MAX = 15;
const PROTOCOLS = ["SCTP", "TCP", "UDP"];

export function isPortNumber(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/** The name of a port of a container (IANA service name). */
export function isPortName(name: string): string[] {
  const complaints: string[] = [];
  if (name.length > PORT_NAME_MAX) {
    complaints.push(`must be no more than ${PORT_NAME_MAX} characters`);
  }
  if (!/^[-a-z0-9]+$/.test(name)) {
    complaints.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) complaints.push("must contain at least one letter (a-z)");
  if (name.includes("--")) complaints.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) complaints.push("must not begin or end with a hyphen");
  return complaints;
}

export const validatePortNumber = (field: string, port: number): FieldError[] =>
  isPortNumber(port).map((text) => invalid(field, port, text));

export const validateProtocol = (field: string, protocol: string): FieldError[] =>
  PROTOCOLS.includes(protocol) ? [] : [notSupported(field, protocol, PROTOCOLS)];

/** appProtocol is a label key; "" is a value of its own here. */
export const validateAppProtocol = (field: string, appProtocol: unknown): FieldError[] =>
  typeof appProtocol === "string"
    ? isQualifiedName(appProtocol).map((text) => invalid(field, appProtocol, text))
    : [];
