// The page of an operator's changes: any two versions, side by side. Without scripts, neighbours are shown.
// The page carries the parts of every version as data; words that the other version lacks are marked.

(() => {
  const form = document.querySelector(".opmill-choose");
  const place = document.querySelector(".opmill-changes");
  const { operator, versions } = JSON.parse(document.getElementById("opmill-versions").textContent);
  const SIMILAR = 0.4; // texts that share less of their words are shown as replaced

  // The pairs of indices of a longest common subsequence.
  function common(a, b) {
    const width = b.length + 1;
    const length = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        length[i * width + j] =
          a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1 : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    const pairs = [];
    for (let i = 0, j = 0; i < a.length && j < b.length; ) {
      if (a[i] === b[j]) pairs.push([i++, j++]);
      else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) i++;
      else j++;
    }
    return pairs;
  }

  const words = (text) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

  function likeness(a, b) {
    const [left, right] = [words(a), words(b)];
    return left.length + right.length ? (2 * common(left, right).length) / (left.length + right.length) : 1;
  }

  function marked(cell, text, same, tag) {
    let run = null;
    let changed = null;
    const isChanged = (k) => !same.has(k);
    const list = words(text);
    list.forEach((word, k) => {
      // A blank is marked only between two words that are.
      const isBlank = /^\s+$/.test(word);
      const now = isBlank ? k > 0 && k + 1 < list.length && isChanged(k - 1) && isChanged(k + 1) : isChanged(k);
      if (changed !== now) {
        changed = now;
        run = cell.appendChild(changed ? document.createElement(tag) : document.createTextNode(""));
      }
      run.appendData ? run.appendData(word) : run.append(word);
    });
  }

  // Fill the cells of an old and a new text, which are equal, similar or replaced.
  function compared(oldCell, newCell, oldText, newText, threshold) {
    const [a, b] = [words(oldText), words(newText)];
    let pairs = common(a, b);
    if ((2 * pairs.length) / Math.max(1, a.length + b.length) < threshold) pairs = [];
    marked(oldCell, oldText, new Set(pairs.map((p) => p[0])), "del");
    marked(newCell, newText, new Set(pairs.map((p) => p[1])), "ins");
  }

  function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  // Rows without names are paragraphs: equal ones are paired, then similar ones between them.
  function paragraphs(olds, news) {
    const rows = [];
    let [i, j] = [0, 0];
    const texts = (side) => side.map((row) => row[1]);
    for (const [a, b] of [...common(texts(olds), texts(news)), [olds.length, news.length]]) {
      const added = news.slice(j, b);
      for (const old of olds.slice(i, a)) {
        const at = added.findIndex((row) => likeness(old[1], row[1]) >= SIMILAR);
        if (at >= 0) for (const row of added.splice(0, at)) rows.push([null, row]);
        rows.push([old, at >= 0 ? added.shift() : null]);
      }
      for (const row of added) rows.push([null, row]);
      if (a < olds.length) rows.push([olds[a], news[b]]);
      [i, j] = [a + 1, b + 1];
    }
    return rows;
  }

  function named(olds, news) {
    const find = (rows, name) => rows.find((row) => row[0] === name) ?? null;
    const names = [...new Set([...olds, ...news].map((row) => row[0]))];
    return names.map((name) => [find(olds, name), find(news, name)]);
  }

  function table(older, newer, key, withSame) {
    const body = [];
    older[key].forEach(([title, olds], k) => {
      const news = newer[key][k][1];
      const pairs = title === "Summary" ? paragraphs(olds, news) : named(olds, news);
      const rows = pairs.filter(([a, b]) => withSame || JSON.stringify(a) !== JSON.stringify(b)).map(row);
      if (rows.length)
        body.push(element("tbody", {}, element("tr", {}, element("th", { colSpan: 3, scope: "rowgroup" }, title)), ...rows));
    });
    if (!body.length) return element("p", {}, "No differences.");
    const head = ["part", `${operator}-${older.number}`, `${operator}-${newer.number}`].map((text) => element("th", {}, text));
    return element("table", { className: "opmill-differences" }, element("thead", {}, element("tr", {}, ...head)), ...body);
  }

  // A name that a narrow column breaks behind its underscores alone.
  const breakable = (name) => name.split(/(?<=_)/).flatMap((part) => [part, element("wbr")]).slice(0, -1);

  function row([old, now]) {
    const cells = [element("td"), element("td")];
    const status = !old ? "added" : !now ? "removed" : JSON.stringify(old) === JSON.stringify(now) ? "same" : "changed";
    const count = Math.max(old?.length ?? 0, now?.length ?? 0);
    for (let k = 1; k < count; k++) {
      const isSignature = count === 3 && k === 1;
      if (k > 1) cells.forEach((cell) => cell.append("\n"));
      compared(cells[0], cells[1], old?.[k] ?? "", now?.[k] ?? "", isSignature ? 0 : SIMILAR);
    }
    return element("tr", { className: status }, element("th", { scope: "row" }, ...breakable((old ?? now)[0])), ...cells);
  }

  function meanings(older, newer) {
    const between = versions.filter((v) => v.number > older.number && v.number <= newer.number);
    const items = between.flatMap((version) =>
      version.changes.map((change) => {
        const link = element("a", { href: change.link });
        link.innerHTML = change.case;
        const what = element("span");
        what.innerHTML = change.what;
        const label = between.length > 1 ? `${operator}-${version.number}: ` : "";
        return element("li", {}, label, what, " (", link, ")");
      }),
    );
    const missing = between.filter((v) => !v.supported).map((v) => `${operator}-${v.number}`);
    if (missing.length) items.push(element("li", {}, `${missing.join(", ")}: not supported yet, only facts are compared`));
    return items.length ? element("ul", {}, ...items) : element("p", {}, "Nothing in meaning.");
  }

  function show() {
    const numbers = [+form.elements.old.value, +form.elements.new.value].sort((a, b) => a - b);
    const [older, newer] = numbers.map((number) => versions.find((v) => v.number === number));
    const heading = element("h2", {}, `${operator}-${older.number} to ${operator}-${newer.number}`);
    const parts = [heading, meanings(older, newer), table(older, newer, "parts", form.elements.same.checked)];
    if (older.published && newer.published) {
      const summary = element("summary", {}, "ONNX's own text, word by word");
      parts.push(element("details", { className: "opmill-published" }, summary, table(older, newer, "published", false)));
    }
    place.replaceChildren(element("section", { id: `${older.number}-${newer.number}` }, ...parts));
  }

  function fromAddress() {
    const numbers = location.hash.slice(1).split("-").map(Number);
    const known = (number) => versions.some((v) => v.number === number);
    const last = versions.map((v) => v.number).slice(-2);
    [form.elements.old.value, form.elements.new.value] = numbers.length === 2 && numbers.every(known) ? numbers : last;
    show();
  }

  form.hidden = false;
  form.addEventListener("change", () => {
    show();
    history.replaceState(null, "", `#${place.firstElementChild.id}`);
  });
  window.addEventListener("hashchange", fromAddress);
  fromAddress();
})();
