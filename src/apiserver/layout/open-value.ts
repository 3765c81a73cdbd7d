// Detects the encoding of etcd values. A kube-apiserver decodes any of them, whatever its own storage encoding:
// protobuf, JSON, YAML, and base64 of these (A/server/storage/storage_codec.go).
import { isObject, textAt } from "../../apimachinery/json/json.ts";
import { JsonSyntaxError } from "../../apimachinery/json/json-decode.ts";
import { decodeJsonValue } from "../../apimachinery/json/json-value.ts";
import { LEVELS_MAX } from "../../apimachinery/meta/max-nesting-depth.ts";
import { decodeYaml } from "../../apimachinery/yaml/decode-yaml.ts";
import { YamlSyntaxError } from "../../apimachinery/yaml/yaml-error.ts";
import { decodeMessage, isEnvelope, openEnvelope } from "../endpoints/protobuf/codec.ts";
import { ProtobufDecodeError } from "../endpoints/protobuf/value-types.ts";
import type { SaidObject } from "./current-form.ts";

export interface OpenedValue extends SaidObject {
  readonly form: "protobuf" | "json" | "yaml" | "base64";
}

/** Why the value cannot be decoded. */
export type Unopened =
  | { readonly form: "encrypted"; readonly provider: string }
  | { readonly form: "cbor" }
  | { readonly form: "unknown" }
  | { readonly form: "unreadable"; readonly why: string };

const ENCRYPTED = /^k8s:enc:([a-z0-9]+):/;
const CBOR = Buffer.from("d9d9f7", "hex");
const OPENING_BRACE = 0x7b;

/** Returns an OpenedValue for any supported encoding. Never throws. */
export function openValue(bytes: Uint8Array): OpenedValue | Unopened {
  try {
    if (isEnvelope(bytes)) return openProtobuf(bytes);
    if (bytes[0] === OPENING_BRACE) return openJson(bytes) ?? { form: "unknown" };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const [, provider] = ENCRYPTED.exec(buffer.toString("latin1", 0, 40)) ?? [];
    if (provider !== undefined) return { form: "encrypted", provider };
    if (buffer.subarray(0, CBOR.length).equals(CBOR)) return { form: "cbor" };
    return openYaml(bytes) ?? openBase64(buffer) ?? { form: "unknown" };
  } catch (error) {
    if (error instanceof ProtobufDecodeError || error instanceof JsonSyntaxError)
      return { form: "unreadable", why: error.message };
    throw error;
  }
}

export const isOpened = (opened: OpenedValue | Unopened): opened is OpenedValue => "identity" in opened;

function openProtobuf(bytes: Uint8Array): OpenedValue {
  const { identity, raw } = openEnvelope(bytes, { apiVersion: "", kind: "" });
  return { form: "protobuf", identity, raw, read: (type) => decodeMessage(type, raw) };
}

function openJson(bytes: Uint8Array): OpenedValue | undefined {
  return sayingItsType("json", decodeJsonValue(bytes, { depthMax: LEVELS_MAX }));
}

function openYaml(bytes: Uint8Array): OpenedValue | undefined {
  try {
    return sayingItsType("yaml", decodeYaml(bytes).value);
  } catch (error) {
    if (error instanceof YamlSyntaxError || error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

const BASE64 = /^[A-Za-z0-9+/\r\n]+={0,2}[\r\n]*$/;

/** Base64 is decoded once, not recursively. */
function openBase64(bytes: Buffer): OpenedValue | undefined {
  const text = bytes.toString("latin1");
  if (!BASE64.test(text)) return undefined;
  const inner = Buffer.from(text, "base64");
  const opened = isEnvelope(inner) ? openProtobuf(inner) : (openJsonOrNot(inner) ?? openYaml(inner));
  return opened && { ...opened, form: "base64" };
}

const openJsonOrNot = (bytes: Uint8Array): OpenedValue | undefined =>
  bytes[0] === OPENING_BRACE ? openJson(bytes) : undefined;

function sayingItsType(form: "json" | "yaml", value: unknown): OpenedValue | undefined {
  if (!isObject(value)) return undefined;
  const identity = { apiVersion: textAt(value, "apiVersion"), kind: textAt(value, "kind") };
  return identity.kind === "" ? undefined : { form, identity, read: () => value };
}
