// A process beside the server's: reads one uploaded file, and ends, also when the server has ended.
import process from "node:process";
import { serveReading } from "./server/reading-process.ts";
import { lowerThreadPriority } from "./workers/serve-jobs.ts";

process.once("disconnect", () => process.exit(1));
lowerThreadPriority();
void serveReading();
