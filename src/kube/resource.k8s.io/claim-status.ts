// Validation of a ResourceClaim's status: results refer to requests of the claim, an allocation is immutable, and device
// statuses refer to allocated devices.
import { goQuote } from "../../apimachinery/go/strconv.ts";
import {
  equalJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
} from "../../apimachinery/json/json.ts";
import { encodeJson } from "../../apimachinery/json/json-encode.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  repeated,
  required,
  tooLong,
  tooMany,
} from "../../apimachinery/meta/field-error.ts";
import { parseCidr } from "../../apimachinery/meta/ip.ts";
import {
  duplicateStruct,
  invalidStruct,
  parseSloppyCidr,
  validateSame,
} from "../../apiserver/registry/strategy/checks.ts";
import { isBeingDeleted } from "../../apiserver/registry/strategy/fields.ts";
import { type CodeRules, schemaErrors } from "../../apiserver/registry/strategy/schema-rules.ts";
import { REQUEST_RULES, validateRequestRef } from "./device-requests.ts";

const TYPES = "io.k8s.api.resource.v1.";
const CONDITIONS_MAX = 8;
const DATA_MAX = 10 * 1024;

export function validateClaimStatus(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const [status = {}, before = {}] = [object, old].map((item) => objectAt(item, "status"));
  const given = objectAt(before, "allocation");
  const devices = new Set(resultsOf(object).map((result) => idOf(result)));
  const code: CodeRules = {
    ...REQUEST_RULES,
    ...STATUS_RULES,
    requestName: (place) => validateRequestRef({ ...place, root: object }),
    reserved: ({ field }) => reservedErrors(field, status, isBeingDeleted(object) ? before : undefined),
    allocation({ field, value }) {
      if (!isObject(value)) return [];
      if (given !== undefined) return validateSame(field, value, given);
      const ofAllocation = { field, code };
      return schemaErrors(`${TYPES}AllocationResult`, value, ofAllocation);
    },
    givenDevice({ field, owner }) {
      if (devices.has(idOf(owner))) return [];
      return [invalidStruct(field, HIDDEN_ID, "must be an allocated device in the claim")];
    },
  };
  return schemaErrors(`${TYPES}ResourceClaimStatus`, status, { field: "status", code });
}

/** Device ID in upstream's errors: its members are opaque. */
const HIDDEN_ID = { Driver: {}, Pool: {}, Device: {}, ShareID: {} };

const DEVICE_ID = ["driver", "pool", "device"];

const idOf = (device: Readonly<JsonObject>, members: readonly string[] = [...DEVICE_ID, "shareID"]): string =>
  encodeJson(members.map((member) => textAt(device, member)));

/** Allocated devices of a claim. */
export const resultsOf = (claim: Readonly<JsonObject>): JsonObject[] =>
  objectsAt(objectAt(objectAt(objectAt(claim, "status"), "allocation"), "devices"), "results");

/** The status of a device is dropped when the device is deallocated, whichever share was allocated. */
export function dropTakenDevices(object: JsonObject, old: Readonly<JsonObject>): void {
  const status = objectAt(object, "status");
  const idsOf = (claim: Readonly<JsonObject>) => resultsOf(claim).map((result) => idOf(result, DEVICE_ID));
  const kept = new Set(idsOf(object));
  const taken = new Set(idsOf(old).filter((id) => !kept.has(id)));
  if (status === undefined || taken.size === 0) return;
  const devices = objectsAt(status, "devices").filter((device) => !taken.has(idOf(device, DEVICE_ID)));
  if (devices.length > 0) status["devices"] = devices;
  else delete status["devices"];
}

/** Consumers need an allocation; a claim under deletion gets no new consumers. */
function reservedErrors(field: string, status: JsonObject, before: JsonObject | undefined): FieldError[] {
  const users = objectsAt(status, "reservedFor");
  if (users.length === 0) return [];
  if (objectAt(status, "allocation") === undefined)
    return [forbidden(field, "may not be specified when `allocated` is not set")];
  const known = objectsAt(before, "reservedFor");
  const comes = before !== undefined && users.some((user) => !known.some((other) => equalJson(user, other)));
  const rule = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
  return comes ? [forbidden(field, rule)] : [];
}

const apart = (field: string, items: readonly unknown[]): FieldError[] => {
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => repeated(seen, `${field}[${index}]`, item));
};

const STATUS_RULES: CodeRules = {
  usersApart: ({ field, owner }) =>
    apart(
      field,
      objectsAt(owner, "reservedFor").map(({ uid }) => uid),
    ),
  devicesApart({ field, owner }) {
    const seen = new Set<string>();
    return objectsAt(owner, "devices").flatMap((device, index) => {
      const isKnown = seen.has(idOf(device));
      seen.add(idOf(device));
      return isKnown ? [duplicateStruct(`${field}[${index}]`, HIDDEN_ID)] : [];
    });
  },
  shareId: ({ field, value }) => (value === undefined ? [] : uuidErrors(field, String(value))),
  conditionCount: ({ field, value }) =>
    Array.isArray(value) && value.length > CONDITIONS_MAX
      ? [tooMany(field, value.length, CONDITIONS_MAX)]
      : [],
  data({ field, value }) {
    if (value === undefined) return [];
    if (value === null) return [required(field)];
    if (Buffer.byteLength(encodeJson(value)) > DATA_MAX) return [tooLong(field, DATA_MAX)];
    return isObject(value) ? [] : [invalid(field, "<value omitted>", "must be a valid JSON object")];
  },
  interfaceAddress({ field, value }) {
    const text = String(value);
    const cidr = parseCidr(text) ?? parseSloppyCidr(text);
    const rule = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
    if (cidr === undefined) return [invalid(field, text, rule)];
    const canonical = `${cidr.address.text}/${cidr.prefix}`;
    return canonical === text
      ? []
      : [invalid(field, text, `must be in canonical form (${goQuote(canonical)})`)];
  },
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Lengths of a UUID in bytes: without dashes, plain, in braces, with a URN prefix. */
const UUID_LENGTHS = [32, 36, 38, 45];

function uuidErrors(field: string, text: string): FieldError[] {
  const length = Buffer.byteLength(text);
  const wrong = (why: string) => [invalid(field, text, `error validating uid: ${why}`)];
  if (!UUID_LENGTHS.includes(length)) return wrong(`invalid UUID length: ${length}`);
  const bare = text.replace(/^urn:uuid:/i, "").replace(/^\{(.*)\}$/, "$1");
  const dashed = length === 32 ? text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") : bare;
  if (!UUID.test(dashed)) return wrong("invalid UUID format");
  if (length === 36 && text === text.toLowerCase()) return [];
  const rule =
    "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
  return [invalid(field, text, rule)];
}
