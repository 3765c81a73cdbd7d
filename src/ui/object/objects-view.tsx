// Routes: o lists all kinds, o/GROUP/VERSION/RESOURCE the objects of a kind; with namespace and name it shows one object.
import "./object.css";
import { Asked } from "../frame/asked.tsx";
import { type KindInfo, kinds, linkTo, refOf } from "../frame/kinds.ts";
import { at } from "../frame/navigation.ts";
import type { Route } from "../frame/route.ts";
import { standingOf } from "../rights/can.tsx";
import { onObject } from "../rights/question.ts";
import { ObjectList } from "./object-list.tsx";
import { ObjectThen } from "./object-then.tsx";
import { ObjectView } from "./object-view.tsx";

export function ObjectsView({ route }: { route: Route }) {
  return (
    <Asked question={kinds} otherwise="The kinds cannot be listed">
      {(known) => <Objects route={route} known={known} />}
    </Asked>
  );
}

function Objects({ route, known }: { route: Route; known: readonly KindInfo[] }) {
  const ref = refOf(route.path);
  if (!ref) return <KindsList known={known} />;
  const kind = known.find(({ group, resource }) => group === ref.group && resource === ref.resource);
  if (!kind) return <NoKind resource={ref.resource} />;
  const key = route.path.join("/");
  if (ref.name === "") return <ObjectList key={key} route={route} kind={kind} />;
  const revision = at.value;
  if (revision !== undefined) return <ObjectThen key={key} kind={kind} of={ref} revision={revision} />;
  return <ObjectView key={key} route={route} kind={kind} of={ref} kinds={known} />;
}

const NoKind = ({ resource }: { resource: string }) => (
  <p class="objects hint">The server has no kind {resource}.</p>
);

/** Groups that come first, because they contain the egress API. */
const FIRST = ["k8s.ovn.org", "", "cloud.network.openshift.io", "networking.k8s.io"];

function KindsList({ known }: { known: readonly KindInfo[] }) {
  const listed = known.filter(({ verbs }) => verbs.includes("list"));
  const groups = [...new Set(listed.map(({ group }) => group))].sort(
    (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1),
  );
  return (
    <div class="objects">
      <h1>Objects</h1>
      <div class="groups">
        {groups.map((group) => (
          <section key={group} aria-label={group || "core"}>
            <h2>{group || "core"}</h2>
            <ul>
              {listed
                .filter((kind) => kind.group === group)
                .map((kind) => (
                  <li key={kind.resource}>
                    <KindLink kind={kind} />
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}

/** A kind that the user may not list cluster-wide may still be listed in a namespace. */
function KindLink({ kind }: { kind: KindInfo }) {
  const of = { ...kind, namespace: "", name: "" };
  const link = <a href={linkTo(of)}>{kind.kind}</a>;
  if (standingOf([onObject("list", of)]).right !== "refused") return link;
  return (
    <>
      {kind.isNamespaced ? link : kind.kind}{" "}
      <span class="hint">{kind.isNamespaced ? "by namespace" : "not allowed"}</span>
    </>
  );
}

const rank = (group: string): number => (FIRST.includes(group) ? FIRST.indexOf(group) : FIRST.length);
