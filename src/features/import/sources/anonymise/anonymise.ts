// Anonymisation of objects for sharing a dump. Names, labels, addresses and values derived from them are replaced
// consistently. Secrets, contents of ConfigMaps, environments, commands and messages are left out. A pure function of
// the object and the key: only caches are kept between objects.
import { type JsonObject, objectAt, setOwn, textAt } from "../../../../apimachinery/json/json.ts";
import { type KubeObject, partsOfApiVersion, specOf } from "../../../../apimachinery/meta/object-meta.ts";
import { type ClusterNotes, type FoundObject, type SourceItem, skipped } from "../source.ts";
import { KINDS, RESOURCES } from "./choice-words.ts";
import { definitionUnder } from "./definitions.ts";
import { Keyed } from "./keyed.ts";
import { managedFieldsUnder } from "./managed-fields.ts";
import { networkSettings } from "./network-settings.ts";
import { isPublicDomain, isPublicWord } from "./public-words.ts";
import { Texts } from "./texts.ts";
import { Values } from "./values.ts";

/** Kinds with confidential content, or with expressions of a language of their own. */
const SECRET_KINDS = new Set([
  "admissionregistration.k8s.io/MutatingAdmissionPolicy",
  ...[
    "/Secret",
    "certificates.k8s.io/CertificateSigningRequest",
    "machineconfiguration.openshift.io/MachineConfig",
  ],
  ...[
    "oauth.openshift.io/OAuthAccessToken",
    "oauth.openshift.io/OAuthAuthorizeToken",
    "oauth.openshift.io/OAuthClient",
  ],
  ...["user.openshift.io/User", "user.openshift.io/Identity", "user.openshift.io/Group"],
]);

export interface Anonymiser {
  /** undefined: the object is left out. */
  object(object: Readonly<KubeObject>): KubeObject | undefined;
  /** The anonymised name, label value or address. */
  text(text: string): string;
}

export function anonymiser(key: string | Uint8Array): Anonymiser {
  const texts = new Texts(new Keyed(key));
  const values = new Values(texts);
  return { object: (object) => anonymous(object, texts, values), text: (text) => texts.text(text) };
}

/** The anonymised items of a source. A skipped part keeps its reason, without its origin. */
export async function* anonymised(
  items: AsyncIterable<SourceItem>,
  { object: change, text }: Anonymiser,
): AsyncGenerator<SourceItem, void, undefined> {
  for await (const item of items) {
    if (item.type === "skipped") yield skipped(ELSEWHERE, item.reason.replace(/(["']).*?\1/g, '"…"'));
    else if (item.type === "kinds") {
      const kinds = item.kinds.filter(({ group, kind }) => isPublicDomain(group) && KINDS.has(kind));
      yield { type: "kinds", kinds, origin: ELSEWHERE };
    } else if (item.type === "notes")
      yield { type: "notes", notes: notesUnder(item.notes, text), origin: ELSEWHERE };
    else yield itemOf(item, change(item.object));
  }
}

const RELEASE = /^v?\d+\.\d+\.\d+/;

function notesUnder(notes: ClusterNotes, text: (text: string) => string): ClusterNotes {
  const { serviceSubnets, kubernetesVersion, ...rest } = notes;
  return {
    ...rest,
    ...(serviceSubnets === undefined ? {} : { serviceSubnets: text(serviceSubnets) }),
    ...(kubernetesVersion === undefined
      ? {}
      : { kubernetesVersion: RELEASE.exec(kubernetesVersion)?.[0] ?? "" }),
  };
}

/** Replaces origins, since paths contain names. */
const ELSEWHERE = "the source";

function itemOf(
  { place, object: { kind = "", apiVersion } }: FoundObject,
  object: KubeObject | undefined,
): SourceItem {
  const isPublic = isPublicKind(partsOfApiVersion(apiVersion)[0], kind);
  if (object === undefined)
    return skipped(
      ELSEWHERE,
      isPublic ? `is a ${kind}, which is never told` : "is of a kind that is not public",
    );
  return { type: "object", object, origin: ELSEWHERE, ...(place === undefined ? {} : { place }) };
}

const isPublicKind = (group: string, kind: string): boolean => isPublicDomain(group) && KINDS.has(kind);

function anonymous(object: Readonly<KubeObject>, texts: Texts, values: Values): KubeObject | undefined {
  const { kind = "", metadata } = object;
  const [group] = partsOfApiVersion(object.apiVersion);
  if (!isPublicKind(group, kind) || SECRET_KINDS.has(`${group}/${kind}`)) return undefined;
  const isDefinition = kind === "CustomResourceDefinition";
  if (isDefinition && !isPublicDefinition(object)) return undefined;
  const isPublicName = isDefinition || (kind === "APIService" && isPublicService(object));
  const out: KubeObject = { metadata: {} };
  for (const member of Object.keys(object)) {
    const [name, value] = [values.name(member, "", false), memberOf(object, member, texts, values)];
    if (name !== undefined && value !== undefined) setOwn(out, name, value);
  }
  out.metadata = metadataOf(metadata, texts, values, isPublicName);
  if (kind === "ConfigMap") Object.assign(out, networkSettings(object, texts));
  return out;
}

/** `egressips.k8s.ovn.org`, of a kind that is public. */
function isPublicDefinition(object: Readonly<KubeObject>): boolean {
  const spec = specOf(object);
  const [group, plural] = [textAt(spec, "group"), textAt(objectAt(spec, "names"), "plural")];
  return RESOURCES.has(plural) && isPublicDomain(group) && object.metadata.name === `${plural}.${group}`;
}

/** `v1.apps` */
function isPublicService(object: Readonly<KubeObject>): boolean {
  const [group, version] = [textAt(specOf(object), "group"), textAt(specOf(object), "version")];
  const isName = object.metadata.name === `${version}.${group}` || group === "";
  return isPublicDomain(group) && isPublicWord(version) && isName;
}

function memberOf(object: Readonly<KubeObject>, member: string, texts: Texts, values: Values): unknown {
  if (member === "kind" || member === "apiVersion" || member === "metadata") return object[member];
  if (object.kind === "ConfigMap" && (member === "data" || member === "binaryData")) return undefined;
  if (object.kind === "CustomResourceDefinition") return definitionUnder(object[member], member, texts);
  return values.value(object[member], member);
}

function metadataOf(
  given: Readonly<KubeObject["metadata"]>,
  texts: Texts,
  values: Values,
  isPublicName: boolean,
): KubeObject["metadata"] {
  const metadata: Readonly<JsonObject> = { ...given };
  const out: JsonObject = {};
  for (const member of Object.keys(metadata)) {
    const value = metadata[member];
    if (member === "managedFields") out[member] = managedFieldsUnder(value, texts, values);
    else if (member === "selfLink") continue;
    else if (member === "name" && isPublicName) out[member] = value;
    else if (KEPT.get(member)?.test(String(value)) === true) out[member] = value;
    else {
      const name = values.name(member, "", false);
      if (name !== undefined) setOwn(out, name, values.value(value, member));
    }
  }
  const [prefix, name] = [textAt(metadata, "generateName"), textAt(metadata, "name")];
  // A generated suffix is part of the last word and would change it.
  const isGenerated = prefix !== "" && name.startsWith(prefix);
  if (isGenerated && !textAt(out, "name").startsWith(textAt(out, "generateName")))
    out["generateName"] = textAt(out, "name").slice(0, prefix.length);
  return out;
}

/** Members that define the order and the age of objects are kept. */
const KEPT: ReadonlyMap<string, RegExp> = new Map([
  ["resourceVersion", /^\d{1,20}$/],
  ["generation", /^\d{1,20}$/],
  ["deletionGracePeriodSeconds", /^\d{1,10}$/],
]);
