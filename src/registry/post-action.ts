// What is posted below an object and not stored, a Binding below a Pod: taken in as a new object is, admitted, and handed to
// the action of the subresource.
import type { DecodedObject } from "./codec/object-decoder.ts";
import { acceptObject } from "./codec/object-decoder.ts";
import type { RequestContext, TokenIssuer } from "./definition/request-context.ts";
import type {
  ActionAnswer,
  ObjectAddress,
  ResourceView,
  SubresourceAction,
} from "./definition/resource-definition.ts";
import { actionOf } from "./definition/view.ts";
import type { ResourceStore } from "./resource-store.ts";
import { trackWrite } from "./write/managed-fields.ts";
import { dropRepeatedOwners, dropSystemFields, placeInNamespace } from "./write/prepare.ts";

/** An action, and the kind that it is sent. */
export interface PostedAction {
  readonly action: SubresourceAction;
  readonly posted: ResourceView;
}

/** What is posted to the subresource; "" is the kind itself. undefined: nothing can be. */
export function postedTo(view: ResourceView, subresource: string): PostedAction | undefined {
  const action = actionOf(view, subresource);
  const [version] = action?.posted.versions ?? [];
  if (action === undefined || version === undefined) return undefined;
  return { action, posted: { definition: action.posted, version } };
}

interface PostInput {
  readonly target: ObjectAddress;
  readonly subresource: string;
  readonly decoded: DecodedObject;
  readonly context: RequestContext;
  readonly tokenIssuer: TokenIssuer;
}

/** An object in a version that is taken for the action's own, said to be in that. */
function inOwnVersion({ acceptsVersions, posted }: SubresourceAction, decoded: DecodedObject): DecodedObject {
  const { object } = decoded;
  if (!acceptsVersions?.includes(object.apiVersion ?? "")) return decoded;
  const apiVersion = `${posted.group}/${posted.versions[0]?.name}`;
  return { ...decoded, object: { ...object, apiVersion } };
}

/** Rejects with a StatusError for what is refused. */
export async function postAction(
  resources: ResourceStore,
  { action, posted }: PostedAction,
  { target, subresource, decoded, context, tokenIssuer }: PostInput,
): Promise<ActionAnswer> {
  const { view, namespace } = target;
  const object = acceptObject(posted, inOwnVersion(action, decoded), context);
  placeInNamespace(posted, object, namespace);
  if (!action.keepsSystemFields) dropSystemFields(object);
  dropRepeatedOwners(object, context, "request");
  delete object.metadata.managedFields;
  const endpoint = { view: posted, strategy: action.posted.strategy, subresource };
  const tracked = await trackWrite({ endpoint, live: undefined, next: object, context });
  const name = target.name || (tracked.metadata.name ?? "");
  const about = { operation: "CREATE", view, subresource, namespace, name, object: tracked, posted } as const;
  const within = { ...context, resources, tokenIssuer };
  const check = () => action.check?.(tracked, target, within);
  await resources.admitPosted({ ...about, oldObject: undefined, context }, check);
  return await action.run(tracked, target, within);
}
