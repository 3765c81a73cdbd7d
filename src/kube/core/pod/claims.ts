// Resource claims of a pod, and the containers that use them.

import { type JsonObject, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  notFoundValue,
  repeated,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../../apimachinery/meta/names.ts";
import { formErrors, invalidStruct } from "../../../apiserver/registry/strategy/checks.ts";
import { eachAt } from "../../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../../apiserver/registry/strategy/internal-struct.ts";

const CLAIM = "io.k8s.api.core.v1.PodResourceClaim";
const SOURCES = ["resourceClaimName", "resourceClaimTemplateName"];
const ONE_OF = "`resourceClaimName`, `resourceClaimTemplateName`";

/** A template has no pod name, which would become part of a claim's name. */
export function validatePodClaims(field: string, spec: JsonObject, podName?: string): FieldError[] {
  const names = new Set<string>();
  return eachAt(field, spec, "resourceClaims", (place, claim) => {
    const given = SOURCES.filter((key) => claim[key] !== undefined);
    const shown = () => structOf(CLAIM, claim);
    return [
      ...validateName(`${place}.name`, claim, names, podName),
      ...(given.length > 1
        ? [invalidStruct(place, shown(), `at most one of ${ONE_OF.replace(",", " or")} may be specified`)]
        : []),
      ...(given.length === 0 ? [invalidStruct(place, shown(), `must specify one of: ${ONE_OF}`)] : []),
      ...given.flatMap((key) => formErrors(isDns1123Subdomain, `${place}.${key}`, textAt(claim, key))),
    ];
  });
}

function validateName(field: string, claim: JsonObject, names: Set<string>, podName = ""): FieldError[] {
  const name = textAt(claim, "name");
  if (name === "") return [required(field)];
  if (names.has(name)) return [duplicate(field, name)];
  names.add(name);
  const errors = formErrors(isDns1123Label, field, name);
  if (errors.length > 0 || podName === "" || claim["resourceClaimTemplateName"] === undefined) return errors;
  const made = `${podName}-${name}`;
  return isDns1123Subdomain(made).map((complaint) =>
    invalid(field, made, `final ResourceClaim name: ${complaint}`),
  );
}

/** A container uses claims of its pod, each as a whole or by its requests. */
export function validateUsedClaims(
  field: string,
  resources: JsonObject | undefined,
  podClaims: ReadonlySet<string>,
): FieldError[] {
  const used = new Set<string>();
  return objectsAt(resources, "claims").flatMap((claim, index) => {
    const place = `${field}.claims[${index}]`;
    const [name, request] = [textAt(claim, "name"), textAt(claim, "request")];
    if (name === "") return [required(place)];
    const errors = usedTwice(place, name, request, used);
    if (podClaims.has(name)) return errors;
    const known = podClaims.size === 0 ? " which is empty" : `: ${[...podClaims].sort().join(", ")}`;
    const { message, ...notFound } = notFoundValue(place, name);
    const detail = `must be one of the names in pod.spec.resourceClaims${known}`;
    return [...errors, { ...notFound, message: `${message}: ${detail}` }];
  });
}

function usedTwice(place: string, name: string, request: string, used: Set<string>): FieldError[] {
  if (used.has(name)) return [duplicate(place, name)];
  if (request !== "") {
    return [
      ...formErrors(isDns1123Label, `${place}.request`, request),
      ...repeated(used, place, `${name}/${request}`),
    ];
  }
  const parts = [...used].filter((key) => key.startsWith(`${name}/`));
  used.add(name);
  return parts.map(() => duplicate(place, name));
}
