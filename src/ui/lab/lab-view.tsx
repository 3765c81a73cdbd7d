// Lab: nodes, fault injection, the clock, snapshots, import and export.
import "./lab.css";
import { TellStatus } from "../frame/told-status.tsx";
import { Can, NotAllowed } from "../rights/can.tsx";
import { EVERYTHING, onControl } from "../rights/question.ts";
import { useActs } from "./act.ts";
import { ClockPart } from "./clock-part.tsx";
import { FaultsPart } from "./faults-part.tsx";
import { NodesPart } from "./nodes-part.tsx";
import { SnapshotsPart } from "./snapshots-part.tsx";
import { StatePart } from "./state-part.tsx";

export function LabView() {
  const { act, refused, done } = useActs();
  return (
    <div class="lab">
      <h1>Lab</h1>
      {refused.value && <TellStatus {...refused.value} />}
      <p role="status" class="done">
        {done.value}
      </p>
      <div class="parts">
        <NodesPart act={act} />
        <Can all={[onControl("get", "clock")]}>
          <ClockPart act={act} />
        </Can>
        <Can all={EVERYTHING} otherwise={(why) => <Closed title="Snapshots" why={why} />}>
          <SnapshotsPart act={act} />
        </Can>
        <Can all={EVERYTHING} otherwise={(why) => <Closed title="Faults for clients" why={why} />}>
          <FaultsPart act={act} />
        </Can>
        <StatePart act={act} />
      </div>
    </div>
  );
}

/** Replaces a part that the user is not authorized for: title and reason. */
const Closed = ({ title, why }: { title: string; why: string }) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    <NotAllowed why={why} />
  </section>
);
