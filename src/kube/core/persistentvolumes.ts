// PersistentVolume: storage with a lifetime independent of pods. This server neither provisions nor binds volumes.

import {
  cloneJson,
  equalJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { formatTime } from "../../apimachinery/meta/clock.ts";
import { type FieldError, forbidden, invalid } from "../../apimachinery/meta/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { annotationOf } from "../../apimachinery/meta/storage-class.ts";
import { goStruct } from "../../apimachinery/schema/go/go-struct.ts";
import { schemaLibrary } from "../../apimachinery/schema/go/schema-library.ts";
import type { Strategy } from "../../apiserver/registry/definition/resource-definition.ts";
import { invalidStruct, validateSame } from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import {
  eachAt,
  ensureObject,
  keeping,
  keepingStatus,
  nameOf,
  setDefault,
  specOf,
} from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import { showStructChange } from "./pod/update/show-change.ts";
import { deadVolumeWarnings, RENAMED_LABELS, termWarnings } from "./pod/warnings.ts";
import { CLASS_COLUMNS, classWarnings, MODE_COLUMN, phaseCell, shortModes } from "./volume/shown.ts";
import { validateVolumeSpec } from "./volume/spec-validation.ts";

const CORE = "io.k8s.api.core.v1.";
const SPEC = `${CORE}PersistentVolumeSpec`;
/** Deprecated annotation of mount options. */
const OPTIONS_ANNOTATION = "volume.beta.kubernetes.io/mount-options";
/** Volume sources that support it. */
const WITH_OPTIONS =
  "gcePersistentDisk awsElasticBlockStore glusterfs nfs rbd quobyte iscsi cinder cephfs azureFile vsphereVolume azureDisk photonPersistentDisk".split(
    " ",
  );

const validateSpec = (object: Readonly<JsonObject>): FieldError[] =>
  validateVolumeSpec("spec", specOf(object), nameOf(object));

function validateOptions(object: Readonly<JsonObject>): FieldError[] {
  if (annotationOf(object, OPTIONS_ANNOTATION) === undefined) return [];
  if (WITH_OPTIONS.some((source) => isObject(specOf(object)[source]))) return [];
  const field = `metadata.annotations.${OPTIONS_ANNOTATION}`;
  return [forbidden(field, "may not specify mount options for this volume type")];
}

let names: ReadonlySet<string> | undefined;

/** Members of the struct that is embedded in the spec. */
function sourceNames(): ReadonlySet<string> {
  names ??= new Set(
    [...goStruct(schemaLibrary().resolve(SPEC)).fields]
      .filter(([, { path }]) => path.length > 1)
      .map(([name]) => name),
  );
  return names;
}

const sourceOf = (spec: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => sourceNames().has(name)));

/** The CSI secret for expansion may be added later. */
function withoutNewSecret(source: JsonObject, old: JsonObject): JsonObject {
  const [csi, before] = [objectAt(source, "csi"), objectAt(old, "csi")];
  if (!csi || !before || before["controllerExpandSecretRef"] !== undefined) return source;
  const { controllerExpandSecretRef: _added, ...rest } = csi;
  return { ...source, csi: rest };
}

function validateFixedSource(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const before = sourceOf(oldSpec);
  const after = withoutNewSecret(sourceOf(spec), before);
  if (equalJson(after, before)) return [];
  const [shownBefore, shown] = [before, after].map((source) => structOf(SPEC, source, sourceNames()));
  const rule = "spec.persistentvolumesource is immutable after creation";
  return [forbidden("spec.persistentvolumesource", rule + showStructChange(shownBefore ?? {}, shown ?? {}))];
}

/** Immutable once set, except for renamed node labels. */
function validateFixedAffinity(spec: JsonObject, oldSpec: JsonObject): FieldError[] {
  const [affinity, before] = [objectAt(spec, "nodeAffinity"), objectAt(oldSpec, "nodeAffinity")];
  if (before === undefined || equalJson(affinity, withNewLabels(before, affinity))) return [];
  const rule = "field is immutable, except for updating from beta label to GA";
  if (affinity === undefined) return [invalid("nodeAffinity", null, rule)];
  return [invalidStruct("nodeAffinity", structOf(`${CORE}VolumeNodeAffinity`, affinity), rule)];
}

/** The old affinity with renamed labels where the new one has them. */
function withNewLabels(before: JsonObject, after: JsonObject | undefined): JsonObject {
  const termsOf = (affinity: JsonObject | undefined) =>
    objectsAt(objectAt(affinity, "required"), "nodeSelectorTerms");
  const wanted = termsOf(after);
  const renamed = cloneJson(before);
  for (const [index, term] of termsOf(renamed).entries()) {
    const expressions = objectsAt(wanted[index], "matchExpressions");
    for (const [place, expression] of objectsAt(term, "matchExpressions").entries()) {
      const name = RENAMED_LABELS[textAt(expression, "key")]?.name;
      if (name !== undefined && expressions[place]?.["key"] === name) expression["key"] = name;
    }
  }
  return renamed;
}

function validateUpdate(object: Readonly<JsonObject>, old: Readonly<JsonObject>): FieldError[] {
  const [spec, oldSpec] = [specOf(object), specOf(old)];
  const member = "volumeAttributesClassName";
  return [
    ...validateSpec(object),
    ...validateOptions(object),
    ...validateSpec(object), // upstream reports all findings twice
    ...validateFixedSource(spec, oldSpec),
    ...validateSame("volumeMode", spec["volumeMode"], oldSpec["volumeMode"]),
    ...validateFixedAffinity(spec, oldSpec),
    ...(oldSpec[member] !== undefined && spec[member] === undefined
      ? [forbidden(`spec.${member}`, "update from non-nil value to nil is forbidden")]
      : []),
  ];
}

function applyDefaults(object: KubeObject): void {
  const spec = ensureObject(object, "spec");
  setDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
  spec["volumeMode"] ??= "Filesystem";
}

/** Deprecated sources with a warning, in their order. */
const TOLD_SOURCES = ["cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd"];
const RECYCLE_TEXT =
  "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";

function warnings(object: Readonly<JsonObject>): string[] {
  const spec = specOf(object);
  const annotations = `metadata.annotations[${OPTIONS_ANNOTATION}]`;
  const required = objectAt(objectAt(spec, "nodeAffinity"), "required");
  return [
    ...classWarnings(object),
    ...(annotationOf(object, OPTIONS_ANNOTATION) === undefined
      ? []
      : [`${annotations}: deprecated since v1.31; use "mountOptions" attribute instead`]),
    ...(spec["persistentVolumeReclaimPolicy"] === "Recycle"
      ? [`spec.persistentVolumeReclaimPolicy: ${RECYCLE_TEXT}`]
      : []),
    ...eachAt("spec.nodeAffinity.required", required, "nodeSelectorTerms", (field, term) =>
      termWarnings(field, term),
    ),
    ...deadVolumeWarnings("spec", spec, TOLD_SOURCES),
  ];
}

const strategy: Strategy = {
  ...keepingStatus({}),
  metadataChecksOnUpdate: ["new", "new"],
  applyDefaults,
  prepareForCreate(object, { clock }) {
    object["status"] = { phase: "Pending", lastPhaseTransitionTime: formatTime(clock.now()) };
  },
  validate: (object) => [...validateSpec(object), ...validateOptions(object)],
  validateUpdate,
  warnings,
};

const keepingSpec = keeping("spec");

/** The transition time is kept while the phase is the same, and set to the current time unless the client sets it. */
const status: Strategy = {
  ...keepingSpec,
  prepareForUpdate(object, old, { clock }) {
    keepingSpec.prepareForUpdate(object, old);
    const now = ensureObject(object, "status");
    const before = objectAt(old, "status") ?? {};
    const { lastPhaseTransitionTime: time } = before;
    const given = now["lastPhaseTransitionTime"];
    if (now["phase"] === before["phase"]) {
      if (given === undefined && time !== undefined) now["lastPhaseTransitionTime"] = time;
    } else if (given === undefined || given === time) {
      now["lastPhaseTransitionTime"] = formatTime(clock.now());
    }
  },
};

function claimCell(object: Readonly<JsonObject>): string {
  const claim = objectAt(specOf(object), "claimRef");
  return claim === undefined ? "" : `${textAt(claim, "namespace")}/${textAt(claim, "name")}`;
}

export const persistentVolumes = builtIn("v1", "PersistentVolume", {
  shortNames: ["pv"],
  namespaceScoped: false,
  columns: [
    NAME,
    column(
      "Capacity",
      "How large the volume is.",
      (object) => textAt(objectAt(specOf(object), "capacity"), "storage") || "0",
    ),
    column("Access Modes", "How the volume can be used.", (object) =>
      shortModes(textsAt(specOf(object), "accessModes")),
    ),
    column(
      "Reclaim Policy",
      "What becomes of the volume without its claim.",
      "spec.persistentVolumeReclaimPolicy",
    ),
    column("Status", "Whether the volume is bound.", phaseCell),
    column("Claim", "The claim that the volume is bound to.", claimCell),
    ...CLASS_COLUMNS,
    column("Reason", "Word for the cause of a failure.", "status.reason"),
    AGE,
    MODE_COLUMN,
  ],
  strategy,
  status,
  returnsDeletedObject: true,
});
