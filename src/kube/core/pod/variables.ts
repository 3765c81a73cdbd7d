// Value sources of environment variables, and of files in a downward API volume.
import { canonicalQuantity } from "../../../apimachinery/go/quantity.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  invalid,
  notFoundValue,
  notSupported,
} from "../../../apimachinery/meta/field-error.ts";
import { isQualifiedName } from "../../../apimachinery/meta/names.ts";
import { formErrors, ofList } from "../../../apiserver/registry/strategy/checks.ts";
import { eachAt } from "../../../apiserver/registry/strategy/fields.ts";
import { type CodeRules, objectOf, type Place } from "../../../apiserver/registry/strategy/schema-rules.ts";
import { visitContainers } from "./systems.ts";

const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
const ONE_TOO_MANY = "may not have more than one field specified at a time";

/** A variable has a value, or exactly one source. */
export function validateVariableSource({ field, value, owner }: Place): FieldError[] {
  const given = SOURCES.filter((key) => isObject(objectOf(value)[key]));
  if (given.length === 0) {
    const rule =
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    return [invalid(field, "", rule)];
  }
  if (textAt(owner, "value") !== "")
    return [invalid(field, "", "may not be specified when `value` is not empty")];
  return given.length > 1 ? [invalid(field, "", ONE_TOO_MANY)] : [];
}

export function validateEnvFrom({ field, owner }: Place): FieldError[] {
  const given = ["configMapRef", "secretRef"].filter((key) => isObject(owner[key]));
  if (given.length === 0) {
    return [invalid(ofList(field), "", "must specify one of: `configMapRef` or `secretRef`")];
  }
  return given.length > 1 ? [invalid(ofList(field), "", ONE_TOO_MANY)] : [];
}

/** fileKeyRef needs an emptyDir volume. */
export const validateFileKeys = (field: string, spec: JsonObject): FieldError[] =>
  visitContainers(field, spec, (holder, container) =>
    eachAt(holder, container, "env", (place, variable) => {
      const file = objectAt(objectAt(variable, "valueFrom"), "fileKeyRef");
      if (file === undefined) return [];
      const name = textAt(file, "volumeName");
      const at = `${place}.valueFrom.fileKeyRef.volumeName`;
      const volume = objectsAt(spec, "volumes").findLast((item) => textAt(item, "name") === name);
      if (volume === undefined) return [notFoundValue(at, name)];
      if (isObject(volume["emptyDir"])) return [];
      return [invalid(at, name, "referenced volume must be of type emptyDir")];
    }),
  );

/** Known fields of a pod; any other field is rejected. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  "metadata.annotations metadata.labels metadata.name metadata.namespace metadata.uid spec.nodeName spec.restartPolicy spec.serviceAccountName spec.schedulerName status.phase status.hostIP status.hostIPs status.podIP status.podIPs spec.host".split(
    " ",
  ),
);
const KEYED_FIELDS = ["metadata.annotations", "metadata.labels"];
const SUBSCRIPT = /^(.+)\['([^']*)'\]$/;

const COMMON_FIELDS = ["metadata.name", "metadata.namespace", "metadata.uid"];
const OF_VARIABLES = [
  ...COMMON_FIELDS,
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const OF_FILES = [...KEYED_FIELDS, ...COMMON_FIELDS].sort();

const fieldPathRule =
  (supported: readonly string[]) =>
  ({ field, value, owner }: Place): FieldError[] => {
    const label = String(value);
    const version = textAt(owner, "apiVersion");
    const unknown = (why: string) => [invalid(field, label, `error converting fieldPath: ${why}`)];
    if (version !== "v1") return unknown(`unsupported pod version: ${version}`);
    const [, path, key = ""] = SUBSCRIPT.exec(label) ?? [];
    if (path !== undefined) {
      if (!KEYED_FIELDS.includes(path)) return unknown(`field label does not support subscript: ${label}`);
      const reference = field.replace(/\.fieldPath$/, ""); // the field path of upstream's error
      return formErrors(
        isQualifiedName,
        reference,
        path === "metadata.annotations" ? key.toLowerCase() : key,
      );
    }
    if (!KNOWN_FIELDS.has(label)) return unknown(`field label not supported: ${label}`);
    const inside = label === "spec.host" ? "spec.nodeName" : label;
    return supported.includes(inside) ? [] : [notSupported(field, inside, supported)];
  };

const RESOURCES = ["limits", "requests"].flatMap((kind) =>
  ["cpu", "ephemeral-storage", "memory"].map((name) => `${kind}.${name}`),
);
const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/;
const SIZES = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

function validateResource({ field, value }: Place): FieldError[] {
  const name = String(value);
  return RESOURCES.includes(name) || HUGE_PAGES.test(name) ? [] : [notSupported(field, name, RESOURCES)];
}

/** Unit of the exposed quantity. */
function validateDivisor({ field, value, owner }: Place): FieldError[] {
  const name = textAt(owner, "resource");
  const divisor = canonicalQuantity(String(value));
  const what = unitsOf(name);
  if (divisor === "0" || what === undefined || what.units.includes(divisor)) return [];
  const shown = what.units === SIZES ? SIZES.join(", ") : "1m and 1";
  return [
    invalid(field, name, `only divisor's values ${shown} are supported with the ${what.called} resource`),
  ];
}

function unitsOf(name: string): { readonly called: string; readonly units: readonly string[] } | undefined {
  if (name.endsWith(".cpu")) return { called: "cpu", units: ["1m", "1"] };
  if (name.endsWith(".memory")) return { called: "memory", units: SIZES };
  if (name.endsWith(".ephemeral-storage")) return { called: "local ephemeral storage", units: SIZES };
  return HUGE_PAGES.test(name) ? { called: "hugepages", units: SIZES } : undefined;
}

/** Fields and resources that variables and files can expose. */
const downwardRules = (fields: readonly string[]): CodeRules => ({
  fieldPath: fieldPathRule(fields),
  resource: validateResource,
  divisor: validateDivisor,
});

export const VARIABLE_RULES: CodeRules = {
  ...downwardRules(OF_VARIABLES),
  valueFrom: validateVariableSource,
  envFrom: validateEnvFrom,
};

export const DOWNWARD_FILE_RULES = downwardRules(OF_FILES);
