// Objects under other names, so that a case can be sent to somebody: names, labels, addresses and all that is made of them are
// changed alike wherever they stand; Secrets, contents of ConfigMaps, environments, commands and messages are left out. A pure
// function of the object and the key: nothing is kept between objects but what need not be computed twice.
import { type JsonObject, setOwn, textAt } from "../../meta/json.ts";
import { type KubeObject, partsOfApiVersion, specOf } from "../../meta/object-meta.ts";
import { type ClusterNotes, type FoundObject, type SourceItem, skipped } from "../source.ts";
import { Keyed } from "./keyed.ts";
import { managedFieldsUnder } from "./managed-fields.ts";
import { networkSettings } from "./network-settings.ts";
import { isPublicDomain } from "./public-words.ts";
import { Texts } from "./texts.ts";
import { Values } from "./values.ts";

/** Whose content nobody may see, or is a language of its own. */
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
  /** undefined: it has to stay where it is. */
  object(object: Readonly<KubeObject>): KubeObject | undefined;
  /** The other name of a name, a label's value or an address. */
  text(text: string): string;
}

export function anonymiser(key: string | Uint8Array): Anonymiser {
  const texts = new Texts(new Keyed(key));
  const values = new Values(texts);
  return { object: (object) => anonymous(object, texts, values), text: (text) => texts.text(text) };
}

/** The items of a source under other names. Why something was skipped is told without where it was. */
export async function* anonymised(
  items: AsyncIterable<SourceItem>,
  { object: change, text }: Anonymiser,
): AsyncGenerator<SourceItem, void, undefined> {
  for await (const item of items) {
    if (item.type === "skipped") yield skipped(ELSEWHERE, item.reason.replace(/(["']).*?\1/g, '"…"'));
    else if (item.type === "kinds") {
      const kinds = item.kinds.filter(({ group }) => isPublicDomain(group));
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

/** Paths tell names. */
const ELSEWHERE = "the source";

function itemOf(
  { place, object: { kind = "", apiVersion } }: FoundObject,
  object: KubeObject | undefined,
): SourceItem {
  const isPublic = isPublicDomain(partsOfApiVersion(apiVersion)[0]);
  if (object === undefined)
    return skipped(
      ELSEWHERE,
      isPublic ? `is a ${kind}, which is never told` : "is of a kind that is not public",
    );
  return { type: "object", object, origin: ELSEWHERE, ...(place === undefined ? {} : { place }) };
}

function anonymous(object: Readonly<KubeObject>, texts: Texts, values: Values): KubeObject | undefined {
  const { kind = "", metadata } = object;
  const [group] = partsOfApiVersion(object.apiVersion);
  if (!isPublicDomain(group) || SECRET_KINDS.has(`${group}/${kind}`)) return undefined;
  const isDefinition = kind === "CustomResourceDefinition" || kind === "APIService";
  if (isDefinition && !isPublicDomain(textAt(specOf(object), "group"))) return undefined;
  const out: KubeObject = { metadata: {} };
  for (const member of Object.keys(object))
    setOwn(out, member, memberOf(object, member, isDefinition, values));
  out.metadata = metadataOf(metadata, texts, values, isDefinition);
  if (kind === "ConfigMap") Object.assign(out, networkSettings(object, texts));
  return out;
}

/** What is the same in every cluster stays as it is: a definition, and what an object says that it is. */
function memberOf(
  object: Readonly<KubeObject>,
  member: string,
  isDefinition: boolean,
  values: Values,
): unknown {
  if (member === "kind" || member === "apiVersion" || member === "metadata") return object[member];
  if (object.kind === "ConfigMap" && (member === "data" || member === "binaryData")) return undefined;
  if (isDefinition) return object[member];
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
    if (member === "managedFields") out[member] = managedFieldsUnder(value, texts);
    else if (member === "selfLink") continue;
    else if (member === "name" && isPublicName) out[member] = value;
    else if (KEPT.has(member)) out[member] = value;
    else out[member] = values.value(value, member);
  }
  const [prefix, name] = [textAt(metadata, "generateName"), textAt(metadata, "name")];
  // Letters that were added behind a word make another word of it.
  const isGenerated = prefix !== "" && name.startsWith(prefix);
  if (isGenerated && !textAt(out, "name").startsWith(textAt(out, "generateName")))
    out["generateName"] = textAt(out, "name").slice(0, prefix.length);
  return out;
}

const KEPT = new Set([
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
]);
