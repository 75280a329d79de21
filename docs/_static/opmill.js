// A link to an example opens it.

document.addEventListener("DOMContentLoaded", () => {
  function open() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let folded = target?.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
    target?.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  open();
});

// The switch between versions keeps the section that is read: it is added to the links as they are followed.

document.addEventListener("DOMContentLoaded", () => {
  const links = document.querySelectorAll(".opmill-switch a.opmill-chip[href]");
  if (!links.length) return;
  const sections = [...document.querySelectorAll("section > section[id]")];

  function keepPlace(event) {
    const top = (section) => section.getBoundingClientRect().top;
    const isNamed = (section) => `#${section.id}` === location.hash && top(section) >= 0 && top(section) < innerHeight;
    const read = sections.find(isNamed) ?? sections.filter((section) => top(section) < innerHeight / 3).at(-1);
    const link = event.currentTarget;
    link.hash = read && scrollY > 0 ? read.id : "";
  }
  for (const link of links) for (const type of ["click", "auxclick", "focus", "pointerenter"]) link.addEventListener(type, keepPlace);
});

// The filters of the table of operators; the address holds what is chosen.

document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector(".opmill-filter");
  if (!form) return;
  const names = ["find", "opset", "changed", "type", "supported"];
  const rows = [...document.querySelectorAll(".opmill-operators tbody tr")].map((row) => ({
    row,
    name: row.querySelector("th").textContent.toLowerCase(),
    words: `${row.textContent} ${row.dataset.words}`.toLowerCase(),
    types: row.dataset.types.split(" "),
    chips: [...row.querySelectorAll(".opmill-chip")],
  }));
  const chosen = (field) => (field.type === "checkbox" ? (field.checked ? field.value : "") : field.value);

  function isInForce(chip, opset) {
    return +chip.textContent <= opset && +chip.dataset.last >= opset && !chip.classList.contains("opmill-deprecated");
  }

  function apply() {
    const [find, opset, changed, type, supported] = names.map((name) => chosen(form.elements[name]));
    const sought = find.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, words, types, chips } of rows) {
      for (const chip of chips) chip.classList.toggle("opmill-in-force", opset !== "" && isInForce(chip, +opset));
      const isShown =
        sought.every((word) => words.includes(word)) &&
        (opset === "" || chips.some((chip) => isInForce(chip, +opset))) &&
        (changed === "" || chips.some((chip) => chip.textContent === changed)) &&
        (type === "" || types.includes(type)) &&
        (supported === "" || "supported" in row.dataset);
      row.hidden = !isShown;
      count += isShown;
    }
    form.querySelector("output").value = `${count} of ${rows.length}`;
  }

  function changedByReader() {
    apply();
    const given = new URLSearchParams(names.map((name) => [name, chosen(form.elements[name])]).filter((pair) => pair[1]));
    history.replaceState(null, "", given.size ? `?${given}` : location.pathname);
  }

  const given = new URLSearchParams(location.search);
  for (const name of names) {
    const field = form.elements[name];
    if (field.type === "checkbox") field.checked = given.has(name);
    else if (given.has(name)) field.value = given.get(name);
  }
  form.hidden = false;
  form.addEventListener("input", changedByReader);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
});

// The tables of the scoreboard: a click on a head sorts the rows by its column, numbers the largest first.

document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("#scoreboard table, #by-operator table")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const sort = () => {
        const text = (row) => row.cells[column].textContent.trim();
        const isNumber = [...body.rows].every((row) => /^\d/.test(text(row)));
        const sorted = head.getAttribute("aria-sort");
        const isAscending = sorted ? sorted === "descending" : !isNumber;
        const order = (a, b) => (isNumber ? parseInt(text(a), 10) - parseInt(text(b), 10) : text(a).localeCompare(text(b)));
        const rows = [...body.rows].sort((a, b) => (isAscending ? order(a, b) : order(b, a)));
        for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
        body.append(...rows);
      };
      head.tabIndex = 0;
      head.style.cursor = "pointer";
      head.addEventListener("click", sort);
      head.addEventListener("keydown", (event) => event.key === "Enter" && sort());
    });
  }
});
