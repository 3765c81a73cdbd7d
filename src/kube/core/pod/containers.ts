// Containers of a pod: names, images, ports, environment and mounts.

import {
  equalJson,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  repeated,
  required,
  tooMany,
} from "../../../apimachinery/meta/field-error.ts";
import { formErrors, isPortName } from "../../../apiserver/registry/strategy/checks.ts";
import { eachAt } from "../../../apiserver/registry/strategy/fields.ts";
import { type Place, schemaErrors } from "../../../apiserver/registry/strategy/schema-rules.ts";
import { validateResources } from "../amounts.ts";
import { validateUsedClaims } from "./claims.ts";
import { validateLifecycle, validateProbes } from "./handlers.ts";
import { validateDevices, validateMounts } from "./mounts.ts";
import { validateContainerSecurity } from "./security.ts";
import { VARIABLE_RULES } from "./variables.ts";

const TYPES = "io.k8s.api.core.v1.";
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const ONLY_SIDECARS = ["lifecycle", ...PROBES];

export interface Surroundings {
  /** Volumes of the pod by name. */
  readonly volumes: ReadonlyMap<string, JsonObject>;
  readonly graceSeconds: number;
  /** The pod uses the host's user namespace. */
  readonly hostUsers: boolean;
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
  /** restartPolicy of the pod. */
  readonly restartPolicy: string;
}

export function validateContainers(field: string, spec: JsonObject, around: Surroundings): FieldError[] {
  const containers = objectsAt(spec, "containers");
  if (containers.length === 0) return [required(`${field}.containers`)];
  const names = new Set<string>();
  const errors = eachAt(field, spec, "containers", (place, container) => [
    ...validateContainer(place, container, around),
    ...repeated(names, `${place}.name`, textAt(container, "name")),
    ...validateLifecycle(place, container, around.graceSeconds),
    ...validateProbes(place, container, around.graceSeconds),
    ...validateRestart(place, container),
  ]);
  return [...errors, ...validateHostPorts(`${field}.containers`, containers)];
}

export function validateInitContainers(field: string, spec: JsonObject, around: Surroundings): FieldError[] {
  const names = new Set(objectsAt(spec, "containers").map((container) => textAt(container, "name")));
  return eachAt(field, spec, "initContainers", (place, container) => {
    const stays = container["restartPolicy"] === "Always";
    const name = textAt(container, "name");
    return [
      ...validateContainer(place, container, around),
      ...validateRestartAtStart(place, container),
      ...(name === "" ? [] : repeated(names, `${place}.name`, name)),
      ...validateHostPorts(`${field}.initContainers`, [container]),
      ...(stays
        ? [
            ...validateLifecycle(place, container, around.graceSeconds),
            ...validateProbes(place, container, around.graceSeconds),
          ]
        : ONLY_SIDECARS.filter((key) => container[key] !== undefined).map((key) =>
            forbidden(`${place}.${key}`, "may not be set for init containers without restartPolicy=Always"),
          )),
      ...(stays ? [] : validateResizeAtStart(place, container)),
    ];
  });
}

/** Restart rules of an init container. */
function validateRestartAtStart(field: string, container: JsonObject): FieldError[] {
  if (container["restartPolicy"] !== undefined) return validateRestart(field, container);
  return objectsAt(container, "restartPolicyRules").length > 0
    ? [required(`${field}.restartPolicy`, WITHOUT_POLICY)]
    : [];
}

/** A resize of an init container must not restart it. */
const validateResizeAtStart = (field: string, container: JsonObject): FieldError[] =>
  eachAt(field, container, "resizePolicy", (place, { restartPolicy: action }) => {
    const rule = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    return action === "RestartContainer" ? [invalid(`${place}.restartPolicy`, action, rule)] : [];
  });

export function validateContainer(
  field: string,
  container: JsonObject,
  { volumes, hostUsers, claims, restartPolicy }: Surroundings,
): FieldError[] {
  const portNames = new Set<string>();
  const resources = objectAt(container, "resources");
  return schemaErrors("io.k8s.api.core.v1.Container", container, {
    field,
    code: {
      portName: (place) => validatePortName(place, portNames),
      ...VARIABLE_RULES,
      mounts: () => validateMounts(field, container, volumes),
      devices: () => validateDevices(field, container, volumes),
      resources: () => [
        ...validateResources(`${field}.resources`, resources),
        ...validateUsedClaims(`${field}.resources`, resources, claims),
      ],
      resizePolicy: () => validateResizePolicy(field, container, restartPolicy),
      security: () =>
        validateContainerSecurity(
          `${field}.securityContext`,
          objectAt(container, "securityContext"),
          hostUsers,
        ),
    },
  });
}

/** Image of a Pod; in a template " " is accepted, because another component may set the image. */
export function validateImage(field: string, container: JsonObject): FieldError[] {
  const image = textAt(container, "image");
  if (image.trim() === image) return [];
  return [invalid(`${field}.image`, image, "must not have leading or trailing whitespace")];
}

function validatePortName({ field, value }: Place, names: Set<string>): FieldError[] {
  const name = String(value);
  if (name === "") return [];
  const errors = formErrors(isPortName, field, name);
  return errors.length > 0 ? errors : repeated(names, field, name);
}

/** Each host port is used by one container at most. */
function validateHostPorts(field: string, containers: readonly JsonObject[]): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    objectsAt(container, "ports").flatMap((port, at) => {
      const number = numberAt(port, "hostPort") ?? 0;
      const key = `${textAt(port, "protocol")}/${textAt(port, "hostIP")}/${number}`;
      return number === 0 ? [] : repeated(taken, `${field}[${index}].ports[${at}].hostPort`, key);
    }),
  );
}

const RESIZED = ["cpu", "memory"];
const RESIZE_POLICIES = ["NotRequired", "RestartContainer"];

/** Resize policy of a container. Field paths name the list, not the item. */
function validateResizePolicy(owner: string, container: JsonObject, restartPolicy: string): FieldError[] {
  const field = `${owner}.resizePolicy`;
  const oneOf = (value: string, known: readonly string[]): FieldError[] => {
    if (value === "") return [required(field)];
    return known.includes(value) ? [] : [notSupported(field, value, known)];
  };
  const seen = new Set<string>();
  return objectsAt(container, "resizePolicy").flatMap((policy, index) => {
    const [resource, action] = [textAt(policy, "resourceName"), textAt(policy, "restartPolicy")];
    const rule = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
    return [
      ...repeated(seen, `${field}[${index}]`, resource),
      ...oneOf(resource, RESIZED),
      ...oneOf(action, RESIZE_POLICIES),
      ...(restartPolicy === "Never" && action !== "NotRequired" ? [invalid(field, action, rule)] : []),
    ];
  });
}

const WITHOUT_POLICY = "must specify restartPolicy when restart rules are used";
const RESTART_POLICIES = ["Always", "Never", "OnFailure"];

/** Restart policy and restart rules by exit code. */
function validateRestart(field: string, container: JsonObject): FieldError[] {
  const { restartPolicy: policy } = container;
  const rules = objectsAt(container, "restartPolicyRules");
  const place = `${field}.restartPolicy`;
  const errors: FieldError[] = [];
  if (policy === undefined && rules.length > 0) {
    errors.push(required(place, WITHOUT_POLICY));
  } else if (policy !== undefined && !RESTART_POLICIES.includes(String(policy))) {
    errors.push(notSupported(place, policy, RESTART_POLICIES));
  }
  if (rules.length > RESTART_RULES_MAX) {
    errors.push(tooMany(`${field}.restartPolicyRules`, rules.length, RESTART_RULES_MAX));
  }
  return [
    ...errors,
    ...schemaErrors(`${TYPES}ContainerRestartRule`, rules, { field: `${field}.restartPolicyRules` }),
  ];
}

const RESTART_RULES_MAX = 20;

// Ephemeral containers, which are added to a running pod for debugging. Many fields of other containers are forbidden.

const FORBIDDEN = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  ...PROBES,
  "lifecycle",
];
const RULE = "cannot be set for an Ephemeral Container";

export function validateEphemeralContainers(
  field: string,
  spec: JsonObject,
  around: Surroundings,
): FieldError[] {
  const others = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")];
  const targets = new Set(others.map((container) => textAt(container, "name")));
  const names = new Set(targets);
  return eachAt(field, spec, "ephemeralContainers", (place, container) => {
    const target = textAt(container, "targetContainerName");
    return [
      ...validateContainer(place, container, around),
      ...validateImage(place, container),
      ...repeated(names, `${place}.name`, textAt(container, "name")),
      ...(target === "" || targets.has(target)
        ? []
        : [notFoundValue(`${place}.targetContainerName`, target)]),
      ...FORBIDDEN.filter((member) => isSet(container[member])).map((member) =>
        forbidden(`${place}.${member}`, RULE),
      ),
      ...eachAt(place, container, "volumeMounts", (at, mount) =>
        ["subPath", "subPathExpr"]
          .filter((member) => textAt(mount, member) !== "")
          .map((member) => forbidden(`${at}.${member}`, RULE)),
      ),
    ];
  });
}

const isSet = (value: unknown): boolean =>
  value !== undefined && !equalJson(value, {}) && !equalJson(value, []);
