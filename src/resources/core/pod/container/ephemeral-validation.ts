// Containers that are added to a running pod for a look at it. They offer nothing to others, so much of what other
// containers have is not for them.
import { duplicate, type FieldError, forbidden, notFoundValue } from "../../../../meta/field-error.ts";
import { equalJson, type JsonObject, objectsAt, textAt } from "../../../../meta/json.ts";
import { type Surroundings, validateContainer } from "./container-validation.ts";

const FORBIDDEN = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
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
  return objectsAt(spec, "ephemeralContainers").flatMap((container, index) => {
    const place = `${field}.ephemeralContainers[${index}]`;
    const name = textAt(container, "name");
    const target = textAt(container, "targetContainerName");
    const taken = names.has(name);
    names.add(name);
    return [
      ...validateContainer(place, container, around),
      ...(taken ? [duplicate(`${place}.name`, name)] : []),
      ...(target === "" || targets.has(target)
        ? []
        : [notFoundValue(`${place}.targetContainerName`, target)]),
      ...FORBIDDEN.filter((member) => isSet(container[member])).map((member) =>
        forbidden(`${place}.${member}`, RULE),
      ),
      ...objectsAt(container, "volumeMounts").flatMap((mount, at) =>
        ["subPath", "subPathExpr"]
          .filter((member) => textAt(mount, member) !== "")
          .map((member) => forbidden(`${place}.volumeMounts[${at}].${member}`, RULE)),
      ),
    ];
  });
}

const isSet = (value: unknown): boolean =>
  value !== undefined && !equalJson(value, {}) && !equalJson(value, []);
