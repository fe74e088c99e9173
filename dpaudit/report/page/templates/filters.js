"use strict";
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const search = document.getElementById("search");
  const kind = document.getElementById("kind");
  const shown = document.getElementById("shown");
  const nothing = document.getElementById("nothing");
  const body = document.querySelector("#overview tbody");
  const rows = [...body.rows];
  const chips = [...form.querySelectorAll(".chip")];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  function pressed(group) {
    const on = chips.filter((c) => c.dataset.group === group && c.ariaPressed === "true");
    return new Set(on.map((chip) => chip.dataset.value));
  }

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcomes = pressed("outcome");
    const verdicts = pressed("verdict");
    const wanted = kind ? kind.value : "";
    let count = 0;
    for (const row of rows) {
      const data = row.dataset;
      const kept =
        words.every((word) => texts.get(row).includes(word)) &&
        (!outcomes.size || outcomes.has(data.outcome)) &&
        (!verdicts.size || verdicts.has(data.verdict)) &&
        (!wanted || data.kinds.split(" ").includes(wanted));
      row.hidden = !kept;
      document.getElementById(data.for).hidden = !kept;
      count += kept;
    }
    shown.value = `${count} of ${rows.length} shown`;
    nothing.hidden = count > 0 || rows.length === 0;
  }

  function key(row, place) {
    const cell = row.cells[place];
    const given = cell.dataset.key;
    if (given === undefined) return cell.textContent.trim().toLowerCase();
    return given === "inf" ? Infinity : Number(given);
  }

  function compare(a, b) {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  }

  function sort(button) {
    const head = button.closest("th");
    const falling = head.ariaSort === "ascending";
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const place = Number(button.dataset.sort);
    const sign = falling ? -1 : 1;
    const keys = new Map(rows.map((row) => [row, key(row, place)]));
    body.append(...[...rows].sort((a, b) => sign * compare(keys.get(a), keys.get(b))));
  }

  // A link to an audit that a filter hides shows it again.
  function reveal() {
    const there = document.getElementById(location.hash.slice(1));
    if (!there || !there.hidden) return;
    form.reset();
    there.scrollIntoView();
  }

  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(chip.ariaPressed !== "true"));
      apply();
    });
  }
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    for (const chip of chips) chip.setAttribute("aria-pressed", "false");
    setTimeout(apply);
  });
  for (const button of document.querySelectorAll("#overview th button")) {
    button.addEventListener("click", () => sort(button));
  }
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    }
  });
  addEventListener("hashchange", reveal);
  // Folded parts are printed too.
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("article:not([hidden]) details")) part.open = true;
  });
  form.hidden = false;
  apply();
})();
