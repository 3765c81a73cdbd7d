// Containers that would be as good as root on their node. A server lets nobody run them until it is told to
// (--allow-privileged), and then drops these findings.
import { type FieldError, forbidden, invalid } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt } from "../../../meta/json.ts";
import { isTrue } from "../../fields.ts";

const disallowed = (field: string, rule: string): FieldError => ({
  ...forbidden(field, rule),
  unlessAllowed: "privileged containers",
});

/** Of a container's securityContext. */
export const validatePrivileged = (field: string, context: JsonObject): FieldError[] =>
  isTrue(context, "privileged") ? [disallowed(`${field}.privileged`, "disallowed by cluster policy")] : [];

const hostProcessOf = (holder: JsonObject): boolean | undefined => {
  const options = objectAt(objectAt(holder, "securityContext"), "windowsOptions");
  const said = options?.["hostProcess"];
  return typeof said === "boolean" ? said : undefined;
};

/** On Windows all containers of a Pod are processes of the host, or none is. */
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
