// Resource claims and containers in the status of a Pod: users of the containers, and health of their devices.

import { type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../../apimachinery/meta/field-error.ts";
import { isDns1123Label } from "../../../apimachinery/meta/names.ts";
import { formErrors } from "../../../apiserver/registry/strategy/checks.ts";
import { eachAt } from "../../../apiserver/registry/strategy/fields.ts";
import { type CodeRules, schemaErrors } from "../../../apiserver/registry/strategy/schema-rules.ts";

const CORE = "io.k8s.api.core.v1.";

/** Claim statuses refer to claims of the spec, extended resources to those that containers request. */
export function validateClaimStatuses(status: JsonObject, spec: JsonObject | undefined): FieldError[] {
  const claims = new Set(objectsAt(spec, "resourceClaims").map((claim) => textAt(claim, "name")));
  const rule = "must match the name of an entry in `spec.resourceClaims`";
  const code: CodeRules = {
    claimed: ({ field, value }) => (claims.has(String(value)) ? [] : [invalid(field, value, rule)]),
    mappings: ({ field, owner }) => validateMappings(field, owner, spec),
  };
  const extended = objectAt(status, "extendedResourceClaimStatus");
  return [
    ...schemaErrors(`${CORE}PodResourceClaimStatus`, objectsAt(status, "resourceClaimStatuses"), {
      field: "status.resourceClaimStatuses",
      code,
    }),
    ...(extended === undefined
      ? []
      : schemaErrors(`${CORE}PodExtendedResourceClaimStatus`, extended, {
          field: "status.extendedResourceClaimStatus",
          code,
        })),
  ];
}

const MAPPED = ["containerName", "resourceName", "requestName"] as const;
const OF_CONTAINER = "spec.initContainers.name or spec.containers.name";
const OF_REQUESTS = "spec.initContainers.resources.requests or spec.containers.resources.requests";

function validateMappings(field: string, owner: JsonObject, spec: JsonObject | undefined): FieldError[] {
  const containers = new Map(
    ["initContainers", "containers"].flatMap((list) =>
      objectsAt(spec, list).map((container) => [textAt(container, "name"), container]),
    ),
  );
  const seen = new Set<string>();
  return eachAt(field, owner, "requestMappings", (place, mapping) => {
    const [containerName = "", resourceName = "", requestName = ""] = MAPPED.map((key) =>
      textAt(mapping, key),
    );
    const container = containers.get(containerName);
    const requests = objectAt(objectAt(container, "resources"), "requests");
    const errors =
      container === undefined
        ? [
            invalid(
              `${place}.containerName`,
              containerName,
              `must match the name of an entry in ${OF_CONTAINER}`,
            ),
          ]
        : requests?.[resourceName] === undefined
          ? [
              invalid(
                `${place}.resourceName`,
                resourceName,
                `must match the extended resource name of an entry in ${OF_REQUESTS}`,
              ),
            ]
          : [];
    const key = JSON.stringify([containerName, resourceName, requestName]);
    const isTwice = seen.has(key);
    seen.add(key);
    return [
      ...errors,
      ...formErrors(isDns1123Label, `${field}.requestName`, requestName),
      ...(isTwice ? MAPPED.map((member) => duplicate(`${place}.${member}`, textAt(mapping, member))) : []),
    ];
  });
}

const LISTS = ["containers", "initContainers", "ephemeralContainers"] as const;
const statusesOf = (list: string): string => `${list.slice(0, -1)}Statuses`;

/** Rule by rule, each for all containers. */
export function validateContainerStatuses(status: JsonObject, spec: JsonObject | undefined): FieldError[] {
  const system = textAt(objectAt(spec, "os"), "name") || "linux";
  return [
    ...LISTS.flatMap((list) =>
      eachAt("status", status, statusesOf(list), (place, item) => validateUser(place, item, system)),
    ),
    ...LISTS.flatMap((list) =>
      eachAt("status", status, statusesOf(list), (place, item) => {
        const devices = objectsAt(item, "allocatedResourcesStatus");
        const field = `${place}.allocatedResourcesStatus`;
        if (list !== "ephemeralContainers")
          return validateDevices(field, devices, item, objectsAt(spec, list));
        return devices.length > 0 ? [forbidden(field, "must not be specified in container status")] : [];
      }),
    ),
    ...LISTS.flatMap((list) => eachAt("status", status, statusesOf(list), validateMounted)),
  ];
}

function validateUser(place: string, item: JsonObject, system: string): FieldError[] {
  const user = objectAt(objectAt(item, "user"), "linux");
  const field = `${place}.user.linux`;
  if (user === undefined) return [];
  if (system === "windows") return [forbidden(field, "cannot be set for a windows pod")];
  return system === "linux" ? schemaErrors(`${CORE}LinuxContainerUser`, user, { field }) : [];
}

const CLAIM = "claim:";
const NO_CLAIM =
  "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";

/** Device names of a container that the pod does not have are not checked. */
function validateDevices(
  field: string,
  devices: readonly JsonObject[],
  item: JsonObject,
  containers: readonly JsonObject[],
): FieldError[] {
  const container = containers.find((each) => textAt(each, "name") === textAt(item, "name"));
  const resources = objectAt(container, "resources");
  const claims = objectsAt(resources, "claims").map((claim) => {
    const request = textAt(claim, "request");
    return `${CLAIM}${textAt(claim, "name")}${request && `/${request}`}`;
  });
  return devices.flatMap((device, index) => {
    const place = `${field}[${index}]`;
    const name = textAt(device, "name");
    const isClaim = name.startsWith(CLAIM);
    const isKnown = isClaim ? claims.includes(name) : objectAt(resources, "requests")?.[name] !== undefined;
    const rule = isClaim ? NO_CLAIM : "must match one of the container's resource requests";
    return [
      ...(container === undefined || isKnown ? [] : [invalid(`${place}.name`, name, rule)]),
      ...validateHealth(place, device),
    ];
  });
}

const HEALTH = ["Healthy", "Unhealthy", "Unknown"];
const MESSAGE_BYTES_MAX = 1024;

function validateHealth(field: string, device: JsonObject): FieldError[] {
  const seen = new Set<string>();
  return eachAt(field, device, "resources", (place, resource) => {
    const [health, id] = [textAt(resource, "health"), textAt(resource, "resourceID")];
    const { message } = resource;
    const isTwice = seen.has(id);
    seen.add(id);
    return [
      ...(HEALTH.includes(health) ? [] : [notSupported(`${place}.health`, health, HEALTH)]),
      ...(message === "" ? [required(`${place}.message`, "must be non-empty if specified")] : []),
      ...(Buffer.byteLength(String(message ?? "")) > MESSAGE_BYTES_MAX
        ? [tooLong(`${place}.message`, MESSAGE_BYTES_MAX)]
        : []),
      ...(isTwice ? [duplicate(`${place}.resourceID`, id)] : []),
    ];
  });
}

const REFERENCE_BYTES_MAX = 256;

function validateMounted(field: string, item: JsonObject): FieldError[] {
  return eachAt(field, item, "volumeMounts", (place, mount) => {
    const image = objectAt(objectAt(mount, "volumeStatus"), "image");
    const reference = textAt(image, "imageRef");
    const member = `${place}.volumeStatus.imageVolumeStatus.imageRef`;
    return [
      ...(image && reference === "" ? [required(member, "imageRef must not be empty")] : []),
      ...(Buffer.byteLength(reference) > REFERENCE_BYTES_MAX ? [tooLong(member, REFERENCE_BYTES_MAX)] : []),
    ];
  });
}
