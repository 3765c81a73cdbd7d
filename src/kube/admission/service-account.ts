// ServiceAccount, off by default: every new Pod runs under an existing account of its namespace. The Pod gets the
// account's token, unless automounting is off, and the account's image pull secrets.
import { parseGoBool } from "../../apimachinery/go/strconv.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { systemClock } from "../../apimachinery/meta/clock.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../../apiserver/registry/admission.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import type { KeyValueReader } from "../../storage/store.ts";
import { isAbout, MIRROR_ANNOTATION, type PluginDeps } from "./about.ts";

const DEFAULT_ACCOUNT = "default";
const MOUNTABLE_ONLY = "kubernetes.io/enforce-mountable-secrets";
/** The default account of a namespace is created by a controller shortly after the namespace. */
const TRIES = 10;
const PAUSE_MS = 150;

export const createServiceAccount = ({ store }: PluginDeps, pauseMs = PAUSE_MS): AdmissionPlugin => ({
  name: "ServiceAccount",
  admit(attributes) {
    const { operation, object } = attributes;
    if (operation !== "CREATE" || !isAbout(attributes, "", "pods") || !object) return undefined;
    return admitPod({ store, pauseMs }, attributes, object);
  },
  validate(attributes) {
    const { operation, object, view, subresource } = attributes;
    const added = operation === "UPDATE" && subresource === "ephemeralcontainers";
    const made = operation === "CREATE" && isAbout(attributes, "", "pods");
    if ((!made && !added) || view.definition.resource !== "pods" || !object) return undefined;
    return validatePod({ store, pauseMs }, attributes, object, added);
  },
});

interface Accounts {
  readonly store: KeyValueReader;
  readonly pauseMs: number;
}

async function admitPod(accounts: Accounts, attributes: AdmissionAttributes, pod: KubeObject): Promise<void> {
  if (isMirror(pod)) return refuseReferences(attributes, pod);
  const spec = specOf(pod);
  const name = textAt(spec, "serviceAccountName") || DEFAULT_ACCOUNT;
  Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
  const account = await accountOf(accounts, attributes, name);
  const wanted = spec["automountServiceAccountToken"] ?? account["automountServiceAccountToken"] ?? true;
  if (wanted === true) mountToken(spec, attributes.context.ids.nameSuffix());
  const secrets = objectsAt(account, "imagePullSecrets").map((item) => ({ name: textAt(item, "name") }));
  if (objectsAt(spec, "imagePullSecrets").length === 0 && secrets.length > 0)
    spec["imagePullSecrets"] = secrets;
}

async function validatePod(
  accounts: Accounts,
  attributes: AdmissionAttributes,
  pod: KubeObject,
  added: boolean,
): Promise<void> {
  if (!added && isMirror(pod)) return refuseReferences(attributes, pod);
  const name = textAt(specOf(pod), "serviceAccountName");
  if (name === "") throw refuse(attributes, `no service account specified for pod ${placeOf(attributes)}`);
  const account = await accountOf(accounts, attributes, name);
  if (parseGoBool(account.metadata.annotations?.[MOUNTABLE_ONLY] ?? "") !== true) return;
  const complaint = foreignSecret(account, specOf(pod), added);
  if (complaint !== undefined) throw refuse(attributes, complaint);
}

const isMirror = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;

const placeOf = ({ namespace, object }: AdmissionAttributes): string =>
  `${namespace}/${object?.metadata.name ?? ""}`;

async function accountOf(
  { store, pauseMs }: Accounts,
  attributes: AdmissionAttributes,
  name: string,
): Promise<Readonly<KubeObject>> {
  const { namespace } = attributes;
  for (let tries = name === DEFAULT_ACCOUNT ? TRIES : 1; tries > 0; tries--) {
    const kv = store.get(`/registry/serviceaccounts/${namespace}/${name}`);
    if (kv !== undefined) return decodeStored(kv);
    if (tries > 1) await systemClock.sleep(pauseMs);
  }
  const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
  throw refuse(attributes, why);
}

const TOKEN_VOLUME = "kube-api-access-";
const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Token lifetime in a Pod. A lifetime of slightly more than an hour marks tokens whose expiry the server may extend. */
const EXPIRATION_SECONDS = 3607;

function mountToken(spec: JsonObject, suffix: string): void {
  const volumes = objectsAt(spec, "volumes");
  const present = volumes.find((volume) => textAt(volume, "name").startsWith(TOKEN_VOLUME));
  const name = present ? textAt(present, "name") : TOKEN_VOLUME + suffix;
  const containers = ["initContainers", "containers"].flatMap((list) => objectsAt(spec, list));
  const without = containers.filter((container) =>
    objectsAt(container, "volumeMounts").every((mount) => mount["mountPath"] !== TOKEN_PATH),
  );
  for (const container of without) {
    const mount = { name, readOnly: true, mountPath: TOKEN_PATH };
    container["volumeMounts"] = [...objectsAt(container, "volumeMounts"), mount];
  }
  if (!present && without.length > 0) spec["volumes"] = [...volumes, { name, projected: tokenSource() }];
}

const tokenSource = (): JsonObject => ({
  sources: [
    { serviceAccountToken: { expirationSeconds: EXPIRATION_SECONDS, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: {
        items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
      },
    },
  ],
  defaultMode: 0o644,
});

/** Mirror Pods may not reference cluster objects. */
function refuseReferences(attributes: AdmissionAttributes, pod: KubeObject): void {
  const spec = specOf(pod);
  if (textAt(spec, "serviceAccountName") !== "")
    throw refuse(attributes, "a mirror pod may not reference service accounts");
  if (secretsOf(spec).length > 0 || objectsAt(spec, "imagePullSecrets").length > 0)
    throw refuse(attributes, "a mirror pod may not reference secrets");
  const projected = objectsAt(spec, "volumes").flatMap((volume) =>
    objectsAt(objectAt(volume, "projected"), "sources"),
  );
  if (projected.some((source) => objectAt(source, "serviceAccountToken")))
    throw refuse(attributes, "a mirror pod may not use ServiceAccountToken volume projections");
}

interface SecretReference {
  readonly secret: string;
  /** The referrer, in the text of a rejection. */
  readonly who: string;
}

const LISTS = { initContainers: "init container", containers: "container" };

function secretsOf(spec: JsonObject, lists: Readonly<Record<string, string>> = LISTS): SecretReference[] {
  const ofVolumes = objectsAt(spec, "volumes")
    .map((volume) => objectAt(volume, "secret"))
    .filter((source) => source !== undefined)
    .map((source) => ({ secret: textAt(source, "secretName"), who: "volume with" }));
  const ofContainers = Object.entries(lists).flatMap(([list, word]) =>
    objectsAt(spec, list).flatMap((container) => secretsOfContainer(container, word)),
  );
  return [...ofVolumes, ...ofContainers];
}

function secretsOfContainer(container: JsonObject, word: string): SecretReference[] {
  const who = `${word} ${textAt(container, "name")} with`;
  const single = objectsAt(container, "env").flatMap((variable) => {
    const reference = objectAt(objectAt(variable, "valueFrom"), "secretKeyRef");
    const named = `${who} envVar ${textAt(variable, "name")} referencing`;
    return reference ? [{ secret: textAt(reference, "name"), who: named }] : [];
  });
  const whole = objectsAt(container, "envFrom").flatMap((source) => {
    const reference = objectAt(source, "secretRef");
    return reference ? [{ secret: textAt(reference, "name"), who: `${who} envFrom referencing` }] : [];
  });
  return [...single, ...whole];
}

/** Some accounts allow only the secrets that they list. */
function foreignSecret(
  account: Readonly<KubeObject>,
  spec: JsonObject,
  onlyAdded: boolean,
): string | undefined {
  const { name } = account.metadata;
  const named = (member: string) => objectsAt(account, member).map((item) => textAt(item, "name"));
  const all = onlyAdded
    ? secretsOf(
        { ephemeralContainers: spec["ephemeralContainers"] },
        { ephemeralContainers: "ephemeral container" },
      )
    : secretsOf(spec);
  const foreign = all.find(({ secret }) => !named("secrets").includes(secret));
  const rule = `is not allowed because service account ${name} does not reference that`;
  if (foreign) return `${foreign.who} secret.secretName="${foreign.secret}" ${rule} secret`;
  if (onlyAdded) return undefined;
  const pulled = objectsAt(spec, "imagePullSecrets").map((item) => textAt(item, "name"));
  const index = pulled.findIndex((secret) => !named("imagePullSecrets").includes(secret));
  return index < 0 ? undefined : `imagePullSecrets[${index}].name="${pulled[index]}" ${rule} imagePullSecret`;
}
