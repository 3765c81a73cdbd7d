// Objects of the store ↔ values of a kube-apiserver in etcd. The store holds JSON without the resourceVersion
// (apiserver/registry/codec/object-codec.ts). etcd holds protobuf, or JSON; JSON of custom kinds has sorted keys, as in the
// store.
import { isObject, type JsonObject } from "../../apimachinery/json/json.ts";
import { encodeJson, escapeHtml } from "../../apimachinery/json/json-encode.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { type PortRange, portRangeText } from "../../apimachinery/meta/port-range.ts";
import {
  type DecodedValue,
  LayoutError,
  type SharedAllocations,
  type StorageLayout,
} from "../../storage/layout.ts";
import type { Encryption } from "../encryption/encryption-config.ts";
import type { GroupResource } from "../encryption/group-resource.ts";
import {
  identity,
  TransformError,
  type Transformer,
  type Untransformed,
} from "../encryption/transformers.ts";
import { encodeProtobufAs } from "../endpoints/protobuf/codec.ts";
import { ProtobufDecodeError, type TypeIdentity } from "../endpoints/protobuf/value-types.ts";
import { encodeStored, jsonWithoutRevision, parseWithoutRevision } from "../registry/codec/object-codec.ts";
import { identityComplaint, type StoredKindFacts } from "../registry/codec/stored-form.ts";
import type { ResourceDefinition } from "../registry/definition/resource-definition.ts";
import { crdToV1beta1, v1beta1Order } from "./crd-v1beta1.ts";
import { type CurrentForms, currentForms } from "./current-form.ts";
import { type LayoutKeys, layoutKeys } from "./keys.ts";
import { isOpened, type OpenedValue, openValue, type Unopened } from "./open-value.ts";
import {
  bitsOf,
  encodeRangeAllocation,
  portsIn,
  RANGE_ALLOCATION,
  readRangeAllocation,
} from "./range-allocation.ts";
import { type StoredKind, StoredKinds } from "./stored-kinds.ts";

export interface LayoutOptions {
  /** Built-in kinds. Custom kinds need no definition here: their values are JSON. */
  readonly builtIn: readonly ResourceDefinition[];
  /** The value of `--etcd-prefix`; absent: "/registry". */
  readonly prefix?: string;
  /** Encryption at rest; absent: values are not encrypted, and encrypted values are rejected. */
  readonly encryption?: Encryption | undefined;
  /**
   * The node port range of Services, stored as the bitmap of kube-apiservers; absent: one key per port, beside the
   * prefix.
   */
  readonly nodePorts?: PortRange | undefined;
}

/** Throws BadPrefix. */
export function createStorageLayout({
  builtIn,
  prefix,
  encryption,
  nodePorts,
}: LayoutOptions): StorageLayout {
  const { isObject: isKeyOfObject, ...keys } = layoutKeys(prefix);
  const claims =
    nodePorts && nodePortClaims(keys.nodePorts, nodePorts, encryption?.(ALLOCATIONS) ?? identity);
  const kinds = new StoredKinds(builtIn);
  const forms = currentForms(builtIn);
  const encrypting = (kind: StoredKind | undefined, key: string): Transformer =>
    encryption?.(kind?.definition ?? customResourceAt(key)) ?? identity;
  const toEgretKey = (etcdKey: string): string | undefined => {
    const key = keys.toEgretKey(etcdKey);
    return key !== undefined && claims?.has(key) ? undefined : key;
  };
  return {
    ...{ prefixes: keys.prefixes, toEtcdKey: keys.toEtcdKey, toEgretKey, claims },
    encode(key, value) {
      if (!isKeyOfObject(key)) return value;
      const kind = kinds.at(key);
      return encrypting(kind, key).toStorage(keys.toEtcdKey(key), encodeObject(kind, key, value));
    },
    decode(etcdKey, bytes) {
      const key = toEgretKey(etcdKey);
      if (key === undefined || !isKeyOfObject(key)) return { value: bytes, isStale: false };
      const kind = kinds.at(key);
      const found = decrypted(encrypting(kind, key), etcdKey, bytes);
      const { value, isStale } = decodeObject({ key, etcdKey, kind, forms }, found.bytes);
      return { value, isStale: isStale || found.isStale };
    },
  };
}

/** The resource by which a kube-apiserver selects the encryption of the bitmap. */
const ALLOCATIONS: GroupResource = { group: "", resource: "servicenodeportallocations" };
const OTHER_RANGE = "the provided range does not match the current range";

function nodePortClaims(
  { etcdKey, prefix }: LayoutKeys["nodePorts"],
  ports: PortRange,
  transformer: Transformer,
): SharedAllocations {
  const range = portRangeText(ports);
  const keys = new Map<string, number>();
  for (let port = ports.first; port <= ports.last; port++) keys.set(`${prefix}${port}`, port);
  return {
    ...{ etcdKey, prefix },
    has: (key) => keys.has(key),
    read(bytes) {
      const opened = openValue(decrypted(transformer, etcdKey, bytes).bytes);
      if (!isOpened(opened)) throw unopened(etcdKey, opened);
      if (opened.identity.kind !== RANGE_ALLOCATION)
        throw undecodable(etcdKey, `is a ${opened.identity.kind}, and no ${RANGE_ALLOCATION}`);
      const found = decoded(etcdKey, () => readRangeAllocation(opened));
      if (found.range !== range) throw undecodable(etcdKey, OTHER_RANGE);
      return portsIn(found.data, ports).map((port) => `${prefix}${port}`);
    },
    write(held) {
      const data = bitsOf(
        [...held].flatMap((key) => keys.get(key) ?? []),
        ports,
      );
      return transformer.toStorage(etcdKey, encodeRangeAllocation({ range, data }));
    },
  };
}

/** /registry/<group>/<resource>/… */
function customResourceAt(key: string): GroupResource {
  const [, , group = "", resource = ""] = key.split("/", 4);
  return { group, resource };
}

function decrypted(transformer: Transformer, etcdKey: string, bytes: Uint8Array): Untransformed {
  try {
    return transformer.fromStorage(etcdKey, bytes);
  } catch (error) {
    if (!(error instanceof TransformError)) throw error;
    throw new LayoutError("ENCRYPTED", etcdKey, error.message, { cause: error });
  }
}

const NEWLINE = Buffer.from("\n");

function encodeObject(kind: StoredKind | undefined, key: string, value: Uint8Array): Uint8Array {
  const isCrd = kind?.definition.kind === "CustomResourceDefinition";
  if (kind === undefined || (kind.form === "json" && !isCrd))
    return Buffer.concat([jsonWithoutRevision(value), NEWLINE]);
  const object = parseWithoutRevision({ key, value });
  if (!isCrd) return encodeProtobufAs(kind.written, kind.identity, object);
  const json = encodeJson(crdToV1beta1(object), kind.order && v1beta1Order(kind.order));
  return Buffer.from(`${escapeHtml(json)}\n`);
}

interface Place {
  /** The key in the store. */
  readonly key: string;
  readonly etcdKey: string;
  /** undefined: a custom kind. */
  readonly kind: StoredKind | undefined;
  readonly forms: CurrentForms;
}

function decodeObject(place: Place, bytes: Uint8Array): DecodedValue {
  const opened = openValue(bytes);
  if (!isOpened(opened)) throw unopened(place.etcdKey, opened);
  const { etcdKey, kind } = place;
  return decoded(etcdKey, () =>
    kind === undefined ? decodeCustom(place, opened) : decodeBuiltIn(place, kind, opened),
  );
}

function decoded<T>(etcdKey: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof ProtobufDecodeError) throw undecodable(etcdKey, error.message, error);
    throw error;
  }
}

/** Custom objects are converted when they are read: their definition is in etcd too, and may arrive later. */
function decodeCustom(place: Place, { form, identity, read }: OpenedValue): DecodedValue {
  const { key, etcdKey } = place;
  if (form === "protobuf") throw undecodable(etcdKey, notRegistered(identity.kind, identity.apiVersion));
  const object = withMetadata(read(identity));
  refuseOther(place, object, { group: customResourceAt(key).group });
  return { value: encodeStored(object, undefined), isStale: form !== "json" };
}

/** Throws UNDECODABLE for an object with wrong types, or whose kind or name differs from its key. */
function refuseOther({ key, etcdKey }: Place, object: KubeObject, facts: StoredKindFacts): void {
  const complaint = identityComplaint(key, { ...object }, facts);
  if (complaint !== undefined) throw undecodable(etcdKey, complaint);
}

function decodeBuiltIn(place: Place, kind: StoredKind, opened: OpenedValue): DecodedValue {
  const { etcdKey, forms } = place;
  const { form, identity } = opened;
  if (identity.kind !== kind.identity.kind) throw misplaced(etcdKey, identity, kind);
  const formed = forms.read(opened);
  if (formed === undefined) throw undecodable(etcdKey, notRegistered(identity.kind, identity.apiVersion));
  if ("reason" in formed) throw undecodable(etcdKey, formed.reason);
  const object = withMetadata(formed.object);
  if (object.kind !== kind.identity.kind || object.apiVersion !== kind.identity.apiVersion)
    throw undecodable(
      etcdKey,
      `is a ${identity.kind} of ${identity.apiVersion}, and no ${kind.identity.kind}`,
    );
  refuseOther(place, object, kind.facts);
  const isStale = form !== kind.form || identity.apiVersion !== kind.written.apiVersion;
  return { value: encodeStored(object, kind.order), isStale };
}

/** The object without the metadata fields that a server clears before storing. */
function withMetadata(value: JsonObject): KubeObject {
  const {
    resourceVersion: _revision,
    selfLink: _link,
    ...metadata
  } = isObject(value["metadata"]) ? value["metadata"] : {};
  return { ...value, metadata };
}

const misplaced = (key: string, { apiVersion, kind }: TypeIdentity, expected: StoredKind): LayoutError =>
  undecodable(key, `is a ${kind} of ${apiVersion}, and no ${expected.identity.kind}`);

const notRegistered = (kind: string, apiVersion: string): string =>
  `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/api/legacyscheme/scheme.go:30"`;

const undecodable = (key: string, why: string, cause?: Error): LayoutError =>
  new LayoutError("UNDECODABLE", key, why, { cause });

function unopened(key: string, opened: Unopened): LayoutError {
  switch (opened.form) {
    case "encrypted": // the decrypted value is encrypted again
      return new LayoutError("ENCRYPTED", key, "the decrypted value is encrypted, too");
    case "cbor":
      return undecodable(key, "is written as CBOR, which cannot be read here");
    case "unreadable":
      return undecodable(key, opened.why);
    case "unknown":
      return undecodable(key, "is no object of Kubernetes");
  }
}
