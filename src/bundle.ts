// What the built package holds in one file: the command, the server for those who start it from code, and the API for
// tests; and for the module that has loaded them, when there is something to keep.
import { onceServing } from "./launch/once-serving.ts";
import { main } from "./main.ts";
import { createServer } from "./server/server.ts";
import * as testing from "./testing/start-egret.ts";

export { createServer, main, onceServing, testing };
