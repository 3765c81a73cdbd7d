// The containers of a pod: names, images, ports, environment and mounts.

import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
} from "../../../../meta/field-error.ts";
import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../../../meta/json.ts";
import { isPortName } from "../../../checks.ts";
import { type Place, schemaErrors } from "../../../schema-rules.ts";
import { validateContainerSecurity } from "../security-validation.ts";
import { validateDescendingPath } from "../volume-validation.ts";
import { validateResources } from "./container-resources.ts";
import { validateEnvironment } from "./environment-validation.ts";
import { validateLifecycle, validateProbes } from "./probe-validation.ts";

const ONLY_SIDECARS = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"];

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
  const errors = containers.flatMap((container, index) => {
    const place = `${field}.containers[${index}]`;
    return [
      ...validateContainer(place, container, around),
      ...validateUnique(`${place}.name`, container, names),
      ...validateLifecycle(place, container, around.graceSeconds),
      ...validateProbes(place, container, around.graceSeconds),
      ...(container["restartPolicy"] === undefined
        ? []
        : [forbidden(`${place}.restartPolicy`, "may not be set for non-init containers")]),
    ];
  });
  return [...errors, ...validateHostPorts(`${field}.containers`, containers)];
}

export function validateInitContainers(field: string, spec: JsonObject, around: Surroundings): FieldError[] {
  const names = new Set(objectsAt(spec, "containers").map((container) => textAt(container, "name")));
  return objectsAt(spec, "initContainers").flatMap((container, index) => {
    const place = `${field}.initContainers[${index}]`;
    const policy = container["restartPolicy"];
    return [
      ...validateContainer(place, container, around),
      ...(policy === undefined || policy === "Always"
        ? []
        : [notSupported(`${place}.restartPolicy`, policy, ["Always"])]),
      ...validateUnique(`${place}.name`, container, names),
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

function validateUnique(field: string, container: JsonObject, names: Set<string>): FieldError[] {
  const name = textAt(container, "name");
  if (names.has(name)) return [duplicate(field, name)];
  names.add(name);
  return [];
}

export function validateContainer(
  field: string,
  container: JsonObject,
  { volumes, hostUsers }: Surroundings,
): FieldError[] {
  const portNames = new Set<string>();
  return schemaErrors("io.k8s.api.core.v1.Container", container, {
    field,
    code: {
      portName: (place) => validatePortName(place, portNames),
      environment: () => validateEnvironment(field, container),
      mounts: () => validateMounts(`${field}.volumeMounts`, container, volumes),
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
  const complaints = name === "" ? [] : isPortName(name);
  if (name === "" || complaints.length > 0) return complaints.map((text) => invalid(field, name, text));
  if (names.has(name)) return [duplicate(field, name)];
  names.add(name);
  return [];
}

/** Two containers cannot have one port of the machine. */
function validateHostPorts(field: string, containers: readonly JsonObject[]): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    objectsAt(container, "ports").flatMap((port, at) => {
      const number = numberAt(port, "hostPort") ?? 0;
      const key = `${textAt(port, "protocol")}/${textAt(port, "hostIP")}/${number}`;
      if (number === 0) return [];
      if (taken.has(key)) return [duplicate(`${field}[${index}].ports[${at}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

function validateMounts(
  field: string,
  container: JsonObject,
  volumes: ReadonlyMap<string, JsonObject>,
): FieldError[] {
  const paths = new Set<string>();
  return objectsAt(container, "volumeMounts").flatMap((mount, index) => {
    const place = `${field}[${index}]`;
    const name = textAt(mount, "name");
    const path = textAt(mount, "mountPath");
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${place}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${place}.name`, name));
    if (path === "") errors.push(required(`${place}.mountPath`));
    if (paths.has(path)) errors.push(invalid(`${place}.mountPath`, path, "must be unique"));
    paths.add(path);
    return [...errors, ...validateDescendingPath(`${field}.subPath`, textAt(mount, "subPath"))];
  });
}
