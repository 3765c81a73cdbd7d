// As whom the containers of a pod run, and what they may do.
import { type FieldError, invalid, repeated, required, tooLong } from "../../../meta/field-error.ts";
import { type JsonObject, objectAt, objectsAt, textAt, textOf } from "../../../meta/json.ts";
import { invalidStruct } from "../../checks.ts";
import { isTrue } from "../../fields.ts";
import { type CodeRules, schemaErrors } from "../../schema-rules.ts";
import { structOf } from "../internal-struct.ts";
import { validateDescendingPath } from "./volumes.ts";

const TYPES = "io.k8s.api.core.v1.";
const SYSCTL_LENGTH_MAX = 253;
const SYSCTL = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
const SYSCTL_PATTERN = new RegExp(SYSCTL);
const APP_ARMOR_NAME_MAX = 4095;
const OTHER_PROFILES = ["RuntimeDefault", "Unconfined"];

/** Of the spec, what is shared with the host counts. */
export function validatePodSecurity(field: string, context: JsonObject, spec: JsonObject): FieldError[] {
  const shares = isTrue(spec, "hostPID") && isTrue(spec, "shareProcessNamespace");
  const rule = "ShareProcessNamespace and HostPID cannot both be enabled";
  const shared = () => (shares ? [invalid(`${field}.shareProcessNamespace`, true, rule)] : []);
  const sysctls = () => validateSysctls(`${field}.sysctls`, objectsAt(context, "sysctls"));
  return schemaErrors(`${TYPES}PodSecurityContext`, context, {
    field,
    code: { ...PROFILES_CODE, shared, sysctls },
  });
}

export function validateContainerSecurity(
  field: string,
  context: JsonObject | undefined,
  hostUsers: boolean,
): FieldError[] {
  if (context === undefined) return [];
  const unmasked = hostUsers && context["procMount"] === "Unmasked";
  const rule = "`hostUsers` must be false to use `Unmasked`";
  const procMount = () => (unmasked ? [invalid(`${field}.procMount`, "Unmasked", rule)] : []);
  const escalation = () => validateEscalation(field, context);
  const code = { ...PROFILES_CODE, procMount, escalation };
  return schemaErrors(`${TYPES}SecurityContext`, context, { field, code });
}

const PROFILES_CODE: CodeRules = {
  seccomp: ({ field, owner }) => validateSeccomp(`${field}.localhostProfile`, owner),
  appArmor: ({ field, owner }) => validateAppArmor(`${field}.localhostProfile`, owner),
};

function validateSysctls(field: string, sysctls: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return sysctls.flatMap((sysctl, index) => {
    const name = textAt(sysctl, "name");
    const place = `${field}[${index}].name`;
    if (name === "") return [required(place)];
    if (name.length > SYSCTL_LENGTH_MAX || !SYSCTL_PATTERN.test(name)) {
      const rule = `must have at most ${SYSCTL_LENGTH_MAX} characters and match regex ${SYSCTL}`;
      return [invalid(place, name, rule)];
    }
    return repeated(seen, place, name);
  });
}

function validateSeccomp(field: string, profile: JsonObject): FieldError[] {
  const path = profile["localhostProfile"];
  if (profile["type"] !== "Localhost") {
    const rule = "can only be set when seccomp type is Localhost";
    return path === undefined
      ? []
      : [invalidStruct(field, structOf(`${TYPES}SeccompProfile`, profile), rule)];
  }
  if (typeof path === "string") return validateDescendingPath(field, path);
  return [required(field, "must be set when seccomp type is Localhost")];
}

function validateAppArmor(field: string, profile: JsonObject): FieldError[] {
  const name = profile["localhostProfile"];
  if (profile["type"] !== "Localhost") {
    if (name === undefined || !OTHER_PROFILES.includes(textAt(profile, "type"))) return [];
    return [invalid(field, name, "can only be set when AppArmor type is Localhost")];
  }
  const errors: FieldError[] = [];
  const text = textOf(name);
  if (text !== text.trim()) errors.push(invalid(field, text, "must not be padded with whitespace"));
  else if (text === "") errors.push(required(field, "must be set when AppArmor type is Localhost"));
  if (Buffer.byteLength(text) > APP_ARMOR_NAME_MAX) errors.push(tooLong(field, APP_ARMOR_NAME_MAX));
  return errors;
}

/** Who has every right cannot be kept from gaining more. */
function validateEscalation(field: string, context: JsonObject): FieldError[] {
  if (context["allowPrivilegeEscalation"] !== false) return [];
  const added = objectAt(context, "capabilities")?.["add"];
  const complaints = [
    ...(isTrue(context, "privileged") ? ["`privileged` to true"] : []),
    ...(Array.isArray(added) ? added : [])
      .filter((capability) => capability === "CAP_SYS_ADMIN")
      .map(() => "`capabilities.Add` CAP_SYS_ADMIN"),
  ];
  return complaints.map((text) =>
    invalidStruct(
      field,
      structOf(`${TYPES}SecurityContext`, context),
      `cannot set \`allowPrivilegeEscalation\` to false and ${text}`,
    ),
  );
}
