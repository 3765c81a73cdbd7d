// The ports of a Service.
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../meta/field-error.ts";
import type { JsonObject } from "../../../meta/json.ts";
import { isDns1123Label } from "../../../meta/names.ts";
import { duplicateShown } from "../../addresses.ts";
import { numberAt, objectsAt, textAt } from "../../fields.ts";
import {
  isPortName,
  isPortNumber,
  validateAppProtocol,
  validatePortNumber,
  validateProtocol,
} from "../../ports.ts";
import { isHeadless } from "./defaults.ts";

export function validateServicePorts(spec: JsonObject): FieldError[] {
  const ports = objectsAt(spec, "ports");
  const type = textAt(spec, "type");
  if (ports.length === 0) {
    return isHeadless(spec) || type === "ExternalName" ? [] : [required("spec.ports")];
  }
  const names = new Set<string>();
  const pairs = new Set<string>();
  const errors = ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    return [...validateName(field, port, ports.length > 1, names), ...validatePort(field, port)];
  });
  ports.forEach((port, index) => {
    const field = `spec.ports[${index}]`;
    if (type === "ClusterIP" && numberAt(port, "nodePort")) {
      errors.push(forbidden(`${field}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
    errors.push(...validateOnce(field, port, pairs));
  });
  return errors;
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
  return [duplicateShown(field, shown)];
}
