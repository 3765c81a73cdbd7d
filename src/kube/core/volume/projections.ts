// Volumes of a pod with derived content: projected, downwardAPI and ephemeral. These are the code rules of their schemas.

import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid, required } from "../../../apimachinery/meta/field-error.ts";
import { isDns1123Subdomain } from "../../../apimachinery/meta/names.ts";
import { formErrors } from "../../../apiserver/registry/strategy/checks.ts";
import { isLocalPath } from "../../../apiserver/registry/strategy/paths.ts";
import { type CodeRules, objectOf, schemaErrors } from "../../../apiserver/registry/strategy/schema-rules.ts";
import { DOWNWARD_FILE_RULES } from "../pod/variables.ts";

const TYPES = "io.k8s.api.core.v1.";
const FILE = `${TYPES}DownwardAPIVolumeFile`;

/** Each file exposes one field or resource. Errors name the list of files, not the item. */
const fileErrors = (field: string, file: JsonObject): FieldError[] =>
  schemaErrors(FILE, file, { field, code: FILE_RULES });

const FILE_RULES: CodeRules = {
  ...DOWNWARD_FILE_RULES,
  bothReferences: ({ field }) => [
    invalid(
      field.replace(/\.resourceFieldRef$/, ""),
      "resource",
      "fieldRef and resourceFieldRef can not be specified simultaneously",
    ),
  ],
  noReference: ({ field }) => [required(field, "one of fieldRef and resourceFieldRef is required")],
  /** The resource is validated only if the container is set. */
  containerResource({ field, value }) {
    const reference = objectOf(value);
    const ofReference = (source: JsonObject): FieldError[] =>
      schemaErrors(`${TYPES}ResourceFieldSelector`, source, { field, code: DOWNWARD_FILE_RULES });
    if (textAt(reference, "containerName") !== "") return ofReference(reference);
    const ofDivisor = ofReference(reference).filter((error) => error.field === `${field}.divisor`);
    return [required(`${field}.containerName`), ...ofDivisor];
  },
};

/** Name of a source, and the type of its files. */
const KEYED = [
  ["secret", "SecretProjection"],
  ["configMap", "ConfigMapProjection"],
] as const;
const PROJECTIONS = [
  "secret",
  "configMap",
  "downwardAPI",
  "serviceAccountToken",
  "clusterTrustBundle",
  "podCertificate",
];
const CONFLICT = "conflicting duplicate paths";

/** File paths of all sources are unique. */
function projectionErrors(field: string, volume: JsonObject): FieldError[] {
  const paths = new Set<string>();
  const taken = (path: string, shown: string): FieldError[] => {
    if (path === "" || !paths.has(path)) {
      paths.add(path);
      return [];
    }
    return [invalid(field, shown, CONFLICT)];
  };
  return objectsAt(volume, "sources").flatMap((source, index) => {
    const place = `${field}.sources[${index}]`;
    return [
      ...KEYED.flatMap(([key, type]) => keyedErrors(`${place}.${key}`, type, objectAt(source, key), taken)),
      ...objectsAt(objectAt(source, "downwardAPI"), "items").flatMap((file) => [
        ...fileErrors(`${place}.downwardAPI`, file),
        ...taken(textAt(file, "path"), textAt(file, "path")),
      ]),
      ...tokenErrors(field, `${place}.serviceAccountToken`, objectAt(source, "serviceAccountToken")),
      ...(PROJECTIONS.filter((key) => isObject(source[key])).length > 1
        ? [forbidden(place, "may not specify more than 1 volume type per source")]
        : []),
    ];
  });
}

function keyedErrors(
  field: string,
  type: string,
  source: JsonObject | undefined,
  taken: (path: string, shown: string) => FieldError[],
): FieldError[] {
  if (source === undefined) return [];
  const name = textAt(source, "name");
  return [
    ...schemaErrors(TYPES + type, source, { field }),
    ...objectsAt(source, "items").flatMap((item, index) => [
      ...schemaErrors(`${TYPES}KeyToPath`, item, { field: `${field}.items[${index}]` }),
      ...taken(textAt(item, "path"), name),
    ]),
  ];
}

/** Upstream's field path is that of the volume. */
function tokenErrors(volume: string, field: string, token: JsonObject | undefined): FieldError[] {
  if (token === undefined) return [];
  const path = textAt(token, "path");
  return [
    ...schemaErrors(`${TYPES}ServiceAccountTokenProjection`, token, { field }),
    ...(path === "" ? [required(`${volume}.path`)] : formErrors(isLocalPath, `${volume}.path`, path)),
  ];
}

export const PROJECTION_RULES: CodeRules = {
  ...DOWNWARD_FILE_RULES,
  files: ({ field, value }) =>
    objectsAt({ value }, "value").flatMap((file) => fileErrors(field.replace(/\.items$/, ""), file)),
  projections: ({ field, owner }) => projectionErrors(field.replace(/\.sources$/, ""), owner),
  /** Upstream's field path is that of the source. */
  publishSecret({ field, value }) {
    const name = textAt(objectOf(value), "name");
    const place = field.replace(/\.nodePublishSecretRef$/, ".name");
    return name === "" ? [] : formErrors(isDns1123Subdomain, place, name);
  },
};
