// The environment variables of a container, and where they come from.

import { type FieldError, invalid, required } from "../../../../meta/field-error.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../../meta/json.ts";
import { append } from "../../../../meta/lists.ts";
import { isDns1123Subdomain, nameIsDnsSubdomain } from "../../../../meta/names.ts";
import { validateConfigKey } from "../../../config-keys.ts";

const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"];
const NAME_RULE =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";
const PRINTABLE = /^[\x20-\x3c\x3e-\x7e]*$/;
const ONE_TOO_MANY = "may not have more than one field specified at a time";

export function validateEnvironment(field: string, container: JsonObject): FieldError[] {
  return [
    ...objectsAt(container, "env").flatMap((variable, index) =>
      validateVariable(`${field}.env[${index}]`, variable),
    ),
    ...objectsAt(container, "envFrom").flatMap((source, index) =>
      validateEnvFrom(`${field}.envFrom`, index, source),
    ),
  ];
}

const nameErrors = (field: string, name: string): FieldError[] =>
  PRINTABLE.test(name) ? [] : [invalid(field, name, NAME_RULE)];

function validateVariable(field: string, variable: JsonObject): FieldError[] {
  const name = textAt(variable, "name");
  const errors = name === "" ? [required(`${field}.name`)] : nameErrors(`${field}.name`, name);
  const source = objectAt(variable, "valueFrom");
  if (source === undefined) return errors;
  const given = SOURCES.filter((key) => isObject(source[key]));
  const place = `${field}.valueFrom`;
  for (const key of given) append(errors, validateReference(`${place}.${key}`, key, objectAt(source, key)));
  if (given.length === 0) {
    const rule = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    errors.push(invalid(place, "", rule));
  } else if (textAt(variable, "value") !== "") {
    errors.push(invalid(place, "", "may not be specified when `value` is not empty"));
  } else if (given.length > 1) errors.push(invalid(place, "", ONE_TOO_MANY));
  return errors;
}

function validateReference(field: string, type: string, reference: JsonObject | undefined): FieldError[] {
  if (type === "fieldRef") {
    return textAt(reference, "fieldPath") === "" ? [required(`${field}.fieldPath`)] : [];
  }
  if (type === "resourceFieldRef") {
    return textAt(reference, "resource") === "" ? [required(`${field}.resource`)] : [];
  }
  const name = textAt(reference, "name");
  const key = textAt(reference, "key");
  return [
    ...isDns1123Subdomain(name).map((text) => invalid(`${field}.name`, name, text)),
    ...(key === "" ? [required(`${field}.key`)] : keyErrors(`${field}.key`, key)),
  ];
}

const keyErrors = (field: string, key: string): FieldError[] =>
  validateConfigKey("", key).map((error) => ({ ...error, field }));

function validateEnvFrom(field: string, index: number, source: JsonObject): FieldError[] {
  const place = `${field}[${index}]`;
  const given = ["configMapRef", "secretRef"].filter((key) => isObject(source[key]));
  const errors = nameErrors(`${place}.prefix`, textAt(source, "prefix"));
  for (const key of given) {
    const name = textAt(objectAt(source, key), "name");
    if (name === "") errors.push(required(`${place}.${key}.name`));
    append(
      errors,
      (name === "" ? [] : nameIsDnsSubdomain(name, true)).map((text) =>
        invalid(`${place}.${key}.name`, name, text),
      ),
    );
  }
  if (given.length === 0) {
    errors.push(invalid(field, "", "must specify one of: `configMapRef` or `secretRef`"));
  } else if (given.length > 1) errors.push(invalid(field, "", ONE_TOO_MANY));
  return errors;
}
