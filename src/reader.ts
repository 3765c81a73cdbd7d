// A process beside the server: reads one uploaded file and exits, also when the server exits.
import process from "node:process";
import { serveReading } from "./server/reading-process.ts";
import { lowerThreadPriority } from "./workers/serve-jobs.ts";

process.once("disconnect", () => process.exit(1));
lowerThreadPriority();
void serveReading();
