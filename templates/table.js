// Sorting by a column's head. Reading never depends on it.
(() => {
  "use strict";
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
    const up = now ? now === "descending" : text || rank;
    table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, place) => ({ row, place, key: text ? row.cells[column].textContent.trim() : value(row.cells[column]) }));
    rows.sort((a, b) => compare(a.key, b.key, up ? 1 : -1) || a.place - b.place);
    body.append(...rows.map(({ row }) => row));
    table.querySelectorAll("thead button").forEach((other) => { other.textContent = "▾"; });
    button.textContent = up ? "▴" : "▾";
  };
  document.querySelectorAll("table[data-sortable]").forEach((table) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "▾";
      button.setAttribute("aria-label", `Sort by ${head.textContent.trim()}`);
      button.addEventListener("click", () => sort(table, column, button));
      head.append(button);
    });
  });
})();
