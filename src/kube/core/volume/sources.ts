// Volume sources of pods and PersistentVolumes: of several sources the first one is validated, by rules of its own. These
// are the code rules of their schemas.

import { isObject, type JsonObject, lookupTable, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { isDns1123Label } from "../../../apimachinery/meta/names.ts";
import { formErrors } from "../../../apiserver/registry/strategy/checks.ts";
import {
  type CodeRules,
  objectOf,
  type Place,
  ruledMembers,
} from "../../../apiserver/registry/strategy/schema-rules.ts";

/** Sources with another name in messages. */
const CALLED: Readonly<Record<string, string>> = lookupTable({ cephfs: "cephFS", downwardAPI: "downwarAPI" });

interface CountedSources {
  /** The volume with at most one source: the first one in the order of its rules. */
  readonly counted: JsonObject;
  /** Errors for no source, or for several. */
  readonly errors: FieldError[];
}

/** Sources are the struct members of the type that have rules. `free` is a source that is allowed besides another one. */
export function countSources(type: string, field: string, volume: JsonObject, free?: string): CountedSources {
  const [first, ...more] = ruledMembers(type).filter((name) => isObject(volume[name]));
  const others = more.filter((name) => name !== free);
  return {
    counted: Object.fromEntries(Object.entries(volume).filter(([name]) => !others.includes(name))),
    errors:
      first === undefined
        ? [required(field, "must specify a volume type")]
        : others.map((name) =>
            forbidden(`${field}.${CALLED[name] ?? name}`, "may not specify more than 1 volume type"),
          ),
  };
}

export const SOURCE_RULES: CodeRules = {
  diskUri: ({ field, value, owner }) => validateDiskUri(field, String(value), owner["kind"]),
  fcTargets: ({ field, owner }) => validateFcTargets(field, owner),
  flexOptions: ({ field, value }) => Object.keys(objectOf(value)).flatMap((key) => reserved(field, key)),
  flocker: ({ field, owner }) => validateDataset(field, owner),
  noSlash: ({ field, value }) =>
    String(value).includes("/") ? [invalid(field, value, "must not contain '/'")] : [],
  iscsiName: ({ field, value }) => validateIscsiName(field, String(value)),
  quobyteRegistry: validateQuobyte,
};

const DISK_URIS = {
  managed: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
  blob: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
};

function validateDiskUri(field: string, uri: string, kind: unknown): FieldError[] {
  const [start, form] =
    kind === "Managed" ? ["/subscriptions/", DISK_URIS.managed] : ["https://", DISK_URIS.blob];
  return uri.startsWith(start) ? [] : [notSupported(field, uri, [form])];
}

const LUN_MAX = 255;

function validateFcTargets(field: string, source: JsonObject): FieldError[] {
  const targets = textsAt(source, "targetWWNs");
  const ids = textsAt(source, "wwids");
  const place = `${field}.targetWWNs`;
  if (targets.length === 0) {
    return ids.length > 0 ? [] : [required(place, "must specify either targetWWNs or wwids, but not both")];
  }
  const { lun } = source;
  return [
    ...(ids.length > 0
      ? [invalid(place, targets, "targetWWNs and wwids can not be specified simultaneously")]
      : []),
    ...(lun === undefined ? [required(`${field}.lun`, "lun is required if targetWWNs is specified")] : []),
    ...(Number(lun) < 0 || Number(lun) > LUN_MAX
      ? [invalid(`${field}.lun`, lun, `must be between 0 and ${LUN_MAX}, inclusive`)]
      : []),
  ];
}

/** Options of Kubernetes' own domains are reserved. */
function reserved(field: string, key: string): FieldError[] {
  const [domain = ""] = key.toLowerCase().split("/");
  const isReserved = [".kubernetes.io", ".k8s.io"].some((end) => `.${domain}`.endsWith(end));
  return isReserved
    ? [invalid(`${field}[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved")]
    : [];
}

function validateDataset(field: string, source: JsonObject): FieldError[] {
  const given = ["datasetName", "datasetUUID"].filter((member) => textAt(source, member) !== "");
  if (given.length === 0) return [required(field, "one of datasetName and datasetUUID is required")];
  if (given.length === 1) return [];
  return [invalid(field, "resource", "datasetName and datasetUUID can not be specified simultaneously")];
}

const ISCSI_NAMES: readonly (readonly [start: string, form: RegExp])[] = [
  ["iqn", /iqn\.\d{4}-\d{2}\.([0-9A-Za-z.-]+)(:[^,;*&$|\s]+)$/],
  ["eui", /^eui.[0-9A-Za-z]{16}$/],
  ["naa", /^naa.[0-9A-Za-z]{32}$/],
];

function validateIscsiName(field: string, name: string): FieldError[] {
  const form = ISCSI_NAMES.find(([start]) => name.startsWith(start))?.[1];
  if (form === undefined)
    return [invalid(field, name, "must be valid format starting with iqn, eui, or naa")];
  return form.test(name) ? [] : [invalid(field, name, "must be valid format")];
}

const TENANT_BYTES_MAX = 64;
const REGISTRY_RULE = "must be a host:port pair or multiple pairs separated by commas";

function validateQuobyte({ field, owner }: Place): FieldError[] {
  const registry = textAt(owner, "registry");
  if (registry === "") return [required(`${field}.registry`, REGISTRY_RULE)];
  if (Buffer.byteLength(textAt(owner, "tenant")) > TENANT_BYTES_MAX) {
    const rule = `must be a UUID and may not exceed a length of ${TENANT_BYTES_MAX} characters`;
    return [required(`${field}.tenant`, rule)];
  }
  const wrong = registry.split(",").filter((pair) => !HOST_AND_PORT.test(pair));
  return wrong.map(() => invalid(`${field}.registry`, registry, REGISTRY_RULE));
}

/** Host and port, an IPv6 address in brackets; either may be empty. */
const HOST_AND_PORT = /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;

// Sources of PersistentVolumes only.

const PORTAL_LENGTH_MAX = 64;

/** Rules for a volume with this name. */
export const persistentSourceRules = (name: string): CodeRules => ({
  ...SOURCE_RULES,
  notEmpty: ({ field, value }) => (value === "" ? [required(field)] : []),
  endpointsNamespace({ field, value }) {
    if (value !== "") return formErrors(isDns1123Label, field, String(value));
    return [invalid(field, "", "if the endpointnamespace is set, it must be a valid namespace name")];
  },
  /** As for pods, volume name and target portal form one name of limited length; upstream spells the member this way. */
  portalOfInitiator({ field, owner }) {
    const portal = textAt(owner, "targetPortal");
    const isLong = Buffer.byteLength(`${name}:${portal}`) > PORTAL_LENGTH_MAX;
    const rule = `Total length of <volume name>:<iscsi.targetPortal> must be under ${PORTAL_LENGTH_MAX} characters if iscsi.initiatorName is specified.`;
    return isLong && owner["initiatorName"] !== undefined
      ? [invalid(`${field}.targetportal`, portal, rule)]
      : [];
  },
});
