// The containers of a pod: names, images, ports, environment and mounts.
import {
  type FieldError,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  repeated,
  required,
} from "../../../meta/field-error.ts";
import {
  equalJson,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../../meta/json.ts";
import { formErrors, isDescendingPath, isPortName } from "../../checks.ts";
import { eachAt } from "../../fields.ts";
import { type CodeRules, objectOf, type Place, schemaErrors } from "../../schema-rules.ts";
import { validateResources } from "../amounts.ts";
import { validateContainerSecurity } from "./security.ts";

const VARIABLE_SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"];
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];
const ONLY_SIDECARS = ["lifecycle", ...PROBES];

export interface Surroundings {
  /** The volumes of the pod, by name. */
  readonly volumes: ReadonlyMap<string, JsonObject>;
  readonly graceSeconds: number;
  /** Users are those of the machine. */
  readonly hostUsers: boolean;
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
    ...(container["restartPolicy"] === undefined
      ? []
      : [forbidden(`${place}.restartPolicy`, "may not be set for non-init containers")]),
  ]);
  return [...errors, ...validateHostPorts(`${field}.containers`, containers)];
}

export function validateInitContainers(field: string, spec: JsonObject, around: Surroundings): FieldError[] {
  const names = new Set(objectsAt(spec, "containers").map((container) => textAt(container, "name")));
  return eachAt(field, spec, "initContainers", (place, container) => {
    const policy = container["restartPolicy"];
    return [
      ...validateContainer(place, container, around),
      ...(policy === undefined || policy === "Always"
        ? []
        : [notSupported(`${place}.restartPolicy`, policy, ["Always"])]),
      ...repeated(names, `${place}.name`, textAt(container, "name")),
      ...validateHostPorts(`${field}.initContainers`, [container]),
      ...(policy === "Always"
        ? [
            ...validateLifecycle(place, container, around.graceSeconds),
            ...validateProbes(place, container, around.graceSeconds),
          ]
        : ONLY_SIDECARS.filter((key) => container[key] !== undefined).map((key) =>
            forbidden(`${place}.${key}`, "may not be set for init containers without restartPolicy=Always"),
          )),
    ];
  });
}

export function validateContainer(
  field: string,
  container: JsonObject,
  { volumes, hostUsers }: Surroundings,
): FieldError[] {
  const portNames = new Set<string>();
  const paths = new Set<string>();
  return schemaErrors("io.k8s.api.core.v1.Container", container, {
    field,
    code: {
      portName: (place) => validatePortName(place, portNames),
      valueFrom: validateVariableSource,
      envFrom: validateSource,
      mount: ({ field: place, value }) => validateMount(place, objectOf(value), volumes, paths),
      resources: () => validateResources(`${field}.resources`, objectAt(container, "resources")),
      security: () =>
        validateContainerSecurity(
          `${field}.securityContext`,
          objectAt(container, "securityContext"),
          hostUsers,
        ),
    },
  });
}

function validatePortName({ field, value }: Place, names: Set<string>): FieldError[] {
  const name = String(value);
  if (name === "") return [];
  const errors = formErrors(isPortName, field, name);
  return errors.length > 0 ? errors : repeated(names, field, name);
}

/** Two containers cannot have one port of the machine. */
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

function validateMount(
  field: string,
  mount: JsonObject,
  volumes: ReadonlyMap<string, JsonObject>,
  paths: Set<string>,
): FieldError[] {
  const name = textAt(mount, "name");
  const path = textAt(mount, "mountPath");
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${field}.name`));
  if (!volumes.has(name)) errors.push(notFoundValue(`${field}.name`, name));
  if (path === "") errors.push(required(`${field}.mountPath`));
  if (paths.has(path)) errors.push(invalid(`${field}.mountPath`, path, "must be unique"));
  paths.add(path);
  return [...errors, ...formErrors(isDescendingPath, `${ofList(field)}.subPath`, textAt(mount, "subPath"))];
}

/** The list that the place is in: a real server names it in some findings, without the number of the item. */
const ofList = (field: string): string => field.replace(/\[\d+\]$/, "");

const ONE_TOO_MANY = "may not have more than one field specified at a time";

/** A variable has a value, or it comes from one place. */
function validateVariableSource({ field, value, owner }: Place): FieldError[] {
  const given = VARIABLE_SOURCES.filter((key) => isObject(objectOf(value)[key]));
  if (given.length === 0) {
    const rule = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    return [invalid(field, "", rule)];
  }
  if (textAt(owner, "value") !== "")
    return [invalid(field, "", "may not be specified when `value` is not empty")];
  return given.length > 1 ? [invalid(field, "", ONE_TOO_MANY)] : [];
}

function validateSource({ field, owner }: Place): FieldError[] {
  const given = ["configMapRef", "secretRef"].filter((key) => isObject(owner[key]));
  if (given.length === 0) {
    return [invalid(ofList(field), "", "must specify one of: `configMapRef` or `secretRef`")];
  }
  return given.length > 1 ? [invalid(ofList(field), "", ONE_TOO_MANY)] : [];
}

// Containers that are added to a running pod for a look at it. They offer nothing to others, so much of what other
// containers have is not for them.

const FORBIDDEN = ["ports", "resources", "resizePolicy", "restartPolicy", ...PROBES, "lifecycle"];
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

// What a container does when it starts and stops, and how it is found healthy: each by exactly one handler.

const TYPES = "io.k8s.api.core.v1.";
const ACTIONS = [
  ["exec", "ExecAction"],
  ["httpGet", "HTTPGetAction"],
  ["tcpSocket", "TCPSocketAction"],
  ["grpc", "GRPCAction"],
  ["sleep", "SleepAction"],
] as const;

export function validateLifecycle(field: string, container: JsonObject, graceSeconds: number): FieldError[] {
  const lifecycle = objectAt(container, "lifecycle");
  return ["postStart", "preStop"].flatMap((key) => {
    const handler = objectAt(lifecycle, key);
    return handler === undefined ? [] : validateHandler(`${field}.lifecycle.${key}`, handler, graceSeconds);
  });
}

export function validateProbes(field: string, container: JsonObject, graceSeconds: number): FieldError[] {
  return ["livenessProbe", "readinessProbe", "startupProbe"].flatMap((key) => {
    const probe = objectAt(container, key);
    if (probe === undefined) return [];
    const place = `${field}.${key}`;
    const code: CodeRules = { handler: ({ field: at }) => validateHandler(at, probe, graceSeconds) };
    const errors = schemaErrors(`${TYPES}Probe`, probe, { field: place, code });
    const grace = `${place}.terminationGracePeriodSeconds`;
    if (key !== "readinessProbe") {
      const successes = numberAt(probe, "successThreshold") ?? 0;
      if (successes !== 1) errors.push(invalid(`${place}.successThreshold`, successes, "must be 1"));
    } else if (probe["terminationGracePeriodSeconds"] !== undefined) {
      const value = probe["terminationGracePeriodSeconds"];
      errors.push(invalid(grace, value, "must not be set for readinessProbes"));
    }
    return errors;
  });
}

function validateHandler(field: string, handler: JsonObject, graceSeconds: number): FieldError[] {
  const [first, ...others] = ACTIONS.filter(([name]) => isObject(handler[name]));
  if (first === undefined) return [required(field, "must specify a handler type")];
  const [name, type] = first;
  const sleep = ({ field: place, owner }: Place): FieldError[] => {
    const seconds = numberAt(owner, "seconds") ?? 0;
    const rule = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
    return seconds >= 0 && seconds <= graceSeconds ? [] : [invalid(place, seconds, rule)];
  };
  return [
    ...schemaErrors(TYPES + type, objectAt(handler, name) ?? {}, {
      field: `${field}.${name}`,
      code: { sleep },
    }),
    ...others.map(([other]) => forbidden(`${field}.${other}`, "may not specify more than 1 handler type")),
  ];
}
