// What is posted and not stored. A review is a kind that is asked: the object comes back with its status filled in. An
// action makes something of an object of another kind, sent below an object: a token for a ServiceAccount is made so.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Status } from "../../meta/status.ts";
import type { KeyValue } from "../../storage/store.ts";
import type { Authorizer, TokenIssuer, TokenReviewer } from "./access.ts";
import type { DeleteOptions, RequestContext } from "./request-context.ts";
import type {
  ObjectAddress,
  ResourceDefinition,
  ResourceView,
  SubresourceDefinition,
} from "./resource-definition.ts";

export interface ReviewContext extends RequestContext {
  /** Of the URL; "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly authorizer: Authorizer;
  readonly reviewToken: TokenReviewer;
}

/** Answers with the object or with another one. May change its argument; throws a StatusError to refuse. */
export type Review = (object: KubeObject, context: ReviewContext) => KubeObject;

/** What an action does to the objects that there are; the store of the resources has it. */
export interface ActionResources {
  /** The served version of a resource. */
  viewOf(group: string, version: string, resource: string): ResourceView | undefined;
  /** The stored object, or undefined. */
  find(address: ObjectAddress): KeyValue | undefined;
  /** The stored object, or a 404. */
  get(address: ObjectAddress): KeyValue;
  delete(address: ObjectAddress, options: DeleteOptions, context: RequestContext): Promise<unknown>;
  modify(
    address: ObjectAddress,
    context: RequestContext,
    meant: { readonly uid?: string; readonly resourceVersion?: string },
    change: (object: KubeObject) => void,
  ): Promise<void>;
}

export interface ActionContext extends RequestContext {
  readonly resources: ActionResources;
  readonly issueToken: TokenIssuer;
}

export type ActionAnswer = KubeObject | Status;

export interface SubresourceAction {
  /** The kind that is posted. It has no path of its own. */
  readonly posted: ResourceDefinition;
  /** What only the server may say (uid, times) is left in the posted object, because it names another one by it. */
  readonly keepsSystemFields?: boolean;
  /** Answers with the posted object or another one, or with a Status. May change it; rejects with a StatusError to refuse. */
  run(
    posted: KubeObject,
    target: ObjectAddress,
    context: ActionContext,
  ): Promise<ActionAnswer> | ActionAnswer;
}

/** What a definition says of a subresource that is posted to, beside the action. */
export function actionSubresource(name: string, action: SubresourceAction): SubresourceDefinition {
  const { group, kind, versions } = action.posted;
  const [version] = versions;
  if (version === undefined) throw new Error(`${kind} has no version`);
  return { name, verbs: ["create"], kind, group, version: version.name, schema: version.schema, action };
}
