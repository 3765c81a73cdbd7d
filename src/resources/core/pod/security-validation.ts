// As whom the containers of a pod run, and what they may do.
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../../meta/field-error.ts";
import { type JsonObject, objectAt } from "../../../meta/json.ts";
import { isTrue, numberAt, objectsAt, textAt } from "../../fields.ts";
import { invalidStruct } from "../../go-values.ts";
import { validateDescendingPath } from "./volume-validation.ts";

const ID_MAX = 2 ** 31 - 1;
const SYSCTL_LENGTH_MAX = 253;
const SYSCTL = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
const SYSCTL_PATTERN = new RegExp(SYSCTL);
const APP_ARMOR_NAME_MAX = 4095;
const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];

/** Of the spec, what is shared with the host counts. */
export function validatePodSecurity(field: string, context: JsonObject, spec: JsonObject): FieldError[] {
  const groups = context["supplementalGroups"];
  const shares = isTrue(spec, "hostPID") && isTrue(spec, "shareProcessNamespace");
  const rule = "ShareProcessNamespace and HostPID cannot both be enabled";
  return [
    ...["fsGroup", "runAsUser", "runAsGroup"].flatMap((member) =>
      validateId(`${field}.${member}`, context[member]),
    ),
    ...(Array.isArray(groups) ? groups : []).flatMap((group, index) =>
      validateId(`${field}.supplementalGroups[${index}]`, group),
    ),
    ...(shares ? [invalid(`${field}.shareProcessNamespace`, true, rule)] : []),
    ...validateSysctls(`${field}.sysctls`, objectsAt(context, "sysctls")),
    ...validateChoice(field, context, "fsGroupChangePolicy", ["Always", "OnRootMismatch"]),
    ...validateSeccomp(`${field}.seccompProfile`, objectAt(context, "seccompProfile")),
    ...validateAppArmor(`${field}.appArmorProfile`, objectAt(context, "appArmorProfile")),
    ...validateChoice(field, context, "supplementalGroupsPolicy", ["Merge", "Strict"]),
  ];
}

export function validateContainerSecurity(
  field: string,
  context: JsonObject | undefined,
  hostUsers: boolean,
): FieldError[] {
  if (context === undefined) return [];
  const unmasked = hostUsers && context["procMount"] === "Unmasked";
  const rule = "`hostUsers` must be false to use `Unmasked`";
  return [
    ...["runAsUser", "runAsGroup"].flatMap((member) => validateId(`${field}.${member}`, context[member])),
    ...validateChoice(field, context, "procMount", ["Default", "Unmasked"]),
    ...(unmasked ? [invalid(`${field}.procMount`, "Unmasked", rule)] : []),
    ...validateSeccomp(`${field}.seccompProfile`, objectAt(context, "seccompProfile")),
    ...validateEscalation(field, context),
    ...validateAppArmor(`${field}.appArmorProfile`, objectAt(context, "appArmorProfile")),
  ];
}

function validateId(field: string, id: unknown): FieldError[] {
  const number = typeof id === "number" || typeof id === "bigint" ? Number(id) : undefined;
  if (number === undefined || (number >= 0 && number <= ID_MAX)) return [];
  return [invalid(field, id, `must be between 0 and ${ID_MAX}, inclusive`)];
}

function validateChoice(
  field: string,
  context: JsonObject,
  member: string,
  choices: readonly string[],
): FieldError[] {
  const value = context[member];
  if (typeof value !== "string" || choices.includes(value)) return [];
  return [notSupported(`${field}.${member}`, value, choices)];
}

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
    if (seen.has(name)) return [duplicate(place, name)];
    seen.add(name);
    return [];
  });
}

function validateSeccomp(field: string, profile: JsonObject | undefined): FieldError[] {
  if (profile === undefined) return [];
  const errors = validateProfileType(field, profile, "seccompProfile");
  const place = `${field}.localhostProfile`;
  const path = profile["localhostProfile"];
  if (profile["type"] !== "Localhost") {
    if (path === undefined) return errors;
    const rule = "can only be set when seccomp type is Localhost";
    return [...errors, invalidStruct(place, shownProfile(profile), rule)];
  }
  if (typeof path === "string") return [...errors, ...validateDescendingPath(place, path)];
  return [...errors, required(place, "must be set when seccomp type is Localhost")];
}

function validateAppArmor(field: string, profile: JsonObject | undefined): FieldError[] {
  if (profile === undefined) return [];
  const place = `${field}.localhostProfile`;
  const name = profile["localhostProfile"];
  if (profile["type"] === "Localhost") {
    const errors: FieldError[] = [];
    const text = textAt(profile, "localhostProfile");
    if (text !== text.trim()) errors.push(invalid(place, text, "must not be padded with whitespace"));
    else if (text === "") errors.push(required(place, "must be set when AppArmor type is Localhost"));
    if (Buffer.byteLength(text) > APP_ARMOR_NAME_MAX) errors.push(tooLong(place, APP_ARMOR_NAME_MAX));
    return errors;
  }
  const errors = validateProfileType(field, profile, "appArmorProfile");
  if (errors.length > 0 || name === undefined) return errors;
  return [invalid(place, name, "can only be set when AppArmor type is Localhost")];
}

function validateProfileType(field: string, profile: JsonObject, what: string): FieldError[] {
  const type = textAt(profile, "type");
  if (type === "") return [required(`${field}.type`, `type is required when ${what} is set`)];
  return PROFILES.includes(type) ? [] : [notSupported(`${field}.type`, type, PROFILES)];
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
      shownContext(context),
      `cannot set \`allowPrivilegeEscalation\` to false and ${text}`,
    ),
  );
}

const shownProfile = (profile: JsonObject): JsonObject => ({
  Type: textAt(profile, "type"),
  LocalhostProfile: profile["localhostProfile"] ?? null,
});

/** The context as messages show it: with the names and the order of Go. */
function shownContext(context: JsonObject): JsonObject {
  const shown = (member: string, show: (value: JsonObject) => JsonObject): JsonObject | null => {
    const value = objectAt(context, member);
    return value === undefined ? null : show(value);
  };
  const scalar = (member: string): unknown => context[member] ?? null;
  return {
    Capabilities: shown("capabilities", ({ add, drop }) => ({ Add: add ?? null, Drop: drop ?? null })),
    Privileged: scalar("privileged"),
    SELinuxOptions: shown("seLinuxOptions", (options) => ({
      User: textAt(options, "user"),
      Role: textAt(options, "role"),
      Type: textAt(options, "type"),
      Level: textAt(options, "level"),
    })),
    WindowsOptions: shown("windowsOptions", (options) => ({
      GMSACredentialSpecName: options["gmsaCredentialSpecName"] ?? null,
      GMSACredentialSpec: options["gmsaCredentialSpec"] ?? null,
      RunAsUserName: options["runAsUserName"] ?? null,
      HostProcess: options["hostProcess"] ?? null,
    })),
    RunAsUser: numberAt(context, "runAsUser") ?? null,
    RunAsGroup: numberAt(context, "runAsGroup") ?? null,
    RunAsNonRoot: scalar("runAsNonRoot"),
    ReadOnlyRootFilesystem: scalar("readOnlyRootFilesystem"),
    AllowPrivilegeEscalation: scalar("allowPrivilegeEscalation"),
    ProcMount: scalar("procMount"),
    SeccompProfile: shown("seccompProfile", shownProfile),
    AppArmorProfile: shown("appArmorProfile", shownProfile),
  };
}
