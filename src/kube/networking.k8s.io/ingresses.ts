// Ingress: rules for external HTTP traffic. This server has no ingress controller.

import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type FieldError, invalid, required, tooLong } from "../../apimachinery/meta/field-error.ts";
import { wasGivenEmpty } from "../../apimachinery/meta/given-empty.ts";
import {
  formErrors,
  isPortName,
  isPortNumber,
  validateDomainPath,
} from "../../apiserver/registry/strategy/checks.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";
import { keeping, keepingStatus, specOf } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules, Place } from "../../apiserver/registry/strategy/schema-rules.ts";

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const SHOWN_MAX = 3;

const rules: CodeRules = {
  port: ({ field, owner }) => validatePort(field, objectAt(objectAt(owner, "service"), "port") ?? {}),
  class: classErrors,
  some: ({ field, owner }) => [
    invalid(
      field,
      wasGivenEmpty(owner, "rules") ? [] : null,
      "either `defaultBackend` or `rules` must be specified",
    ),
  ],
};

/** In a new object the deprecated class annotation must match ingressClassName, if both are set. */
function classErrors({ owner, old }: Place): FieldError[] {
  const className = specOf(owner)["ingressClassName"];
  const annotation = objectAt(objectAt(owner, "metadata"), "annotations")?.[CLASS_ANNOTATION];
  if (old || typeof annotation !== "string" || typeof className !== "string") return [];
  if (annotation === className) return [];
  const rule = "must match `ingressClassName` when both are specified";
  return [invalid(`annotations.${CLASS_ANNOTATION}`, annotation, rule)];
}

function validatePort(field: string, port: JsonObject): FieldError[] {
  const name = textAt(port, "name");
  const number = numberAt(port, "number") ?? 0;
  if (name !== "" && number !== 0) return [invalid(field, "", "cannot set both port name & port number")];
  if (name !== "") {
    return formErrors(isPortName, `${field}.service.port.name`, name);
  }
  if (number === 0) return [required(field, "port name or number is required")];
  return formErrors(isPortNumber, `${field}.service.port.number`, number);
}

function classCell(object: Readonly<JsonObject>): string {
  const { ingressClassName } = specOf(object);
  return typeof ingressClassName === "string" ? ingressClassName : "<none>";
}

/** Rules after the last shown host count as more, with or without a host. */
function hostsCell(object: Readonly<JsonObject>): string {
  const rules = objectsAt(specOf(object), "rules");
  const shown: string[] = [];
  for (const rule of rules) {
    if (shown.length === SHOWN_MAX) return `${shown.join(",")} + ${rules.length - SHOWN_MAX} more...`;
    const host = textAt(rule, "host");
    if (host !== "") shown.push(host);
  }
  return shown.join(",") || "*";
}

function addressCell(object: Readonly<JsonObject>): string {
  const points = objectsAt(objectAt(objectAt(object, "status"), "loadBalancer"), "ingress");
  const addresses = points.map((point) => textAt(point, "ip") || textAt(point, "hostname"));
  return [...new Set(addresses)].filter(Boolean).sort().join(",");
}

export const ingresses = builtIn("networking.k8s.io/v1", "Ingress", {
  shortNames: ["ing"],
  columns: [
    NAME,
    column("Class", "Which controller serves the ingress.", classCell),
    column("Hosts", "Hosts that the rules are for.", hostsCell),
    column("Address", "Where the ingress can be reached.", addressCell),
    column("Ports", "Ports that are open.", (object) =>
      objectsAt(specOf(object), "tls").length > 0 ? "80, 443" : "80",
    ),
    AGE,
  ],
  strategy: {
    metadataChecksOnUpdate: ["changed", "new"],
    hasGeneration: true,
    ...keepingStatus({ loadBalancer: {} }),
    warnings(object, old) {
      if (old !== undefined || object.metadata.annotations?.[CLASS_ANNOTATION] === undefined) return [];
      if (specOf(object)["ingressClassName"] !== undefined) return [];
      return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
    },
  },
  status: keeping("spec"),
  rules,
  storagePrefix: "ingress",
});

// IngressClass: names the controller that serves a class of ingresses.

const CONTROLLER_LENGTH_MAX = 250;

function parametersCell(object: Readonly<JsonObject>): string {
  const parameters = objectAt(specOf(object), "parameters");
  if (parameters === undefined) return "<none>";
  const { apiGroup } = parameters;
  const kind = textAt(parameters, "kind") + (typeof apiGroup === "string" ? `.${apiGroup}` : "");
  return `${kind}/${textAt(parameters, "name")}`;
}

function validateController(field: string, controller: string): FieldError[] {
  const isTooLong = Buffer.byteLength(controller) > CONTROLLER_LENGTH_MAX;
  return [
    ...(isTooLong ? [tooLong(field, CONTROLLER_LENGTH_MAX)] : []),
    ...validateDomainPath(field, controller),
  ];
}

export const ingressClasses = builtIn("networking.k8s.io/v1", "IngressClass", {
  namespaceScoped: false,
  columns: [
    NAME,
    column("Controller", "Who serves ingresses of this class.", "spec.controller"),
    column("Parameters", "Object with further settings.", parametersCell),
    AGE,
  ],
  strategy: {
    metadataChecksOnUpdate: ["changed", "new"],
    hasGeneration: true,
    allowUnconditionalUpdate: true,
  },
  rules: {
    controller: ({ field, value }) => validateController(field, String(value)),
  },
});
