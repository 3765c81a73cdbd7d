// The ports of a Service.
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../meta/field-error.ts";
import { type JsonObject, numberAt, objectsAt, textAt } from "../../../meta/json.ts";
import { isDns1123Label } from "../../../meta/names.ts";
import {
  duplicateStruct,
  isPortName,
  isPortNumber,
  validateAppProtocol,
  validatePortNumber,
  validateProtocol,
} from "../../checks.ts";
import { isHeadless } from "./defaults.ts";

/** Only what has no address of its own can be without ports. */
export function requirePorts(spec: JsonObject): FieldError[] {
  const some = objectsAt(spec, "ports").length > 0;
  return some || isHeadless(spec) || textAt(spec, "type") === "ExternalName" ? [] : [required("spec.ports")];
}

/** Each port for itself, but for the names, which differ. */
export function validateServicePorts(spec: JsonObject): FieldError[] {
  const ports = objectsAt(spec, "ports");
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    return [...validateName(field, port, ports.length > 1, names), ...validatePort(field, port)];
  });
}

/** Node ports where there are none, and what stands twice. */
export function validatePortNumbers(spec: JsonObject): FieldError[] {
  const ports = objectsAt(spec, "ports");
  const each = (check: (field: string, port: JsonObject) => FieldError[]): FieldError[] =>
    ports.flatMap((port, index) => check(`spec.ports[${index}]`, port));
  const inner = textAt(spec, "type") === "ClusterIP";
  const nodePairs = new Set<string>();
  const pairs = new Set<string>();
  return [
    ...each((field, port) =>
      inner && numberAt(port, "nodePort")
        ? [forbidden(`${field}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : [],
    ),
    ...each((field, port) => {
      const nodePort = numberAt(port, "nodePort") ?? 0;
      const pair = `${textAt(port, "protocol")}/${nodePort}`;
      if (nodePort === 0) return [];
      if (nodePairs.has(pair)) return [duplicate(`${field}.nodePort`, nodePort)];
      nodePairs.add(pair);
      return [];
    }),
    ...each((field, port) => validateOnce(field, port, pairs)),
  ];
}

function validateName(
  field: string,
  port: JsonObject,
  nameRequired: boolean,
  names: Set<string>,
): FieldError[] {
  const name = textAt(port, "name");
  if (name === "") return nameRequired ? [required(`${field}.name`)] : [];
  const errors = isDns1123Label(name).map((text) => invalid(`${field}.name`, name, text));
  if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
  names.add(name);
  return errors;
}

function validatePort(field: string, port: JsonObject): FieldError[] {
  const target = port["targetPort"];
  const complaints =
    typeof target === "string" ? isPortName(target) : isPortNumber(numberAt(port, "targetPort") ?? 0);
  return [
    ...validatePortNumber(`${field}.port`, numberAt(port, "port") ?? 0),
    ...validateProtocol(`${field}.protocol`, textAt(port, "protocol")),
    ...complaints.map((text) => invalid(`${field}.targetPort`, target, text)),
    ...validateAppProtocol(`${field}.appProtocol`, port["appProtocol"]),
  ];
}

/** A number may stand once for each protocol. */
function validateOnce(field: string, port: JsonObject, pairs: Set<string>): FieldError[] {
  const number = numberAt(port, "port") ?? 0;
  const protocol = textAt(port, "protocol");
  const pair = `${protocol}/${number}`;
  if (!pairs.has(pair)) {
    pairs.add(pair);
    return [];
  }
  const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 };
  return [duplicateStruct(field, shown)];
}
