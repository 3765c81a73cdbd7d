// Faults over HTTP.
import { failure, type StatusError } from "../../meta/status.ts";
import type { ControlRoute } from "../control-route.ts";
import type { Fault } from "./fault.ts";
import type { Faults } from "./faults.ts";
import { FAULT_LIST_SCHEMA, FAULT_REPORT_SCHEMA, FAULT_SCHEMA } from "./schema.ts";

export function faultRoutes(faults: Faults): ControlRoute[] {
  return [
    {
      method: "GET",
      path: "/faults",
      operationId: "listFaults",
      summary: "All faults, how often they matched and how often they struck.",
      answer: { description: "The faults.", schema: FAULT_LIST_SCHEMA },
      handle: () => ({ json: { items: faults.list() } }),
    },
    {
      method: "POST",
      path: "/faults",
      operationId: "addFault",
      summary: "Gives a fault. One about the events of watches strikes open watches at once.",
      body: { schema: FAULT_SCHEMA, required: true },
      answer: { description: "The fault with its id.", schema: FAULT_REPORT_SCHEMA },
      handle: ({ body }) => ({ json: faults.add(body as Fault) }), // the schema has looked at it
    },
    {
      method: "DELETE",
      path: "/faults",
      operationId: "clearFaults",
      summary: "Takes all faults away.",
      answer: { description: "There are none any more." },
      handle: () => faults.clear() as undefined,
    },
    ...singleFaultRoutes(faults),
  ];
}

function singleFaultRoutes(faults: Faults): ControlRoute[] {
  return [
    {
      method: "GET",
      path: "/faults/{id}",
      operationId: "getFault",
      summary: "One fault.",
      answer: { description: "The fault.", schema: FAULT_REPORT_SCHEMA },
      handle: ({ path }) => {
        const id = path["id"] ?? "";
        const report = faults.get(id);
        if (report === undefined) throw unknown(id);
        return { json: report };
      },
    },
    {
      method: "PUT",
      path: "/faults/{id}",
      operationId: "putFault",
      summary: "Gives a fault in the place of the one with this id, if there is one.",
      body: { schema: FAULT_SCHEMA, required: true },
      answer: { description: "The fault, which counts anew.", schema: FAULT_REPORT_SCHEMA },
      handle: ({ path, body }) => ({ json: faults.put(path["id"] ?? "", body as Fault) }), // as above
    },
    {
      method: "DELETE",
      path: "/faults/{id}",
      operationId: "removeFault",
      summary: "Takes one fault away.",
      answer: { description: "It is gone." },
      handle: ({ path }) => {
        const id = path["id"] ?? "";
        if (!faults.remove(id)) throw unknown(id);
        return undefined;
      },
    },
  ];
}

function unknown(id: string): StatusError {
  const message = `there is no fault ${id}`;
  return failure({ code: 404, reason: "NotFound", message, details: { name: id, kind: "faults" } });
}
