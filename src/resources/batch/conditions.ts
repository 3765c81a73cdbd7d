// The named states of a job.
import { type JsonObject, objectsAt } from "../../meta/json.ts";

type Status = Readonly<JsonObject> | undefined;

export const isConditionTrue = (status: Status, type: string): boolean =>
  objectsAt(status, "conditions").some((item) => item["type"] === type && item["status"] === "True");

export const isFinished = (status: Status): boolean =>
  isConditionTrue(status, "Complete") || isConditionTrue(status, "Failed");
