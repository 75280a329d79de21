// Reads the corpus of cases, and writes a case as an ONNX model of one node. Nothing needs to be installed.
// docs/start/corpus.md specifies the format.
import { readFileSync } from "node:fs";
import { join } from "node:path";

// The element types of ONNX by their numbers; JavaScript computes with those that have an array.
const TYPES = [
  "undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "double", "uint32",
  "uint64", "complex64", "complex128", "bfloat16",
];
export const ARRAYS = {
  float: Float32Array, uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array, int32: Int32Array,
  int64: BigInt64Array, bool: Uint8Array, float16: Uint16Array, double: Float64Array, uint32: Uint32Array, uint64: BigUint64Array,
};

/** A case that a model of this file cannot hold. */
export class Unsupported extends Error {}

const wordsOf = (line) => (line.match(/"(?:[^"\\]|\\.)*"|[^ ]+/g) ?? []).map((w) => (w[0] === '"' ? JSON.parse(w) : w));

/** The versions of an operator with their tolerances and the reason for these, its errata, and its cases. */
export function read(folder, domain, operator) {
  const path = join(folder, domain, `${operator}.txt`);
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  if (lines[0] !== "corpus 3" || lines.at(-1) !== "end") throw new Error(`${path}: expected 'corpus 3' in front and 'end' behind`);
  const versions = new Map();
  const [errata, cases] = [[], []];
  let version, current, sequence, sparse;
  for (const [kind, ...words] of lines.slice(2, -1).map(wordsOf)) {
    if (kind === "version") versions.set(+words[0], (version = { accuracy: {} }));
    else if (kind === "accuracy") version.accuracy[words[0]] = words.slice(1).map(Number);
    else if (kind === "reason") version.reason = words[0];
    else if (kind === "erratum") errata.push((current = { name: words[0], kind: words[1] }));
    else if (["text", "decision", "evidence", "about"].includes(kind)) current[kind] = words[0];
    else if (kind === "origin") [current.origin, current.test] = words;
    else if (kind === "rests_on") current.restsOn = words;
    else if (kind === "example" || kind === "reject") {
      current = { domain, operator, kind, name: words[0], restsOn: [], inputs: [], outputs: [], attributes: [] };
      cases.push(current);
    } else if (kind === "versions") current.versions = words.map(Number);
    else if (kind === "attribute") {
      const [name, form, ...rest] = words;
      sparse = form === "sparse" ? [] : undefined;
      const value = form === "tensor" ? tensorOf(rest) : rest;
      current.attributes.push({ name, form, value });
    } else if (kind === "input" || kind === "output") {
      const [name, form, ...rest] = words;
      sequence = form === "sequence" ? { form, type: rest[0], items: [] } : undefined;
      const value = sequence ?? (form === "absent" || form === "empty" ? { form } : tensorOf([form, ...rest]));
      current[`${kind}s`].push({ name, value });
    } else if (kind === "tensor") (sparse ?? sequence.items).push(tensorOf(words));
    else if (kind === "outputs") current.requested = +words[0];
    else if (kind === "raises") current.raises = words;
    else if (!["each", "repeated", "by_kernel"].includes(kind)) throw new Error(`${path}: unknown line '${kind}'`);
  }
  return { versions, errata, cases };
}

/** The errata that a case rests on at one of its versions: decisions without which ONNX's text allows another outcome. */
export const decisions = (errata, one, version) =>
  errata.filter(({ name, versions }) => one.restsOn.includes(name) && versions.includes(version));

/** A tensor; without `data` if JavaScript has no array for its type. */
function tensorOf([type, dims, ...words]) {
  const tensor = { form: "tensor", type, dims: dims.slice(1, -1).split(",").filter(Boolean).map(Number) };
  if (type === "string") return { ...tensor, data: words };
  const Elements = ARRAYS[type];
  if (!Elements) return tensor;
  const isBig = type === "int64" || type === "uint64";
  if (words[0] === "bits") {
    const Patterns = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[Elements.BYTES_PER_ELEMENT];
    const patterns = Patterns.from(words.slice(1), (w) => (Patterns === BigUint64Array ? BigInt(`0x${w}`) : parseInt(w, 16)));
    return { ...tensor, data: new Elements(patterns.buffer) };
  }
  const number = (word) => (isBig ? BigInt(word) : type === "float16" ? halfOf(realOf(word)) : realOf(word));
  return { ...tensor, data: Elements.from(words, number) };
}

const realOf = (word) => ({ nan: NaN, inf: Infinity, "-inf": -Infinity })[word] ?? Number(word);

/** The bits of the float16 nearest to a number, ties to even. */
export function halfOf(x) {
  if (Number.isNaN(x)) return 0x7e00;
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
  const size = Math.abs(x);
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const steps = size / 2 ** (exponent - 10); // exact: a division by a power of two
  const low = Math.floor(steps);
  const rounded = steps - low > 0.5 || (steps - low === 0.5 && low % 2) ? low + 1 : low;
  // A carry into the exponent is right as it is: the fields follow each other.
  return sign | (size >= 65520 ? 0x7c00 : ((exponent + 14) << 10) + rounded);
}

/** The number that the bits of a float16 are. */
export function numberOfHalf(bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 31 ? (fraction ? NaN : Infinity) : exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24;
  return bits & 0x8000 ? -size : size;
}

// Protocol buffers: a message is an array of bytes, a field its number, its kind and its value.

function varint(value) {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}
const whole = (field, value) => [...varint(field * 8), ...varint(value)];
const bytes = (field, value) => [...varint(field * 8 + 2), ...varint(value.length), ...value];
const text = (field, value) => bytes(field, new TextEncoder().encode(value));
const float = (field, value) => [...varint(field * 8 + 5), ...new Uint8Array(new Float32Array([value]).buffer)];

function numberOf(type) {
  const number = TYPES.indexOf(type);
  if (number < 1) throw new Unsupported(`no number for the type ${type}`);
  return number;
}

function tensorProto({ type, dims, data }) {
  if (!data) throw new Unsupported(`no array of type ${type}`);
  const head = [...dims.flatMap((dim) => whole(1, dim)), ...whole(2, numberOf(type))];
  if (type === "string") return [...head, ...data.flatMap((one) => text(6, one))];
  return [...head, ...bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))];
}

function attributeProto({ name, form, value }) {
  const written = {
    int: () => [...whole(3, value[0]), ...whole(20, 2)],
    float: () => [...float(2, realOf(value[0])), ...whole(20, 1)],
    string: () => [...text(4, value[0]), ...whole(20, 3)],
    tensor: () => [...bytes(5, tensorProto(value)), ...whole(20, 4)],
    ints: () => [...value.flatMap((one) => whole(8, one)), ...whole(20, 7)],
    floats: () => [...value.flatMap((one) => float(7, realOf(one))), ...whole(20, 6)],
    strings: () => [...value.flatMap((one) => text(9, one)), ...whole(20, 8)],
  }[form];
  if (!written) throw new Unsupported(`an attribute of kind ${form}`);
  return [...text(1, name), ...written()];
}

function valueInfo(name, { type, dims }) {
  const shape = dims ? bytes(2, dims.flatMap((dim) => bytes(1, whole(1, dim)))) : [];
  return [...text(1, name), ...bytes(2, bytes(1, [...whole(1, numberOf(type)), ...shape]))];
}

/** The model of a case at one of its versions, with the inputs and expected outputs by their names in it. */
export function modelOf(one, version) {
  const named = (values, kind) =>
    values.map(({ value }, place) => {
      if (value.form !== "absent" && value.form !== "tensor") throw new Unsupported(`a value of form ${value.form}`);
      if (value.form === "tensor" && !value.data) throw new Unsupported(`no array of type ${value.type}`);
      return { name: value.form === "absent" ? "" : `${kind}${place}`, value };
    });
  const inputs = named(one.inputs, "in");
  // The type that an output of an invalid call would have is that of the first input.
  const guess = { form: "tensor", data: [], type: one.inputs.find(({ value }) => value.type)?.value.type ?? "float" };
  const refused = Array.from({ length: one.requested ?? 1 }, () => ({ value: guess }));
  const outputs = named(one.kind === "reject" ? refused : one.outputs, "out");
  const domain = one.domain === "ai.onnx" ? "" : one.domain;
  const node = [
    ...inputs.flatMap(({ name }) => text(1, name)), ...outputs.flatMap(({ name }) => text(2, name)), ...text(4, one.operator),
    ...one.attributes.flatMap((attribute) => bytes(5, attributeProto(attribute))), ...text(7, domain),
  ];
  const given = (values) => values.filter(({ name }) => name);
  const graph = [
    ...bytes(1, node), ...text(2, one.operator),
    ...given(inputs).flatMap(({ name, value }) => bytes(11, valueInfo(name, value))),
    ...given(outputs).flatMap(({ name, value }) => bytes(12, valueInfo(name, value))),
  ];
  const opset = [...text(1, domain), ...whole(2, version)];
  const model = Uint8Array.from([...whole(1, 8), ...bytes(7, graph), ...bytes(8, opset)]);
  return { model, inputs: given(inputs), outputs: given(outputs) };
}
