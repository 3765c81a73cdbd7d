// Lifecycle handlers and probes of a container: each has exactly one handler.

import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from "../../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid, required } from "../../../apimachinery/meta/field-error.ts";
import { formErrors } from "../../../apiserver/registry/strategy/checks.ts";
import {
  type CodeRules,
  type Place,
  schemaErrors,
} from "../../../apiserver/registry/strategy/schema-rules.ts";

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
  const headers = ({ field: place, value }: Place): FieldError[] =>
    objectsAt({ value }, "value").flatMap((header) =>
      formErrors(isHeaderName, place, textAt(header, "name")),
    );
  const sleep = ({ field: place, owner }: Place): FieldError[] => {
    const seconds = numberAt(owner, "seconds") ?? 0;
    const rule = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
    return seconds >= 0 && seconds <= graceSeconds ? [] : [invalid(place, seconds, rule)];
  };
  return [
    ...schemaErrors(TYPES + type, objectAt(handler, name) ?? {}, {
      field: `${field}.${name}`,
      code: { headers, sleep },
    }),
    ...others.map(([other]) => forbidden(`${field}.${other}`, "may not specify more than 1 handler type")),
  ];
}

const HEADER_NAME = "[-A-Za-z0-9]+";
const HEADER_RULE = `a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '${HEADER_NAME}')`;
const headerName = new RegExp(`^${HEADER_NAME}$`);

const isHeaderName = (name: string): string[] => (headerName.test(name) ? [] : [HEADER_RULE]);
