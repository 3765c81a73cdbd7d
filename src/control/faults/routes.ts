// Faults over HTTP.
import { failure } from "../../meta/status.ts";
import { type ControlRoute, requiredBody, route } from "../control-route.ts";
import type { Fault } from "./fault.ts";
import type { Faults } from "./faults.ts";
import { FAULT_LIST_SCHEMA, FAULT_REPORT_SCHEMA, FAULT_SCHEMA } from "./schema.ts";

const GIVEN = requiredBody<Fault>(FAULT_SCHEMA);
const REPORT = { schema: FAULT_REPORT_SCHEMA };

export const faultRoutes = (faults: Faults): ControlRoute[] => [
  route("GET /faults", "listFaults", {
    summary: "All faults, how often they matched and how often they struck.",
    answer: ["The faults.", { schema: FAULT_LIST_SCHEMA }],
    handle: () => ({ items: faults.list() }),
  }),
  route("POST /faults", "addFault", {
    summary: "Gives a fault. One about the events of watches strikes open watches at once.",
    body: GIVEN,
    answer: ["The fault with its id.", REPORT],
    handle: ({ body }) => faults.add(body),
  }),
  route("DELETE /faults", "clearFaults", {
    summary: "Takes all faults away.",
    answer: ["There are none any more."],
    handle: () => faults.clear(),
  }),
  route("GET /faults/{id}", "getFault", {
    summary: "One fault.",
    answer: ["The fault.", REPORT],
    handle: ({ path: { id } }) => faults.get(id) ?? refuseUnknown(id),
  }),
  route("PUT /faults/{id}", "putFault", {
    summary: "Gives a fault in the place of the one with this id, if there is one.",
    body: GIVEN,
    answer: ["The fault, which counts anew.", REPORT],
    handle: ({ path: { id }, body }) => faults.put(id, body),
  }),
  route("DELETE /faults/{id}", "removeFault", {
    summary: "Takes one fault away.",
    answer: ["It is gone."],
    handle: ({ path: { id } }) => {
      if (!faults.remove(id)) refuseUnknown(id);
    },
  }),
];

function refuseUnknown(id: string): never {
  const message = `there is no fault ${id}`;
  throw failure({ code: 404, reason: "NotFound", message, details: { name: id, kind: "faults" } });
}
