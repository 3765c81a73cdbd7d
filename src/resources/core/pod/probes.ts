// What a container does when it starts and stops, and how it is found healthy: each by exactly one handler.
import { type FieldError, forbidden, invalid, required } from "../../../meta/field-error.ts";
import { isObject, type JsonObject, numberAt, objectAt } from "../../../meta/json.ts";
import { isPortName, isPortNumber } from "../../checks.ts";
import { type CodeRules, type Place, schemaErrors } from "../../schema-rules.ts";

const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
const TYPES = "io.k8s.api.core.v1.";

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
      return schemaErrors(`${TYPES}ExecAction`, action, { field });
    case "httpGet":
      return schemaErrors(`${TYPES}HTTPGetAction`, action, { field, code: { port: portErrors } });
    case "sleep": {
      const seconds = numberAt(action, "seconds") ?? 0;
      if (seconds >= 0 && seconds <= graceSeconds) return [];
      const rule = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
      return [invalid(field, seconds, rule)];
    }
    default:
      return portErrors({ field, owner: action });
  }
}

function portErrors({ field, owner }: Pick<Place, "field" | "owner">): FieldError[] {
  const port = owner["port"] ?? 0;
  const complaints = typeof port === "string" ? isPortName(port) : isPortNumber(Number(port));
  return complaints.map((text) => invalid(`${field}.port`, port, text));
}
