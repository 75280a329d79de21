// Runs the corpus of cases on onnxruntime-web:
//
//     npm install onnxruntime-web
//     node run.mjs build/corpus Tile Conv
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as ort from "onnxruntime-web";
import { decisions, modelOf, numberOfHalf, read, Unsupported } from "./corpus.mjs";

const THEIRS = { float: "float32", double: "float64" };
const WIDER = { float16: [2e-3, 1e-6] };

/** What is wrong with an output; nothing if it is as expected. */
function problem(expected, found, accuracy) {
  const type = THEIRS[expected.type] ?? expected.type;
  if (found.type !== type) return `the type is ${found.type}, expected ${type}`;
  if (`${found.dims}` !== `${expected.dims}`) return `the shape is [${found.dims}], expected [${expected.dims}]`;
  // Of results that are computed in floating point, as in ONNX's own tests; others are exact.
  const [rtol, atol] = accuracy ? (WIDER[expected.type] ?? [1e-3, 1e-7]).map((one, k) => Math.max(one, accuracy[k])) : [0, 0];
  const number = expected.type === "float16" ? numberOfHalf : (one) => one;
  for (let k = 0; k < expected.data.length; k++) {
    const [wanted, got] = [number(expected.data[k]), number(found.data[k])];
    if (wanted === got || (Number.isNaN(wanted) && Number.isNaN(got))) continue;
    if (accuracy && Math.abs(wanted - got) <= atol + rtol * Math.abs(wanted)) continue;
    return `element ${k} is ${got}, expected ${wanted}`;
  }
}

async function outcome(one, version, accuracy) {
  let call, session;
  try {
    call = modelOf(one, version);
  } catch (error) {
    if (error instanceof Unsupported) return ["left out", error.message];
    throw error;
  }
  try {
    const options = { executionProviders: ["wasm"], graphOptimizationLevel: "disabled", logSeverityLevel: 4 };
    session = await ort.InferenceSession.create(call.model, options);
    const tensor = ({ type, dims, data }) => new ort.Tensor(THEIRS[type] ?? type, data, dims);
    const found = await session.run(Object.fromEntries(call.inputs.map(({ name, value }) => [name, tensor(value)])), { logSeverityLevel: 4 });
    if (one.kind === "reject") return ["computed", one.raises.join(": ")];
    for (const { name, value } of call.outputs) {
      const text = problem(value, found[name], accuracy[value.type]);
      if (text) return ["wrong", `${name}: ${text}`];
    }
    return ["right", ""];
  } catch (error) {
    return ["refused", String(error?.message ?? error)];
  } finally {
    await session?.release();
  }
}

const [folder, ...operators] = process.argv.slice(2);
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";
const index = readFileSync(join(folder, "index.txt"), "utf8").split("\n").filter((line) => line.startsWith("file "));
const total = {};
for (const [domain, file] of index.map((line) => line.split(" ")[1].split("/"))) {
  const operator = file.replace(/\.txt$/, "");
  if (operators.length && !operators.includes(operator)) continue;
  const { versions, errata, cases } = read(folder, domain, operator);
  for (const [version, { accuracy }] of versions) {
    const counts = {};
    for (const one of cases.filter(({ versions: holders }) => holders.includes(version))) {
      let [word, text] = await outcome(one, version, accuracy);
      // Another result is not wrong where ONNX's text leaves the result open.
      if (word === "wrong" && decisions(errata, one, version).length) word = "open";
      const what = one.kind === "reject" ? `${word} (invalid)` : word;
      for (const count of [counts, total]) count[what] = (count[what] ?? 0) + 1;
      if (word === "wrong") console.log(`wrong: ${operator}-${version}: ${one.name}: ${text}`);
    }
    console.log(`${operator}-${version}: ${JSON.stringify(counts)}`);
  }
}
console.log(JSON.stringify(total));
process.exitCode = total.wrong ? 1 : 0;
