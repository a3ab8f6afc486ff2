// Sorting, filtering and choosing columns. Reading never depends on it.
(() => {
  "use strict";
  const LONG = 8; // rows and columns from which on it is worth choosing among them
  const made = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // Sorting
  const value = (cell) => {
    const text = cell.textContent.trim();
    if (text === "never") return 0; // a class that is never predicted counts as 0
    const number = parseFloat(text.replace(/^\(/, "").replace(/−/g, "-").replace(/,/g, "").replace(/^([+-]?)\./, "$10."));
    return Number.isNaN(number) ? text : number;
  };
  const compare = (a, b, sign) => {
    const empty = (x) => x === "" || x === "–";
    if (empty(a) || empty(b)) return empty(a) - empty(b); // nothing and undefined stay last
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  const sort = (table, column, button) => {
    const head = button.closest("th");
    const text = head.classList.contains("text");
    const rank = "ranks" in table.dataset || /rank|published/i.test(head.textContent);
    const now = head.getAttribute("aria-sort");
    const up = now ? now === "descending" : text || rank || "leastFirst" in head.dataset;
    table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, place) => ({ row, place, key: text ? row.cells[column].textContent.trim() : value(row.cells[column]) }));
    rows.sort((a, b) => compare(a.key, b.key, up ? 1 : -1) || a.place - b.place);
    body.append(...rows.map(({ row }) => row));
    table.querySelectorAll("thead button").forEach((other) => { other.textContent = "▾"; });
    button.textContent = up ? "▴" : "▾";
  };
  const addSorting = (table, names) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = made("button", { type: "button", textContent: "▾" });
      button.setAttribute("aria-label", `Sort by ${names[column]}`);
      button.addEventListener("click", () => sort(table, column, button));
      head.append(button);
    });
  };

  // Filtering: the rows that hold every word, in any cell
  const addFilter = (table, tools) => {
    const text = (row) => [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
    let rows = null; // read when somebody filters: a large page opens no later for it
    const found = made("output", {});
    const field = made("input", { type: "search", autocomplete: "off" });
    field.addEventListener("input", () => {
      rows ??= [...table.tBodies[0].rows].map((row) => ({ row, text: text(row) }));
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((each) => { each.row.hidden = !words.every((word) => each.text.includes(word)); });
      const left = rows.filter(({ row }) => !row.hidden).length;
      found.textContent = words.length ? `${left} of ${rows.length} rows` : "";
    });
    tools.append(made("label", {}, "Filter rows ", field), found);
  };

  // Choosing columns: all but the one that names the row
  const addColumns = (table, names, tools) => {
    const box = made("fieldset", {}, made("legend", { textContent: "Columns shown" }));
    const details = made("details", {}, made("summary", { textContent: "Columns" }), box);
    const show = (column, shown) => [...table.rows].forEach((row) => { row.cells[column].hidden = !shown; });
    const fill = () => names.forEach((name, column) => {
      if (table.tBodies[0].rows[0].cells[column].tagName === "TH") return;
      const tick = made("input", { type: "checkbox", checked: true, autocomplete: "off" });
      tick.addEventListener("change", () => show(column, tick.checked));
      box.append(made("label", {}, tick, ` ${name}`));
    });
    details.addEventListener("toggle", fill, { once: true });
    tools.append(details);
  };

  document.querySelectorAll("table[data-sortable]").forEach((table) => {
    const names = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
    const tools = made("div", { className: "tools" });
    if (table.tBodies[0].rows.length >= LONG) addFilter(table, tools);
    if (names.length >= LONG && table.tBodies[0].rows.length) addColumns(table, names, tools);
    if (tools.childElementCount) table.closest(".scroll").before(tools);
    addSorting(table, names);
  });
})();
