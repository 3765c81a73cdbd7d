// Lab: nodes, fault injection, the clock, snapshots, import and export.
import "./lab.css";
import { useSignal } from "@preact/signals";
import { Refused, type ToldStatus } from "../frame/ask.ts";
import { TellStatus } from "../frame/told-status.tsx";
import { Can, NotAllowed } from "../rights/can.tsx";
import { EVERYTHING, onControl } from "../rights/question.ts";
import { ClockPart } from "./clock-part.tsx";
import { FaultsPart } from "./faults-part.tsx";
import { NodesPart } from "./nodes-part.tsx";
import { SnapshotsPart } from "./snapshots-part.tsx";
import { StatePart } from "./state-part.tsx";

/** Runs an action and shows a rejection. If the promise resolves with a string, it is shown as the result. */
export type Act = (what: string, does: () => Promise<unknown>) => void;

export function LabView() {
  const refused = useSignal<{ readonly what: string; readonly status: ToldStatus } | undefined>(undefined);
  const done = useSignal("");
  const act: Act = (what, does) => {
    does().then(
      (told) => {
        refused.value = undefined;
        done.value = `${what}: ${typeof told === "string" ? told : "done"}.`;
      },
      (error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        done.value = "";
        refused.value = { what: `${what}: refused`, status: error.status };
      },
    );
  };
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
