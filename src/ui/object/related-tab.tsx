// Links to related objects.
import { useEffect, useMemo } from "preact/hooks";
import { type JsonObject, objectAt, textAt } from "../../apimachinery/json/json.ts";
import { Asking, shownOf } from "../frame/answer.ts";
import { Asked } from "../frame/asked.tsx";
import { type KindInfo, linkTo, type ObjectRef } from "../frame/kinds.ts";
import { present } from "../map/map-states.ts";
import { Can } from "../rights/can.tsx";
import { onObject } from "../rights/question.ts";
import { model, refused, touched } from "../state.ts";
import { listable, madeOf, ownedBy, slicesOf } from "./owned.ts";
import { type Relation, relatedTo } from "./related.ts";
import type { ShownObject } from "./shown-object.ts";

const HAVE_SLICES: ReadonlySet<string> = new Set(["Service", "EgressService"]);

interface RelatedTabProps extends ShownObject {
  readonly kinds: readonly KindInfo[];
  /** The present object; undefined without a watch. */
  readonly object: JsonObject | undefined;
}

export function RelatedTab({ kind, of, kinds, object }: RelatedTabProps) {
  void touched.value; // subscribes: the model changes in place
  const relations = relatedTo(of, object, {
    ...{ model, kinds },
    namespacesOf: (egressIp) => present.known.namespacesOf(egressIp),
    egressIpsOf: (pod) => present.known.egressIpsOf(pod),
  });
  const unseen = refused.value.map(({ kind }) => kind).join(", ");
  const uid = textAt(objectAt(object, "metadata"), "uid");
  return (
    <div class="related">
      {relations.map((relation) => (
        <Related key={relation.title} relation={relation} kinds={kinds} />
      ))}
      {HAVE_SLICES.has(kind.kind) && (
        <Can
          all={[
            {
              ...onObject("list", { ...of, name: "" }),
              group: "discovery.k8s.io",
              resource: "endpointslices",
            },
          ]}
        >
          <Asked question={(signal) => slicesOf(of, signal)} otherwise="EndpointSlices cannot be listed">
            {(refs) =>
              refs.length === 0 ? null : (
                <Related relation={{ title: "EndpointSlices", refs, more: 0 }} kinds={kinds} />
              )
            }
          </Asked>
        </Can>
      )}
      {uid !== "" && <Owned key={uid} uid={uid} kind={kind} of={of} kinds={kinds} />}
      {relations.length === 0 && <p class="hint">Nothing that the page watches names it.</p>}
      {unseen !== "" && (
        <p class="hint not-allowed">⊘ Not looked through, as they may not be listed: {unseen}.</p>
      )}
    </div>
  );
}

function Related({
  relation: { title, refs, more },
  kinds,
}: {
  relation: Relation;
  kinds: readonly KindInfo[];
}) {
  const kindOf = (ref: ObjectRef) =>
    kinds.find(({ group, resource }) => group === ref.group && resource === ref.resource)?.kind;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {refs.map((ref) => (
          <li key={linkTo(ref)}>
            <a href={linkTo(ref)}>
              <span class="hint">{kindOf(ref) ?? ref.resource}</span>{" "}
              {ref.namespace === "" ? ref.name : `${ref.namespace}/${ref.name}`}
            </a>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="hint">{more.toLocaleString()} more</p>}
    </section>
  );
}

interface OwnedProps extends ShownObject {
  readonly uid: string;
  readonly kinds: readonly KindInfo[];
}

function Owned({ uid, kind, of, kinds }: OwnedProps) {
  const asking = useMemo(
    () => new Asking<{ readonly refs: readonly ObjectRef[]; readonly isOfAll: boolean }>(),
    [],
  );
  const first = madeOf(kind, kinds);
  const find = (looked: readonly KindInfo[], isOfAll: boolean) =>
    asking.ask(async (signal) => ({ refs: await ownedBy(uid, of.namespace, looked, signal), isOfAll }));
  useEffect(() => {
    if (first.length > 0) find(first, false);
    return () => asking.forget();
  }, []);
  const answer = asking.answer.value;
  const found = shownOf(answer);
  return (
    <>
      {found && found.refs.length > 0 && (
        <Related relation={{ title: "Owns", refs: found.refs, more: 0 }} kinds={kinds} />
      )}
      {found?.isOfAll && found.refs.length === 0 && (
        <p class="hint">It owns nothing of any kind that you may list.</p>
      )}
      {!found?.isOfAll && (
        <p>
          <button
            type="button"
            disabled={answer.state === "asking"}
            onClick={() => find(listable(kinds), true)}
          >
            Look for what it owns in every kind
          </button>
        </p>
      )}
    </>
  );
}
