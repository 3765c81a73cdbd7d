// Privileged containers, which have root access to their node. They are rejected unless the server runs with
// --allow-privileged, which drops these findings.

import { type JsonObject, objectAt, objectsAt } from "../../../apimachinery/json/json.ts";
import { type FieldError, forbidden, invalid } from "../../../apimachinery/meta/field-error.ts";
import { isTrue } from "../../../apiserver/registry/strategy/fields.ts";

const disallowed = (field: string, rule: string): FieldError => ({
  ...forbidden(field, rule),
  unlessAllowed: "privileged containers",
});

/** securityContext of a container. */
export const validatePrivileged = (field: string, context: JsonObject): FieldError[] =>
  isTrue(context, "privileged") ? [disallowed(`${field}.privileged`, "disallowed by cluster policy")] : [];

const hostProcessOf = (holder: JsonObject): boolean | undefined => {
  const options = objectAt(objectAt(holder, "securityContext"), "windowsOptions");
  const said = options?.["hostProcess"];
  return typeof said === "boolean" ? said : undefined;
};

/** Either all or no containers of a Windows pod are host process containers. */
export function validateHostProcess(field: string, spec: JsonObject): FieldError[] {
  const ofPod = hostProcessOf(spec);
  const errors: FieldError[] = [];
  const lists = ["initContainers", "containers", "ephemeralContainers"];
  const saying = lists.flatMap((list) =>
    objectsAt(spec, list).map((container, index) => {
      const said = hostProcessOf(container);
      if (ofPod !== undefined && said !== undefined && ofPod !== said) {
        const place = `${field}.${list}[${index}].securityContext.windowsOptions.hostProcess`;
        const rule = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
        errors.push(invalid(place, said, rule));
      }
      return said ?? ofPod === true;
    }),
  );
  if (!saying.includes(true)) return errors;
  if (saying.includes(false)) {
    const rule =
      "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(invalid(field, "", rule));
  }
  if (!isTrue(spec, "hostNetwork")) {
    const rule = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(invalid(`${field}.hostNetwork`, false, rule));
  }
  errors.push(disallowed(field, "hostProcess containers are disallowed by cluster policy"));
  return errors;
}
