// POST below an object: an object of another kind is sent there, and something comes of it. A token for a ServiceAccount
// is made that way. What is posted is not stored itself.
import type { KubeObject } from "../meta/object-meta.ts";
import type { Status } from "../meta/status.ts";
import type { TokenIssuer } from "./access/access.ts";
import type { RequestContext } from "./request-context.ts";
import type { ResourceDefinition, SubresourceDefinition } from "./resource-definition.ts";
import type { ResourceStore } from "./resource-store.ts";
import type { ObjectAddress } from "./write/commit.ts";

export interface ActionContext extends RequestContext {
  readonly resources: ResourceStore;
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
