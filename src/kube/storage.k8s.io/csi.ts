// CSI objects. CSIDriver: requirements and capabilities of a driver.

import {
  equalJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import {
  type FieldError,
  invalid,
  notSupported,
  repeated,
  required,
} from "../../apimachinery/meta/field-error.ts";
import { append } from "../../apimachinery/meta/lists.ts";
import { isQualifiedName } from "../../apimachinery/meta/names.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { formErrors, invalidStruct } from "../../apiserver/registry/strategy/checks.ts";
import {
  AGE,
  booleanColumn,
  column,
  integerColumn,
  itemsIn,
  NAME,
  type PrintedColumn,
} from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { isTrue, specOf } from "../../apiserver/registry/strategy/fields.ts";
import { structOf } from "../../apiserver/registry/strategy/internal-struct.ts";
import type { CodeRules, Place } from "../../apiserver/registry/strategy/schema-rules.ts";
import { labelKeyWarnings, termWarnings } from "../core/pod/warnings.ts";

const MODES = ["Persistent", "Ephemeral"];
/** Fields that count for the generation. */
const COUNTED = ["tokenRequests", "requiresRepublish", "seLinuxMount", "nodeAllocatableUpdatePeriodSeconds"];

const driverRules: CodeRules = {
  modes: ({ field, value }) =>
    [value]
      .flat()
      .flatMap((mode) => (MODES.includes(String(mode)) ? [] : [notSupported(field, mode, MODES)])),
  tokens: ({ field, value, owner }) =>
    objectsAt(owner, "tokenRequests").length > 0
      ? []
      : [invalid(field, value, "serviceAccountTokenInSecrets is set but no tokenRequests are specified")],
};

/** Behind a feature gate that is off; kept if the old object has it. */
function dropUnused(object: KubeObject, old?: Readonly<KubeObject>): void {
  const member = "preventPodSchedulingIfMissing";
  if (specOf(old)[member] === undefined) delete specOf(object)[member];
}

const flagColumn = (name: string, description: string, member: string): PrintedColumn =>
  booleanColumn(name, description, (object) => isTrue(specOf(object), member));

function audiencesCell(object: Readonly<JsonObject>): string {
  const requests = objectsAt(specOf(object), "tokenRequests");
  return requests.length === 0 ? "<unset>" : requests.map((request) => textAt(request, "audience")).join(",");
}

export const csiDrivers = builtIn("storage.k8s.io/v1", "CSIDriver", {
  namespaceScoped: false,
  columns: [
    NAME,
    flagColumn("AttachRequired", "Whether volumes are attached before they are mounted.", "attachRequired"),
    flagColumn("PodInfoOnMount", "Whether the driver is told which pod a volume is for.", "podInfoOnMount"),
    flagColumn("StorageCapacity", "Whether the driver says where there is room.", "storageCapacity"),
    column("TokenRequests", "Whom the tokens are for that the driver gets.", audiencesCell),
    flagColumn(
      "RequiresRepublish",
      "Whether the driver is called again from time to time.",
      "requiresRepublish",
    ),
    column("Modes", "Which volumes it offers.", (object) =>
      textsAt(specOf(object), "volumeLifecycleModes").join(","),
    ),
    AGE,
  ],
  strategy: {
    prepareForCreate: (object) => dropUnused(object),
    prepareForUpdate(object, old) {
      dropUnused(object, old);
      const changed = COUNTED.some((member) => !equalJson(specOf(object)[member], specOf(old)[member]));
      if (changed) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
  },
  rules: driverRules,
  returnsDeletedObject: true,
});

// CSINode: drivers on a node, and their IDs of the node.

const NODE_ID_BYTES_MAX = 192;
const DRIVER = "io.k8s.api.storage.v1.CSINodeDriver";

/** Field paths have the driver's name instead of the member. */
function validateTopologyKeys({ field, owner }: Place): FieldError[] {
  const seen = new Set<unknown>();
  const errors: FieldError[] = [];
  for (const key of textsAt(owner, "topologyKeys")) {
    if (key === "") errors.push(required(field));
    append(errors, repeated(seen, field, key), formErrors(isQualifiedName, field, key));
  }
  return errors;
}

/** A driver that stays on the node keeps its node ID and topology; only the allocatable count may change. */
function keptDrivers({ owner, old }: Place): FieldError[] {
  const before = new Map(objectsAt(specOf(old), "drivers").map((driver) => [textAt(driver, "name"), driver]));
  return objectsAt(specOf(owner), "drivers").flatMap((driver) => {
    const known = before.get(textAt(driver, "name"));
    const same = known === undefined || equalJson({ ...driver, allocatable: known["allocatable"] }, known);
    return same ? [] : [invalidStruct("spec.drivers", structOf(DRIVER, driver), "field is immutable")];
  });
}

export const csiNodes = builtIn("storage.k8s.io/v1", "CSINode", {
  namespaceScoped: false,
  columns: [
    NAME,
    integerColumn("Drivers", "How many drivers are on the node.", itemsIn("spec.drivers")),
    AGE,
  ],
  strategy: {
    metadataChecksOnUpdate: ["new"],
    emptyListsStoredAsNull: [["spec", "drivers"]],
  },
  rules: {
    nodeId: ({ field, value }) =>
      Buffer.byteLength(String(value)) > NODE_ID_BYTES_MAX
        ? [invalid(field, value, `must be ${NODE_ID_BYTES_MAX} characters or less`)]
        : [],
    topologyKeys: validateTopologyKeys,
    kept: keptDrivers,
  },
  returnsDeletedObject: true,
});

// CSIStorageCapacity: available capacity of a driver in one topology segment.

const CAPACITY = "io.k8s.api.storage.v1.CSIStorageCapacity";

/** The topology segment is immutable. */
function keptTopology({ owner, old }: Place): FieldError[] {
  const member = "nodeTopology";
  if (old === undefined || equalJson(owner[member], old[member])) return [];
  const { NodeTopology: shown } = structOf(CAPACITY, owner, new Set([member]));
  const rule = "field is immutable";
  return [isObject(shown) ? invalidStruct(member, shown, rule) : invalid(member, null, rule)];
}

export const csiStorageCapacities = builtIn("storage.k8s.io/v1", "CSIStorageCapacity", {
  resource: "csistoragecapacities",
  strategy: {
    metadataChecksOnUpdate: ["new", "changed"],
    warnings(object) {
      const topology = objectAt(object, "nodeTopology");
      return [
        ...termWarnings("nodeTopology", topology ?? {}),
        ...labelKeyWarnings(objectAt(topology, "matchLabels"), (key) => `nodeTopology.matchLabels.${key}`),
      ];
    },
  },
  rules: { reach: keptTopology },
});
