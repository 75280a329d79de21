// A link to an example opens it.

document.addEventListener("DOMContentLoaded", () => {
  function open() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = target?.closest("details") ?? target?.querySelector("details");
    if (folded) folded.open = true;
  }
  window.addEventListener("hashchange", open);
  open();
});

// On the pages that compare versions: two lists choose which pair is shown. Without scripts all pairs are.

document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector(".opmill-choose");
  if (!form) return;
  const pairs = [...document.querySelectorAll(".opmill-compared[data-old]")];
  const oldList = form.elements.old;
  const newList = form.elements.new;

  function show(oldVersion, newVersion) {
    oldList.value = oldVersion;
    newList.value = newVersion;
    for (const pair of pairs) {
      const chosen = pair.dataset.old === oldVersion && pair.dataset.new === newVersion;
      pair.closest("section").hidden = !chosen;
    }
  }

  function choose() {
    const [oldVersion, newVersion] = [oldList.value, newList.value].sort((a, b) => a - b);
    const pair = pairs.find((p) => p.dataset.old === oldVersion && p.dataset.new === newVersion);
    if (pair) history.replaceState(null, "", "#" + pair.closest("section").id);
    show(oldVersion, newVersion);
  }

  function fromAddress() {
    const id = decodeURIComponent(location.hash.slice(1));
    const pair =
      pairs.find((p) => p.closest("section").id === id || p.closest("section").querySelector(`[id="${CSS.escape(id)}"]`)) ??
      pairs.at(-1);
    show(pair.dataset.old, pair.dataset.new);
  }

  form.hidden = false;
  form.addEventListener("change", choose);
  window.addEventListener("hashchange", fromAddress);
  fromAddress();
});
