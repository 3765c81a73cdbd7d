// A process beside the server: reads one uploaded file and exits, also when the server exits.
import process from "node:process";
import { lowerThreadPriority } from "./apimachinery/workers/serve-jobs.ts";
import { serveReading } from "./server/reading-process.ts";

process.once("disconnect", () => process.exit(1));
lowerThreadPriority();
void serveReading();
