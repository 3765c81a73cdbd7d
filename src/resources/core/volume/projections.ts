// Volumes of a pod whose files come from elsewhere: from several sources at once, from facts about the pod, or from a claim that
// is made for it. Here is what the rules of the schemas leave to code.
import { type FieldError, forbidden, invalid, required } from "../../../meta/field-error.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../meta/json.ts";
import { isDns1123Subdomain } from "../../../meta/names.ts";
import { formErrors } from "../../checks.ts";
import { isLocalPath } from "../../paths.ts";
import { type CodeRules, objectOf, schemaErrors } from "../../schema-rules.ts";
import { DOWNWARD_FILE_RULES } from "../pod/variables.ts";

const TYPES = "io.k8s.api.core.v1.";
const FILE = `${TYPES}DownwardAPIVolumeFile`;

/** Each file tells one fact. Findings name what holds the files, and not the file among them. */
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
  /** Of which container: only then it is looked at which of its resources. */
  containerResource({ field, value }) {
    const reference = objectOf(value);
    const ofReference = (source: JsonObject): FieldError[] =>
      schemaErrors(`${TYPES}ResourceFieldSelector`, source, { field, code: DOWNWARD_FILE_RULES });
    if (textAt(reference, "containerName") !== "") return ofReference(reference);
    const ofDivisor = ofReference(reference).filter((error) => error.field === `${field}.divisor`);
    return [required(`${field}.containerName`), ...ofDivisor];
  },
};

/** What a source is called, and what it says of each of its files. */
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

/** No two files of all sources have one path. */
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

/** A real server tells of the path as if it were the volume's. */
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
  /** A real server tells of the name as if it were the source's. */
  publishSecret({ field, value }) {
    const name = textAt(objectOf(value), "name");
    const place = field.replace(/\.nodePublishSecretRef$/, ".name");
    return name === "" ? [] : formErrors(isDns1123Subdomain, place, name);
  },
};
