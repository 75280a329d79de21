// "Try it": calls the C library, compiled to WebAssembly, with what the reader types. No result is stored in the page.
// Offsets are those of the library's structs (opmill/operator.h, opmill/types.h) on wasm32: pointers have four bytes.

(() => {
  const NAMES = [
    ...["undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "double"],
    ...["uint32", "uint64", "complex64", "complex128", "bfloat16"],
  ];
  const CODES = ["", "OpError", "TypeConstraintError", "ShapeError", "AttributeValueError", "an internal fault"];
  const KINDS = { 1: "FLOAT", 2: "INT", 3: "STRING", 4: "TENSOR", 6: "FLOATS", 7: "INTS", 8: "STRINGS", 11: "SPARSE_TENSOR" };
  const UNTYPED = ["TENSOR", "SPARSE_TENSOR"]; // kinds that no field can give
  const MAX_BYTES = 1 << 26;
  const MAX_SHOWN = 2000;

  // Numbers in a buffer, by the name of the element type.
  const [half, single] = [new Uint16Array(1), new Float32Array(1)];
  const bits = new Uint32Array(single.buffer);

  function fromHalf(h) {
    const [exponent, fraction] = [(h >> 10) & 31, h & 1023];
    const size = exponent === 31 ? (fraction ? NaN : Infinity) : exponent ? 2 ** (exponent - 25) * (1024 + fraction) : fraction * 2 ** -24;
    return h & 0x8000 ? -size : size;
  }

  function toHalf(value) {
    const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
    const size = Math.abs(value);
    if (Number.isNaN(value)) return 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    const exponent = Math.max(-14, Math.floor(Math.log2(size || 2 ** -14)));
    const scaled = size / 2 ** (exponent - 10);
    let rounded = Math.floor(scaled);
    const rest = scaled - rounded;
    if (rest > 0.5 || (rest === 0.5 && rounded % 2)) rounded++;
    return sign + (rounded < 1024 ? rounded : ((exponent + 15) << 10) + rounded - 1024);
  }

  function toBrain(value) {
    single[0] = value;
    if (Number.isNaN(value)) return 0x7fc0;
    return (bits[0] + 0x7fff + ((bits[0] >>> 16) & 1)) >>> 16;
  }

  function fromBrain(value) {
    bits[0] = value << 16;
    return single[0];
  }

  const number = (method, bytes) => [bytes, (view, at) => view[`get${method}`](at, true), (view, at, v) => view[`set${method}`](at, Number(v), true)];
  const big = (method) => [8, (view, at) => view[`get${method}`](at, true), (view, at, v) => view[`set${method}`](at, BigInt(v), true)];
  const TYPES = {
    float: number("Float32", 4),
    double: number("Float64", 8),
    int8: number("Int8", 1),
    uint8: number("Uint8", 1),
    int16: number("Int16", 2),
    uint16: number("Uint16", 2),
    int32: number("Int32", 4),
    uint32: number("Uint32", 4),
    int64: big("BigInt64"),
    uint64: big("BigUint64"),
    bool: [1, (view, at) => view.getUint8(at) !== 0, (view, at, v) => view.setUint8(at, v === "true" || Number(v) ? 1 : 0)],
    float16: [2, (view, at) => fromHalf(view.getUint16(at, true)), (view, at, v) => view.setUint16(at, toHalf(Number(v)), true)],
    bfloat16: [2, (view, at) => fromBrain(view.getUint16(at, true)), (view, at, v) => view.setUint16(at, toBrain(Number(v)), true)],
    string: [4, null, null], // pointers, which are followed
  };

  const WORD = /-?\b(?:inf|nan)\b|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|true|false/gi;
  const SPECIAL = { inf: "Infinity", "-inf": "-Infinity", nan: "NaN", "-nan": "NaN" };
  const LIST = 'numbers as 1 or [[1, 2], [3, 4]], texts in quotes as ["a", "b"]';

  // The bounds of an integer type.
  function bounds(type) {
    const width = BigInt(type.match(/\d+/)[0]);
    return type.startsWith("u") ? [0n, 2n ** width - 1n] : [-(2n ** (width - 1n)), 2n ** (width - 1n) - 1n];
  }

  // Whether a value that was read is an element of a type. Each stays text but those of type string.
  function isElement(value, type) {
    if (typeof value !== "string") return false;
    if (type === "string") return true;
    if (type === "bool") return ["true", "false", "0", "1"].includes(value);
    if (!/int/.test(type)) return value === "NaN" || !Number.isNaN(Number(value));
    if (!/^[-+]?\d+$/.test(value)) return false;
    const [low, high] = bounds(type);
    const number = BigInt(value.replace("+", ""));
    return low <= number && number <= high;
  }

  function wanted(type) {
    if (type === "string") return "texts in quotes";
    if (type === "bool") return "true or false";
    return /int/.test(type) ? `integers from ${bounds(type)[0]} to ${bounds(type)[1]}` : "numbers";
  }

  // A nested list as flat elements, which stay text so that int64 keeps its digits, and its dims.
  function parsed(text, type, name) {
    let tree;
    try {
      tree = JSON.parse(type === "string" ? text : text.replace(WORD, (word) => JSON.stringify(SPECIAL[word.toLowerCase()] ?? word.toLowerCase())));
    } catch {
      throw new Error(`${name} is not a nested list of values, expected ${LIST}`);
    }
    const dims = [];
    for (let part = tree; Array.isArray(part); part = part[0]) dims.push(part.length);
    const flat = [];
    (function walk(part, depth) {
      const isList = Array.isArray(part);
      const isRagged = isList !== depth < dims.length || (isList && part.length !== dims[depth]);
      if (isRagged) throw new Error(`${name} has rows of different lengths, expected equal lengths`);
      if (isList) part.forEach((item) => walk(item, depth + 1));
      else if (isElement(part, type)) flat.push(part);
      else throw new Error(`${name} holds ${String(part?.toLowerCase?.() ?? JSON.stringify(part))}, expected ${wanted(type)} (${type})`);
    })(tree, 0);
    return { dims, flat };
  }

  const WANTED = {
    ...{ FLOAT: ["float", 0, "a number"], FLOATS: ["float", 1, "a list of numbers"] },
    ...{ INT: ["int64", 0, "an integer"], INTS: ["int64", 1, "a list of integers"] },
    STRINGS: ["string", 1, "a list of texts in quotes"],
  };

  // The elements of an attribute of one of these kinds.
  function attributeElements(name, kind, text) {
    const [type, rank, words] = WANTED[kind];
    try {
      const { dims, flat } = parsed(text, type, name);
      if (dims.length === rank) return flat;
    } catch {} // as the text of another rank
    throw new Error(`attribute ${name} is ${text}, expected ${words}`);
  }

  // Elements, each a text, as nested lists with a row a line.
  function rows(words, dims) {
    if (!dims.length) return words[0];
    const step = words.length / dims[0];
    const parts = Array.from({ length: dims[0] }, (_, k) => rows(words.slice(k * step, (k + 1) * step), dims.slice(1)));
    return `[${parts.join(dims.length === 1 ? ", " : ",\n ")}]`;
  }

  // The call that lines of the corpus of cases state; the manual's page "The corpus of cases" specifies them.
  function callOf(example) {
    const call = { inputs: [], attributes: {} };
    for (const line of example.split("\n")) {
      const [kind, name, form, ...words] = line.match(/"(?:[^"\\]|\\.)*"|[^ ]+/g);
      if (kind === "example") call.name = JSON.parse(name);
      else if (kind === "outputs") call.outputs = +name;
      else if (kind === "input" && form === "absent") call.inputs.push(null);
      else if (kind === "input") {
        const [dims, ...elements] = words;
        const texts = form === "bool" ? elements.map((word) => (word === "1" ? "true" : "false")) : elements;
        call.inputs.push([form, rows(texts, JSON.parse(dims))]);
      } else if (form === "string") call.attributes[name] = JSON.parse(words[0]);
      else call.attributes[name] = form.endsWith("s") ? rows(words, [words.length]) : words[0];
    }
    return call;
  }

  function nested(flat, dims, depth = 0, from = 0) {
    if (depth === dims.length) return flat[from];
    const step = dims.slice(depth + 1).reduce((a, b) => a * b, 1);
    return Array.from({ length: dims[depth] }, (_, k) => nested(flat, dims, depth + 1, from + k * step));
  }

  function layout(tree) {
    if (typeof tree === "string") return JSON.stringify(tree);
    if (!Array.isArray(tree)) return Object.is(tree, -0) ? "-0" : String(tree).replace("Infinity", "inf").replace("NaN", "nan");
    const parts = tree.map(layout);
    const line = `[${parts.join(", ")}]`;
    return line.length <= 72 && !line.includes("\n") ? line : `[${parts.join(",\n").replace(/\n/g, "\n ")}]`;
  }

  const short = (value) => (typeof value === "number" && Number.isFinite(value) ? Number(value.toPrecision(8)) : value);

  // One module: its memory is a heap that every call begins anew.
  class Library {
    constructor({ exports }) {
      this.exports = exports;
      this.heap = exports.__heap_base.value;
    }

    view() {
      return new DataView(this.exports.memory.buffer);
    }

    allocate(bytes) {
      const at = (this.top + 15) & ~15;
      this.top = at + Math.max(bytes, 1);
      const lacking = this.top - this.exports.memory.buffer.byteLength;
      if (lacking > 0) this.exports.memory.grow((lacking >> 16) + 1);
      new Uint8Array(this.exports.memory.buffer, at, bytes).fill(0);
      return at;
    }

    text(at) {
      const bytes = new Uint8Array(this.exports.memory.buffer, at);
      return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
    }

    putText(text) {
      const bytes = new TextEncoder().encode(text);
      const at = this.allocate(bytes.length + 1);
      new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
      return at;
    }

    putLongs(values) {
      const at = this.allocate(8 * values.length);
      values.forEach((value, k) => this.view().setBigInt64(at + 8 * k, BigInt(value), true));
      return at;
    }

    // A list of kind FLOATS, or of kind STRINGS, which holds pointers.
    putWords(kind, values) {
      const at = this.allocate(4 * values.length);
      values.forEach((value, k) => {
        if (kind === "FLOATS") this.view().setFloat32(at + 4 * k, Number(value), true);
        else {
          const text = this.putText(value);
          this.view().setInt32(at + 4 * k, text, true);
        }
      });
      return at;
    }

    int(at) {
      return this.view().getInt32(at, true);
    }

    // The record of an operator version.
    describe(symbol) {
      const op = this.exports[symbol].value;
      const parameters = (count, at) =>
        Array.from({ length: count }, (_, k) => at + 32 * k).map((p) => ({
          name: this.text(this.int(p)),
          option: ["single", "optional", "variadic"][this.int(p + 4)],
          types: Array.from({ length: this.int(p + 24) }, (_, k) => this.int(this.int(p + 20) + 4 * k)),
          variable: this.int(p + 16),
        }));
      const attributes = Array.from({ length: this.int(op + 24) }, (_, k) => this.int(op + 36) + 20 * k).map((a) => ({
        name: this.text(this.int(a)),
        kind: KINDS[this.int(a + 4)],
        required: this.int(a + 8),
        optional: this.int(a + 12),
        offset: this.int(a + 16),
      }));
      return {
        op,
        inputs: parameters(this.int(op + 16), this.int(op + 28)),
        outputs: parameters(this.int(op + 20), this.int(op + 32)),
        attributes,
        defaults: this.int(op + 40),
        size: this.int(op + 44),
      };
    }

    putTensor({ type, dims, flat }) {
      const [bytes, , write] = TYPES[type];
      const data = this.allocate(bytes * flat.length);
      flat.forEach((value, k) => {
        if (type === "string") {
          const text = this.putText(String(value));
          this.view().setInt32(data + 4 * k, text, true);
        } else write(this.view(), data + bytes * k, value);
      });
      return this.tensor(data, dims, NAMES.indexOf(type));
    }

    tensor(data, dims, type) {
      const shape = this.putLongs(dims);
      const at = this.allocate(16);
      [data, shape, dims.length, type].forEach((word, k) => this.view().setInt32(at + 4 * k, word, true));
      return at;
    }

    putAttributes(described, given) {
      const at = this.allocate(described.size);
      new Uint8Array(this.exports.memory.buffer).copyWithin(at, described.defaults, described.defaults + described.size);
      for (const { name, kind, optional, offset } of described.attributes) {
        if (!(name in given)) continue;
        const [place, value] = [at + offset, given[name]];
        if (UNTYPED.includes(kind)) throw new Error(`attribute ${name} is a ${kind}, expected none: this panel cannot give it`);
        if (kind === "STRING") {
          const text = this.putText(value);
          this.view().setInt32(place, text, true);
          continue;
        }
        const values = attributeElements(name, kind, value);
        if (kind === "INT") this.view().setBigInt64(place, BigInt(values[0]), true);
        if (kind === "FLOAT") this.view().setFloat32(place, Number(values[0]), true);
        if (kind.endsWith("S")) {
          const list = kind === "INTS" ? this.putLongs(values) : this.putWords(kind, values);
          this.view().setInt32(place, list, true);
          this.view().setBigInt64(place + 8, BigInt(values.length), true);
        }
        if (optional && kind === "INT") this.view().setInt32(place + 8, 1, true);
        if (optional && kind === "FLOAT") this.view().setInt32(place + 4, 1, true);
      }
      return at;
    }

    // What a call returns: {error} or {outputs: [{type, dims, flat}]}.
    call(described, tensors, given, count) {
      this.top = this.heap;
      const inputs = tensors.map((tensor) => (tensor ? this.putTensor(tensor) : 0));
      const list = this.allocate(4 * inputs.length);
      inputs.forEach((at, k) => this.view().setInt32(list + 4 * k, at, true));
      const attributes = described.size ? this.putAttributes(described, given) : 0;
      const [context, shapes, size] = [this.allocate(308), this.allocate(520 * count), this.allocate(4)];
      const failed = (code) => code && { error: `${CODES[code]}: ${this.text(context + 20)}` };
      const begin = [described.op, list, inputs.length, attributes];
      let fault = failed(this.exports.opmill_infer(...begin, shapes, count, context));
      fault ||= failed(this.exports.opmill_workspace(...begin, count, size, context));
      if (fault) return fault;
      const workspace = this.allocate(this.int(size));
      this.view().setInt32(context, workspace, true);
      this.view().setInt32(context + 4, this.int(size), true);
      fault = failed(this.exports.opmill_measure(...begin, shapes, count, context));
      if (fault) return fault;
      const outputs = Array.from({ length: count }, (_, k) => {
        const shape = shapes + 520 * k;
        const dims = Array.from({ length: this.int(shape + 512) }, (_, d) => Number(this.view().getBigInt64(shape + 8 * d, true)));
        return { type: this.int(shape + 516), dims, size: dims.reduce((a, b) => a * b, 1) };
      });
      const isLarge = outputs.some(({ size }) => size * 16 > MAX_BYTES);
      if (isLarge) return { outputs: outputs.map((output) => ({ ...output, name: NAMES[output.type] })) };
      const places = outputs.map(({ type, dims, size }) => {
        const data = this.allocate(size * 16);
        return [data, this.tensor(data, dims, type)];
      });
      const results = this.allocate(4 * count);
      places.forEach(([, at], k) => this.view().setInt32(results + 4 * k, at, true));
      fault = failed(this.exports.opmill_run(...begin, results, count, context));
      if (fault) return fault;
      return {
        outputs: outputs.map(({ type, dims, size }, k) => {
          const name = NAMES[type] ?? `type ${type}`;
          return { name, dims, flat: TYPES[name] && Array.from({ length: size }, (_, i) => this.element(name, places[k][0], i)) };
        }),
      };
    }

    element(name, data, k) {
      const [bytes, read] = TYPES[name];
      if (name === "string") return this.text(this.int(data + 4 * k));
      const value = read(this.view(), data + bytes * k);
      return name === "float" || name === "float16" || name === "bfloat16" ? short(value) : value;
    }
  }

  async function load(form) {
    const { module, root } = form.dataset;
    await new Promise((resolve, reject) => {
      document.head.append(Object.assign(document.createElement("script"), { src: `${root}try/${module}.js`, onload: resolve, onerror: reject }));
    });
    const bytes = Uint8Array.from(atob(globalThis.opmillModules[module]), (character) => character.charCodeAt(0));
    const compiled = await WebAssembly.compile(bytes);
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(compiled)) (imports[from] ??= {})[name] = () => 0; // of stdio, unused
    return new Library(await WebAssembly.instantiate(compiled, imports));
  }

  function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  class Panel {
    constructor(form, library) {
      Object.assign(this, { form, library });
      this.described = library.describe(form.dataset.operator);
      const { examples, defaults } = JSON.parse(form.querySelector("script").textContent);
      const calls = examples.map(callOf);
      this.examples = element("select", { ariaLabel: "example" }, ...calls.map(({ name }) => element("option", {}, name)));
      this.inputs = element("div");
      this.attributes = element("div");
      this.count = element("input", { type: "number", min: 1, max: 64, value: 1, ariaLabel: "number of outputs" });
      this.result = element("output");
      const isCounted = this.described.outputs.some(({ option }) => option !== "single");
      const parts = [element("label", {}, "Example ", this.examples), this.inputs, this.attributes];
      if (isCounted) parts.push(element("label", {}, "Outputs ", this.count));
      form.append(...parts, this.result);
      for (const { name, kind, required } of this.described.attributes) {
        const disabled = UNTYPED.includes(kind);
        const placeholder = disabled ? "not in this panel" : required ? "required" : (defaults[name] ?? "absent");
        const field = element("input", { name: `attribute ${name}`, placeholder, disabled });
        this.attributes.append(element("label", {}, element("code", {}, name), ` ${kind} `, field));
      }
      this.examples.addEventListener("change", () => this.put(calls[this.examples.selectedIndex]));
      form.addEventListener("submit", (event) => event.preventDefault());
      form.addEventListener("input", (event) => {
        if (event.target === this.examples) return;
        if (event.target.tagName === "SELECT") this.typeAbsent();
        this.run(true);
      });
      this.put(this.fromAddress() ?? calls[0]);
      window.addEventListener("hashchange", () => this.fromAddress() && this.put(this.fromAddress()));
    }

    fromAddress() {
      if (!location.hash.startsWith("#try=")) return null;
      try {
        return JSON.parse(decodeURIComponent(location.hash.slice(5)));
      } catch {
        return null;
      }
    }

    // Fill the fields with a call: {inputs: [[type, text] or null, ...], attributes, outputs}.
    put({ inputs, attributes, outputs }) {
      this.inputs.replaceChildren();
      this.described.inputs.forEach((parameter, k) => {
        const isLast = parameter.option === "variadic";
        const values = isLast ? [...inputs.slice(k), null] : [inputs[k] ?? null];
        for (const value of values) this.addInput(parameter, value);
      });
      this.typeAbsent();
      for (const { name } of this.described.attributes) this.form.elements[`attribute ${name}`].value = attributes[name] ?? "";
      this.count.value = outputs;
      this.run(false);
    }

    addInput(parameter, value) {
      const types = parameter.types.map((type) => NAMES[type]).filter((name) => TYPES[name]);
      const all = [...new Set([...types, ...Object.keys(TYPES)])]; // others show the error
      const type = element("select", { ariaLabel: `type of ${parameter.name}` }, ...all.map((name) => element("option", {}, name)));
      type.value = value?.[0] ?? (types.includes("float") ? "float" : types[0]);
      const rows = Math.min(8, (value?.[1] ?? "").split("\n").length);
      const text = element("textarea", { value: value?.[1] ?? "", rows, spellcheck: false, ariaLabel: parameter.name });
      text.placeholder = parameter.option === "single" ? "a value or a nested list" : "absent";
      const row = element("div", { className: "opmill-input" }, element("code", {}, parameter.name), type, text);
      this.inputs.append(Object.assign(row, { parameter, type, text }));
    }

    // An absent input shows the type that the present ones give its type variable.
    typeAbsent() {
      const rows = [...this.inputs.children];
      for (const row of rows.filter(({ text }) => !text.value.trim())) {
        const { variable } = row.parameter;
        const present = rows.find((other) => variable >= 0 && other.parameter.variable === variable && other.text.value.trim());
        if (present) row.type.value = present.type.value;
      }
    }

    state() {
      const inputs = [...this.inputs.children].map((row) => {
        const text = row.text.value.trim();
        return text ? [row.type.value, text] : null;
      });
      while (inputs.length && inputs.at(-1) === null) inputs.pop();
      const attributes = {};
      for (const { name, kind } of this.described.attributes) {
        const typed = this.form.elements[`attribute ${name}`].value;
        const value = kind === "STRING" ? typed : typed.trim(); // " " is a text
        if (value) attributes[name] = value;
      }
      return { inputs, attributes, outputs: +this.count.value || 1 };
    }

    run(isTyped) {
      const state = this.state();
      if (isTyped) history.replaceState(null, "", `#try=${encodeURIComponent(JSON.stringify(state))}`);
      let answer;
      try {
        const names = [...this.inputs.children].map(({ parameter }) => parameter.name);
        const tensors = state.inputs.map((input, k) => input && { type: input[0], ...parsed(input[1], input[0], names[k]) });
        const always = this.described.outputs.filter(({ option }) => option === "single").length;
        answer = this.library.call(this.described, tensors, state.attributes, Math.max(always, state.outputs));
      } catch (error) {
        answer = { error: `Not a call: ${error.message}` };
      }
      this.result.className = answer.error ? "opmill-error" : "";
      this.result.replaceChildren(...(answer.error ? [answer.error] : answer.outputs.map((output, k) => this.shown(output, k))));
    }

    shown({ name, dims, flat }, k) {
      const { outputs } = this.described;
      const title = `${outputs[Math.min(k, outputs.length - 1)].name}: ${name}, shape [${dims.join(", ")}]`;
      const isShown = flat && flat.length <= MAX_SHOWN;
      return element("div", {}, title, element("pre", {}, isShown ? layout(nested(flat, dims)) : "(not shown)"));
    }
  }

  if (typeof document === "undefined") {
    module.exports = { Library, callOf, parsed }; // for tests outside of a browser
    return;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("form.opmill-try");
    if (!form) return;
    // The module is loaded when the panel comes into view, or when the address holds a call.
    let isMoved = false;
    for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(type, () => (isMoved = true), { once: true });
    const start = async () => {
      watch.disconnect();
      try {
        new Panel(form, await load(form));
        form.dataset.ready = "";
        // What is read stays where it is, though the panel above it has grown.
        const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
        const follows = target && form.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
        if (follows && !isMoved) target.scrollIntoView();
      } catch (error) {
        form.append(`The library could not be loaded${error.message ? `: ${error.message}` : "."}`);
      }
    };
    const watch = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && start());
    if (location.hash.startsWith("#try=")) start().then(() => form.scrollIntoView());
    else watch.observe(form);
  });
})();
