// Volumes of a pod: each has a unique name and exactly one source.

import { quantityNanos } from "../../../apimachinery/go/quantity.ts";
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { isObject, type JsonObject, objectAt, textAt } from "../../../apimachinery/json/json.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { isDns1123Subdomain } from "../../../apimachinery/meta/names.ts";
import { type CodeRules, objectOf, schemaErrors } from "../../../apiserver/registry/strategy/schema-rules.ts";
import { templateMetadataErrors } from "../../template-metadata.ts";
import { validateClaimSpec } from "../persistentvolumeclaims.ts";
import { PROJECTION_RULES } from "./projections.ts";
import { countSources, SOURCE_RULES } from "./sources.ts";

const VOLUME = "io.k8s.api.core.v1.Volume";

/** Valid volumes by name, and the errors of the others. A Pod, unlike a template, has a name. */
export function validateVolumes(
  field: string,
  volumes: readonly JsonObject[],
  podName = "",
): { readonly errors: FieldError[]; readonly sources: ReadonlyMap<string, JsonObject> } {
  const sources = new Map<string, JsonObject>();
  const made = new Set(
    volumes
      .filter((volume) => podName !== "" && isObject(volume["ephemeral"]))
      .map((volume) => `${podName}-${textAt(volume, "name")}`),
  );
  const errors = volumes.flatMap((volume, index) => {
    const place = `${field}[${index}]`;
    const name = textAt(volume, "name");
    const found = validateVolume(place, volume, podName);
    if (sources.has(name)) found.push(duplicate(`${place}.name`, name));
    if (found.length === 0) sources.set(name, volume);
    const claim = textAt(objectAt(volume, "persistentVolumeClaim"), "claimName");
    const rule = "must not reference a PVC that gets created for an ephemeral volume";
    return made.has(claim)
      ? [...found, invalid(`${place}.persistentVolumeClaim.claimName`, claim, rule)]
      : found;
  });
  return { errors, sources };
}

/** The name is validated last. */
function validateVolume(field: string, volume: JsonObject, podName: string): FieldError[] {
  const { counted, errors } = countSources(VOLUME, field, volume);
  const code = {
    ...SOURCE_RULES,
    ...PROJECTION_RULES,
    ...rulesOf(volume, podName),
    sources: () => errors,
  };
  return schemaErrors(VOLUME, counted, { field, code });
}

const PORTAL_LENGTH_MAX = 64;

const rulesOf = (volume: JsonObject, podName: string): CodeRules => {
  const name = textAt(volume, "name");
  return {
    sizeLimit: ({ field, value }) =>
      quantityNanos(value) < 0n
        ? [forbidden(field, "SizeLimit field must be a valid resource quantity")]
        : [],
    /** With an initiator name, volume name and target portal form one name of limited length. */
    portalOfInitiator({ field, owner }) {
      const source = objectAt(owner, "iscsi");
      const isLong = Buffer.byteLength(`${name}:${textAt(source, "targetPortal")}`) > PORTAL_LENGTH_MAX;
      const rule = `Total length of <volume name>:<iscsi.targetPortal> must be under ${PORTAL_LENGTH_MAX} characters if iscsi.initiatorName is specified.`;
      return isLong && source?.["initiatorName"] !== undefined ? [invalid(`${field}.name`, name, rule)] : [];
    },
    claimTemplate: ({ field, value }) => [
      ...templateMetadataErrors(`${field}.metadata`, objectAt(objectOf(value), "metadata") ?? {}),
      ...validateClaimSpec(`${field}.spec`, objectOf(value)),
    ],
    /** The generated claim's name consists of pod and volume name. */
    claimName({ field }) {
      if (podName === "" || name === "") return [];
      const claim = `${podName}-${name}`;
      return isDns1123Subdomain(claim).map((complaint) =>
        invalid(`${field}.name`, name, `PVC name ${goQuote(claim)}: ${complaint}`),
      );
    },
    /** A template may omit it, because another component may set it. */
    imageReference: ({ field, value }) => (podName !== "" && value === "" ? [required(field)] : []),
  };
};
