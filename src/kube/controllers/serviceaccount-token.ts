// Fills Secrets of type kubernetes.io/service-account-token with a token of their ServiceAccount, ca.crt and namespace, and
// deletes them with it, as the tokens controller of kube-controller-manager (pkg/controller/serviceaccount).
import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { core, deleteObject, ignoring, isOvertaken, keyOfObject } from "../../controller/api.ts";
import { defineController } from "../../controller/define-controller.ts";
import type { Keys, Kit, KitWith } from "../../controller/definition.ts";

const SECRETS = core("secrets");
const ACCOUNTS = core("serviceaccounts");
const TYPE = "kubernetes.io/service-account-token";
const ACCOUNT_NAME = "kubernetes.io/service-account.name";
const ACCOUNT_UID = "kubernetes.io/service-account.uid";

type Names = "secrets" | "accounts";

export const serviceAccountToken = defineController({
  name: "serviceaccount-token",
  summary: "tokens in Secrets of type `kubernetes.io/service-account-token`",
  fieldManager: "kube-controller-manager",
  memory: (kit: KitWith<Names>) => kit,
  watches: {
    secrets: {
      resource: SECRETS,
      list: { fieldSelector: `type=${TYPE}` },
      toKeys: ({ type, object }) => [type === "delete" ? referenceKey(object) : keyOfObject(object)],
    },
    // Few clusters have such Secrets: the informer of ServiceAccounts starts with the first one.
    accounts: {
      resource: ACCOUNTS,
      lazy: true,
      on: ["delete"],
      toKeys: ({ object }, { secrets }) => secretsOf(object, secrets.list()),
    },
  },
  async reconcile(key, world) {
    await world.follow("accounts");
    const [namespace = "", name = "", listed] = key.split("/");
    if (listed !== undefined) return await removeReference({ namespace, name }, listed, world);
    const secret = world.secrets.get(key);
    if (secret === undefined) return;
    const account = await accountOf(secret, world);
    if (account === undefined) await deleteObject(world.client, SECRETS, secret);
    else await fill(secret, account, world);
  },
});

const accountNameOf = ({ metadata }: Readonly<KubeObject>): string =>
  metadata.annotations?.[ACCOUNT_NAME] ?? "";

/** "namespace/account/secret" of a deleted Secret that its ServiceAccount may still list. */
const referenceKey = (secret: KubeObject): string =>
  `${secret.metadata.namespace}/${accountNameOf(secret)}/${secret.metadata.name}`;

function secretsOf({ metadata }: KubeObject, secrets: Iterable<KubeObject>): Keys {
  const ofAccount = (secret: KubeObject): boolean =>
    secret.metadata.namespace === metadata.namespace && accountNameOf(secret) === metadata.name;
  return [...secrets].filter(ofAccount).map(keyOfObject);
}

/** The ServiceAccount of the Secret, not another one of its name; undefined when it does not exist. */
async function accountOf(
  secret: KubeObject,
  { accounts, client }: KitWith<Names>,
): Promise<KubeObject | undefined> {
  const { namespace = "", annotations } = secret.metadata;
  const name = accountNameOf(secret);
  const wanted = annotations?.[ACCOUNT_UID] ?? "";
  const isMeant = (account: KubeObject | undefined): boolean =>
    account !== undefined && (wanted === "" || wanted === account.metadata.uid);
  const known = accounts.get(`${namespace}/${name}`);
  if (isMeant(known)) return known;
  // The informer cache may lag behind the creation of the account.
  const live = await ignoring([404], client.get(ACCOUNTS, { namespace, name }));
  return isMeant(live) ? live : undefined;
}

async function fill(secret: KubeObject, account: KubeObject, kit: Kit): Promise<void> {
  const { name = "", uid = "" } = account.metadata;
  const missing = missingData(secret, { name, uid }, kit);
  if (Object.keys(missing).length === 0) return;
  const annotations = { ...secret.metadata.annotations, [ACCOUNT_NAME]: name, [ACCOUNT_UID]: uid };
  const metadata = { ...secret.metadata, annotations };
  const filled = { ...secret, metadata, data: { ...objectAt(secret, "data"), ...missing } };
  try {
    await kit.client.update(SECRETS, filled);
  } catch (error) {
    if (!isOvertaken(error)) throw error;
  }
}

function missingData(
  secret: KubeObject,
  account: { readonly name: string; readonly uid: string },
  { authority = "", signSecretToken }: Kit,
): JsonObject {
  const { namespace = "", name = "" } = secret.metadata;
  const data = objectAt(secret, "data");
  const ca = base64(authority);
  return {
    ...(ca === "" || textAt(data, "ca.crt") === ca ? {} : { "ca.crt": ca }),
    ...(textAt(data, "namespace") === "" ? { namespace: base64(namespace) } : {}),
    ...(textAt(data, "token") === "" && signSecretToken !== undefined
      ? { token: base64(signSecretToken({ namespace, secret: name, account })) }
      : {}),
  };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function removeReference(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  secret: string,
  { client, secrets }: KitWith<Names>,
): Promise<void> {
  if (secrets.get(`${namespace}/${secret}`) !== undefined) return;
  const account = await ignoring([404], client.get(ACCOUNTS, { namespace, name }));
  const listed = account === undefined ? [] : objectsAt(account, "secrets");
  const kept = listed.filter((one) => one["name"] !== secret);
  if (account === undefined || kept.length === listed.length) return;
  await ignoring([404], client.update(ACCOUNTS, { ...account, secrets: kept }));
}
