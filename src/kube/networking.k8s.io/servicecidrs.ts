// ServiceCIDR: address ranges for the cluster IPs of Services. The one named kubernetes has the ranges of the server's
// flag.

import { equalJson, type JsonObject, objectAt, textAt, textsAt } from "../../apimachinery/json/json.ts";
import { type FieldError, invalid, required } from "../../apimachinery/meta/field-error.ts";
import { parseCidr } from "../../apimachinery/meta/ip.ts";
import {
  invalidStruct,
  isCanonicalIp,
  validateCanonicalCidr,
} from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME, rowPrinter } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keepingStatus, keepOwnMetadata, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { objectOf } from "../../apiserver/registry/strategy/schema-rules.ts";

const TYPES = "io.k8s.api.networking.v1.";
const FIELD = "spec.cidrs";
const CIDRS_MAX = 2;
const IMMUTABLE = "field is immutable";

const cidrsOf = (object: Readonly<JsonObject>): string[] => textsAt(specOf(object), "cidrs");

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

/** The ranges are immutable; only a second family can be added. */
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

export const serviceCidrs = builtIn("networking.k8s.io/v1", "ServiceCIDR", {
  namespaceScoped: false,
  columns: [NAME, column("CIDRs", "The ranges.", (object) => cidrsOf(object).join(",")), AGE],
  strategy: { ...keepingStatus({}), validate, validateUpdate },
  status: {
    metadataChecksOnUpdate: [],
    allowUnconditionalUpdate: true,
    resetFields: [["spec"]],
    prepareForUpdate(object, old) {
      object["spec"] = old["spec"];
      keepOwnMetadata(object, old);
    },
  },
});

// IPAddress: an allocated address. Its name is the address itself, so an address can be allocated only once.

function parentCell(object: Readonly<JsonObject>): string {
  const parent = objectAt(specOf(object), "parentRef");
  if (parent === undefined) return "<none>";
  const [group, resource, namespace, name] = ["group", "resource", "namespace", "name"].map((key) =>
    textAt(parent, key),
  );
  const type = (group ? `${resource}.${group}` : `${resource}`).toLowerCase();
  return [type, ...(namespace ? [namespace] : []), name].join("/");
}

const ADDRESS_COLUMNS = [NAME, column("ParentRef", "Who holds the address.", parentCell)];

export const ipAddresses = builtIn("networking.k8s.io/v1", "IPAddress", {
  shortNames: ["ip"],
  namespaceScoped: false,
  columns: ADDRESS_COLUMNS,
  /** Upstream prints a cell for the age, but has no column for it. */
  printRow: rowPrinter([...ADDRESS_COLUMNS, AGE]),
  strategy: {
    metadataChecksOnUpdate: ["new", "changed"],
    allowUnconditionalUpdate: true,
    validateName: isCanonicalIp,
  },
  rules: {
    sameParent({ field, value, old }) {
      const parent = objectOf(value);
      if (old === undefined || equalJson(parent, objectOf(old["parentRef"]))) return [];
      return [invalidStruct(field, structOf(`${TYPES}ParentReference`, parent), IMMUTABLE)];
    },
  },
});
