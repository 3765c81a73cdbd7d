// What a container does when it starts and stops, and how it is found healthy: each by exactly one handler.
import { type FieldError, forbidden, invalid, notSupported, required } from "../../../../meta/field-error.ts";
import { isObject, type JsonObject, objectAt } from "../../../../meta/json.ts";
import { numberAt, textAt, textsAt } from "../../../fields.ts";
import { isPortName, isPortNumber } from "../../../ports.ts";

const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
const SCHEMES = ["HTTP", "HTTPS"];
const COUNTS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
];
const NOT_NEGATIVE = "must be greater than or equal to 0";

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
    const errors = validateProbe(place, probe, graceSeconds);
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

function validateProbe(field: string, probe: JsonObject, graceSeconds: number): FieldError[] {
  const errors = validateHandler(field, probe, graceSeconds);
  for (const key of COUNTS) {
    const count = numberAt(probe, key) ?? 0;
    if (count < 0) errors.push(invalid(`${field}.${key}`, count, NOT_NEGATIVE));
  }
  const grace = numberAt(probe, "terminationGracePeriodSeconds");
  if (grace !== undefined && grace <= 0) {
    errors.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, "must be greater than 0"));
  }
  return errors;
}

function validateHandler(field: string, handler: JsonObject, graceSeconds: number): FieldError[] {
  const [first, ...others] = HANDLERS.filter((name) => isObject(handler[name]));
  if (first === undefined) return [required(field, "must specify a handler type")];
  return [
    ...validateAction(`${field}.${first}`, first, objectAt(handler, first) ?? {}, graceSeconds),
    ...others.map((name) => forbidden(`${field}.${name}`, "may not specify more than 1 handler type")),
  ];
}

function validateAction(field: string, type: string, action: JsonObject, graceSeconds: number): FieldError[] {
  switch (type) {
    case "exec":
      return textsAt(action, "command").length === 0 ? [required(`${field}.command`)] : [];
    case "httpGet":
      return validateHttpGet(field, action);
    case "sleep": {
      const seconds = numberAt(action, "seconds") ?? 0;
      if (seconds >= 0 && seconds <= graceSeconds) return [];
      const rule = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
      return [invalid(field, seconds, rule)];
    }
    default:
      return validatePort(`${field}.port`, action["port"]);
  }
}

function validateHttpGet(field: string, action: JsonObject): FieldError[] {
  const scheme = textAt(action, "scheme");
  return [
    ...(textAt(action, "path") === "" ? [required(`${field}.path`)] : []),
    ...validatePort(`${field}.port`, action["port"]),
    ...(SCHEMES.includes(scheme) ? [] : [notSupported(`${field}.scheme`, scheme, SCHEMES)]),
  ];
}

function validatePort(field: string, port: unknown): FieldError[] {
  const complaints = typeof port === "string" ? isPortName(port) : isPortNumber(Number(port ?? 0));
  return complaints.map((text) => invalid(field, port ?? 0, text));
}
