// onnxruntime-web in Node: a line of JSON holds a model and its inputs, the answer is one too.
import { createInterface } from "node:readline";
import * as ort from "onnxruntime-web";

ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";
const WORDS = new Set(["bool", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]);

function bytesOf(text) {
  const bytes = Buffer.from(text, "base64");
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

const ARRAYS = {
  bool: Uint8Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array,
  uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, float16: Uint16Array, float32: Float32Array,
  float64: Float64Array,
};

async function answer({ model, inputs, outputs }) {
  const options = { executionProviders: ["wasm"], graphOptimizationLevel: "disabled", logSeverityLevel: 4 };
  const session = await ort.InferenceSession.create(new Uint8Array(bytesOf(model)), options);
  try {
    const feeds = {};
    for (const [name, type, dims, data] of inputs) {
      if (type !== "string" && !WORDS.has(type)) throw new Error(`no tensor of type ${type}`);
      const elements = type === "string" ? data : new ARRAYS[type](bytesOf(data));
      feeds[name] = new ort.Tensor(type, elements, dims);
    }
    const found = await session.run(feeds, { logSeverityLevel: 4 });
    return outputs.map((name) => {
      const { type, dims, data } = found[name];
      if (type === "string") return [type, dims, data];
      return [type, dims, Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64")];
    });
  } finally {
    await session.release();
  }
}

console.log(JSON.stringify(ort.env.versions.web));
for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = { outputs: await answer(JSON.parse(line)) };
  } catch (error) {
    reply = { error: String(error?.message ?? error).slice(0, 400) };
  }
  console.log(JSON.stringify(reply));
}
