// Volumes in a container: as directories (volumeMounts), or as block devices (volumeDevices).

import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../../../apimachinery/json/json.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notFoundValue,
  notSupported,
  required,
} from "../../../apimachinery/meta/field-error.ts";
import { formErrors, ofList } from "../../../apiserver/registry/strategy/checks.ts";
import { eachAt, isTrue } from "../../../apiserver/registry/strategy/fields.ts";
import { hasNoBacksteps, isDescendingPath } from "../../../apiserver/registry/strategy/paths.ts";

type Volumes = ReadonlyMap<string, JsonObject>;

const namesIn = (container: JsonObject, list: string, key: string): Set<string> =>
  new Set(objectsAt(container, list).map((item) => textAt(item, key)));

export function validateMounts(field: string, container: JsonObject, volumes: Volumes): FieldError[] {
  const paths = new Set<string>();
  const devices = namesIn(container, "volumeDevices", "name");
  const devicePaths = namesIn(container, "volumeDevices", "devicePath");
  return eachAt(field, container, "volumeMounts", (place, mount) => {
    const [name, path] = [textAt(mount, "name"), textAt(mount, "mountPath")];
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${place}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${place}.name`, name));
    if (path === "") errors.push(required(`${place}.mountPath`));
    if (paths.has(path)) errors.push(invalid(`${place}.mountPath`, path, "must be unique"));
    paths.add(path);
    if (devices.has(name))
      errors.push(invalid(`${place}.name`, name, "must not already exist in volumeDevices"));
    if (devicePaths.has(path))
      errors.push(invalid(`${place}.mountPath`, path, "must not already exist as a path in volumeDevices"));
    return [
      ...errors,
      ...validateSubPaths(place, mount),
      ...validatePropagation(ofList(place), mount, container),
      ...validateRecursive(ofList(place), mount),
    ];
  });
}

/** All but one of the findings name the list, not the mount in it. */
function validateSubPaths(place: string, mount: JsonObject): FieldError[] {
  const [subPath, expression] = [textAt(mount, "subPath"), textAt(mount, "subPathExpr")];
  const rule = "subPathExpr and subPath are mutually exclusive";
  return [
    ...formErrors(isDescendingPath, `${ofList(place)}.subPath`, subPath),
    ...(subPath !== "" && expression !== "" ? [invalid(`${place}.subPathExpr`, expression, rule)] : []),
    ...formErrors(isDescendingPath, `${ofList(place)}.subPathExpr`, expression),
  ];
}

const PROPAGATIONS = ["Bidirectional", "HostToContainer", "None"];

function validatePropagation(
  list: string,
  { mountPropagation: mode }: JsonObject,
  container: JsonObject,
): FieldError[] {
  const field = `${list}.mountPropagation`;
  if (mode === undefined) return [];
  const errors = PROPAGATIONS.includes(String(mode)) ? [] : [notSupported(field, mode, PROPAGATIONS)];
  if (mode !== "Bidirectional" || isTrue(objectAt(container, "securityContext"), "privileged")) return errors;
  return [
    ...errors,
    forbidden(field, "Bidirectional mount propagation is available only to privileged containers"),
  ];
}

const RECURSIVE_MODES = ["Disabled", "Enabled", "IfPossible"];

function validateRecursive(list: string, mount: JsonObject): FieldError[] {
  const { recursiveReadOnly: mode, mountPropagation: propagation = "None" } = mount;
  const field = `${list}.recursiveReadOnly`;
  if (mode === undefined || mode === "Disabled") return [];
  if (!RECURSIVE_MODES.includes(String(mode))) return [notSupported(field, mode, RECURSIVE_MODES)];
  return [
    ...(isTrue(mount, "readOnly") ? [] : [forbidden(field, "may only be specified when readOnly is true")]),
    ...(propagation === "None"
      ? []
      : [forbidden(field, "may only be specified when mountPropagation is None or not specified")]),
  ];
}

/** Only claims can be block devices. */
const CLAIMED = ["persistentVolumeClaim", "ephemeral"];

export function validateDevices(field: string, container: JsonObject, volumes: Volumes): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = namesIn(container, "volumeMounts", "name");
  const mountPaths = namesIn(container, "volumeMounts", "mountPath");
  return eachAt(field, container, "volumeDevices", (place, device) => {
    const [name, path] = [textAt(device, "name"), textAt(device, "devicePath")];
    const [atName, atPath] = [`${place}.name`, `${place}.devicePath`];
    const volume = volumes.get(name);
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(atName));
    if (names.has(name)) errors.push(invalid(atName, name, "must be unique"));
    if (volume === undefined) errors.push(notFoundValue(atName, name));
    else if (!CLAIMED.some((source) => isObject(volume[source])))
      errors.push(
        invalid(
          atName,
          name,
          "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
        ),
      );
    if (path === "") errors.push(required(atPath));
    if (paths.has(path)) errors.push(invalid(atPath, path, "must be unique"));
    if (hasNoBacksteps(path).length > 0)
      errors.push(invalid(atPath, path, "can not contain backsteps ('..')"));
    else paths.add(path);
    if (mounts.has(name)) errors.push(invalid(atName, name, "must not already exist in volumeMounts"));
    if (mountPaths.has(path))
      errors.push(invalid(atPath, path, "must not already exist as a path in volumeMounts"));
    if (name !== "") names.add(name);
    return errors;
  });
}
