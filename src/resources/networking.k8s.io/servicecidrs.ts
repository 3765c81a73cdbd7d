// ServiceCIDR: address ranges for the cluster IPs of Services. The one called kubernetes holds those of the server.
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { parseCidr } from "../../meta/ip.ts";
import { type JsonObject, objectAt, textAt, textsAt } from "../../meta/json.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { validateCanonicalCidr } from "../addresses.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { keepOwnMetadata } from "../fields.ts";

const FIELD = "spec.cidrs";
const CIDRS_MAX = 2;
const IMMUTABLE = "field is immutable";

const cidrsOf = (object: Readonly<JsonObject>): string[] => textsAt(objectAt(object, "spec"), "cidrs");

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  return {
    cells: [
      textAt(metadata, "name"),
      cidrsOf(object).join(","),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function validate(object: Readonly<JsonObject>): FieldError[] {
  const cidrs = cidrsOf(object);
  if (cidrs.length === 0) return [required(FIELD, "at least one CIDR required")];
  if (cidrs.length > CIDRS_MAX) return [invalid(FIELD, { CIDRs: cidrs }, "may only hold up to 2 values")];
  const errors = cidrs.flatMap((cidr, index) => validateCanonicalCidr(`${FIELD}[${index}]`, cidr));
  const families = cidrs.map((cidr) => parseCidr(cidr)?.family);
  if (families.length === CIDRS_MAX && families[0] !== undefined && families[0] === families[1]) {
    const rule = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    errors.push(invalid(FIELD, cidrs, rule));
  }
  return errors;
}

/** The ranges stay; only a second family may be added. */
function validateUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const cidrs = cidrsOf(object);
  const before = cidrsOf(old);
  if (before.length === 1 && cidrs.length === CIDRS_MAX) {
    return [...changed(cidrs, before), ...validate(object)];
  }
  return cidrs.length === before.length ? changed(cidrs, before) : [invalid(FIELD, cidrs, IMMUTABLE)];
}

const changed = (cidrs: readonly string[], before: readonly string[]): FieldError[] =>
  before.flatMap((cidr, index) =>
    cidr === cidrs[index] ? [] : [invalid(`${FIELD}[${index}]`, cidrs[index], IMMUTABLE)],
  );

/** A real server means to keep the status out of writes to the object itself, and does not. */
const strategy: Strategy = {
  allowUnconditionalUpdate: true,
  validate,
  validateUpdate,
};

const status: Strategy = {
  metadataChecksOnUpdate: [],
  allowUnconditionalUpdate: true,
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"];
    keepOwnMetadata(object, old);
  },
};

export const serviceCidrs = builtIn("networking.k8s.io/v1", "ServiceCIDR", {
  namespaceScoped: false,
  columns: [NAME, column("CIDRs", "The ranges."), AGE],
  printRow,
  strategy,
  status,
});
