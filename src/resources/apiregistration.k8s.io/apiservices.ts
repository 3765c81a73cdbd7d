// APIService: one version of a group and who serves it. Those without a service are served here; others are kept as
// they are given, and nobody forwards requests to them.

import { formatTime } from "../../meta/clock.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { isDns1035Label, isDns1123Subdomain, isPathSegmentName } from "../../meta/names.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { RowPrinter } from "../../registry/definition/resource-definition.ts";
import type { Strategy } from "../../registry/definition/strategy.ts";
import { AGE, column, NAME, timeSince } from "../columns.ts";
import { builtIn } from "../define.ts";
import { isTrue, keepOwnMetadata } from "../fields.ts";

const HTTPS_PORT = 443;
const GROUP_PRIORITY_MAX = 20_000;
const VERSION_PRIORITY_MAX = 1000;
const STATUSES = ["True", "False", "Unknown"];

const specOf = (object: Readonly<JsonObject>): JsonObject => objectAt(object, "spec") ?? {};

const printRow: RowPrinter = (object, nowMs) => {
  const metadata = objectAt(object, "metadata");
  const service = objectAt(specOf(object), "service");
  return {
    cells: [
      textAt(metadata, "name"),
      service === undefined ? "Local" : `${textAt(service, "namespace")}/${textAt(service, "name")}`,
      availableCell(object),
      timeSince(metadata, "creationTimestamp", nowMs),
    ],
  };
};

function availableCell(object: Readonly<JsonObject>): string {
  const conditions = objectsAt(objectAt(object, "status"), "conditions");
  const available = conditions.find((condition) => condition["type"] === "Available");
  if (available === undefined) return "Unknown";
  const status = textAt(available, "status");
  return status === "True" ? status : `${status} (${textAt(available, "reason")})`;
}

function validateName(name: string, _prefix: boolean, object?: Readonly<KubeObject>): string[] {
  const complaints = isPathSegmentName(name, false);
  if (complaints.length > 0 || object === undefined) return complaints;
  const spec = specOf(object);
  const wanted = `${textAt(spec, "version")}.${textAt(spec, "group")}`;
  return name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
}

function validate(object: Readonly<KubeObject>): FieldError[] {
  const spec = specOf(object);
  const [group, version] = [textAt(spec, "group"), textAt(spec, "version")];
  const errors: FieldError[] = [];
  if (group === "" && version !== "v1") {
    errors.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  }
  if (group !== "")
    append(
      errors,
      isDns1123Subdomain(group).map((text) => invalid("spec.group", group, text)),
    );
  append(
    errors,
    isDns1035Label(version).map((text) => invalid("spec.version", version, text)),
  );
  return [
    ...errors,
    ...validatePriority(spec, "groupPriorityMinimum", GROUP_PRIORITY_MAX),
    ...validatePriority(spec, "versionPriority", VERSION_PRIORITY_MAX),
    ...validateServer(spec),
  ];
}

function validatePriority(spec: JsonObject, member: string, max: number): FieldError[] {
  const priority = numberAt(spec, member) ?? 0;
  if (priority > 0 && priority <= max) return [];
  return [invalid(`spec.${member}`, priority, `must be positive and less than ${max}`)];
}

function validateServer(spec: JsonObject): FieldError[] {
  const service = objectAt(spec, "service");
  const unchecked = isTrue(spec, "insecureSkipTLSVerify");
  const size = Buffer.from(textAt(spec, "caBundle"), "base64").length;
  const errors: FieldError[] = [];
  const refuse = (member: string, value: unknown, rule: string) =>
    errors.push(invalid(`spec.${member}`, value, rule));
  if (service === undefined) {
    if (size > 0) refuse("caBundle", `${size} bytes`, "local APIServices may not have a caBundle");
    if (unchecked) {
      refuse("insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify");
    }
    return errors;
  }
  for (const member of ["namespace", "name"]) {
    if (textAt(service, member) === "") errors.push(required(`spec.service.${member}`));
  }
  if (unchecked && size > 0) refuse("insecureSkipTLSVerify", true, "may not be true if caBundle is present");
  return errors;
}

const strategy: Strategy = {
  metadataChecksOnUpdate: ["changed", "new"],
  applyDefaults(object) {
    const service = objectAt(specOf(object), "service");
    if (service !== undefined) service["port"] ??= HTTPS_PORT;
  },
  prepareForCreate(object, { clock }) {
    const local = {
      type: "Available",
      status: "True",
      lastTransitionTime: formatTime(clock.now()),
      reason: "Local",
      message: "Local APIServices are always available",
    };
    object["status"] = specOf(object)["service"] === undefined ? { conditions: [local] } : {};
  },
  prepareForUpdate(object, old) {
    object["status"] = old["status"];
  },
  validateName,
  validate,
  validateUpdate: validate,
};

const status: Strategy = {
  prepareForUpdate(object, old) {
    object["spec"] = old["spec"];
    keepOwnMetadata(object, old);
  },
  validateUpdate: (object) =>
    objectsAt(objectAt(object, "status"), "conditions").flatMap((condition, index) => {
      const given = textAt(condition, "status");
      const field = `status.conditions[${index}].status`;
      return STATUSES.includes(given) ? [] : [notSupported(field, given, STATUSES)];
    }),
};

export const apiServices = builtIn("apiregistration.k8s.io/v1", "APIService", {
  type: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService",
  categories: ["api-extensions"],
  namespaceScoped: false,
  columns: [
    NAME,
    column("Service", "Where the server is; Local for this one."),
    column("Available", "Whether it is served."),
    AGE,
  ],
  printRow,
  strategy,
  status,
  storagePrefix: "apiregistration.k8s.io/apiservices",
});
