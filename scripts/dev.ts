// npm run dev: runs the server from its source, without a build. Node restarts it whenever a file that it has read
// changes.
import process from "node:process";
import { main } from "../src/main.ts";
import { endProcess } from "../src/server/launch/end-process.ts";

void main(process.argv.slice(2), process.env).then(endProcess);
