// A process beside the server's: reads one file that was sent to it, and ends.
import { serveReading } from "./server/reading-process.ts";

void serveReading();
