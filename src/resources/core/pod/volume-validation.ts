// The volumes of a pod: each has a name of its own and exactly one source.

import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../meta/field-error.ts";
import { isObject, type JsonObject, objectAt } from "../../../meta/json.ts";
import { append } from "../../../meta/lists.ts";
import { lookupTable } from "../../../meta/lookup-table.ts";
import { isDns1123Label } from "../../../meta/names.ts";
import { numberAt, objectsAt, textAt } from "../../fields.ts";

/** In the order in which a real server looks for them; the first one counts. */
const SOURCES = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
];
/** Sources that messages call otherwise. */
const CALLED: Readonly<Record<string, string>> = lookupTable({ cephfs: "cephFS", downwardAPI: "downwarAPI" });
/** Members that a source cannot do without. */
const NEEDED: Readonly<Record<string, readonly string[]>> = lookupTable({
  hostPath: ["path"],
  gitRepo: ["repository"],
  gcePersistentDisk: ["pdName"],
  awsElasticBlockStore: ["volumeID"],
  secret: ["secretName"],
  nfs: ["server", "path"],
  glusterfs: ["endpoints", "path"],
  persistentVolumeClaim: ["claimName"],
  cinder: ["volumeID"],
  flexVolume: ["driver"],
  configMap: ["name"],
  azureFile: ["secretName", "shareName"],
  vsphereVolume: ["volumePath"],
  photonPersistentDisk: ["pdID"],
  portworxVolume: ["volumeID"],
  csi: ["driver"],
});
const WITH_ITEMS = ["secret", "configMap"];
const MODE_MAX = 0o777;
const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** The volumes by name that are as they should be, and what is wrong with the others. */
export function validateVolumes(
  field: string,
  volumes: readonly JsonObject[],
): { readonly errors: FieldError[]; readonly sources: ReadonlyMap<string, JsonObject> } {
  const sources = new Map<string, JsonObject>();
  const errors = volumes.flatMap((volume, index) => {
    const place = `${field}[${index}]`;
    const name = textAt(volume, "name");
    const found = [
      ...validateSource(place, volume),
      ...(name === ""
        ? [required(`${place}.name`)]
        : isDns1123Label(name).map((text) => invalid(`${place}.name`, name, text))),
    ];
    if (sources.has(name)) found.push(duplicate(`${place}.name`, name));
    if (found.length === 0) sources.set(name, volume);
    return found;
  });
  return { errors, sources };
}

function validateSource(field: string, volume: JsonObject): FieldError[] {
  const [first, ...others] = SOURCES.filter((name) => isObject(volume[name]));
  if (first === undefined) return [required(field, "must specify a volume type")];
  const source = objectAt(volume, first) ?? {};
  return [
    ...(NEEDED[first] ?? [])
      .filter((member) => textAt(source, member) === "")
      .map((member) => required(`${field}.${first}.${member}`)),
    ...(first === "hostPath" ? validateHostPath(`${field}.hostPath`, source) : []),
    ...(WITH_ITEMS.includes(first) ? validateItems(`${field}.${first}`, source) : []),
    ...others.map((name) =>
      forbidden(`${field}.${CALLED[name] ?? name}`, "may not specify more than 1 volume type"),
    ),
  ];
}

function validateHostPath(field: string, source: JsonObject): FieldError[] {
  const path = textAt(source, "path");
  const type = textAt(source, "type");
  if (path === "") return [];
  const errors = path.split("/").includes("..")
    ? [invalid(`${field}.path`, path, "must not contain '..'")]
    : [];
  if (HOST_PATH_TYPES.includes(type)) return errors;
  return [...errors, notSupported(`${field}.type`, type, HOST_PATH_TYPES)];
}

function validateItems(field: string, source: JsonObject): FieldError[] {
  const mode = numberAt(source, "defaultMode");
  return [
    ...(mode !== undefined && (mode < 0 || mode > MODE_MAX) ? [badMode(`${field}.defaultMode`, mode)] : []),
    ...objectsAt(source, "items").flatMap((item, index) => validateItem(`${field}.items[${index}]`, item)),
  ];
}

const badMode = (field: string, mode: number): FieldError =>
  invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive");

function validateItem(field: string, item: JsonObject): FieldError[] {
  const path = textAt(item, "path");
  const mode = numberAt(item, "mode");
  const errors: FieldError[] = [];
  if (textAt(item, "key") === "") errors.push(required(`${field}.key`));
  if (path === "") errors.push(required(`${field}.path`));
  append(errors, validateDescendingPath(`${field}.path`, path));
  if (mode !== undefined && (mode < 0 || mode > MODE_MAX)) errors.push(badMode(`${field}.mode`, mode));
  return errors;
}

/** A path below something, which must not lead out of it. */
export function validateDescendingPath(field: string, path: string): FieldError[] {
  const errors = path.startsWith("/") ? [invalid(field, path, "must be a relative path")] : [];
  if (path.split("/").includes("..")) errors.push(invalid(field, path, "must not contain '..'"));
  return errors;
}
