// Each table as CSV or LaTeX to the clipboard, each drawing as an SVG file. Reading never depends on it.
(() => {
  "use strict";
  const made = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // What a reader sees: the texts of cells, without buttons and without what only screen readers are told
  const textOf = (cell) => {
    const copy = cell.cloneNode(true);
    copy.querySelectorAll("button, svg, .unseen").forEach((each) => each.remove());
    return copy.textContent.trim().replace(/\s+/g, " ");
  };
  const rowsOf = (table) => [...table.rows]
    .filter((row) => !row.hidden)
    .map((row) => [...row.cells].filter((cell) => !cell.hidden && !cell.classList.contains("drawn")).map(textOf));

  // CSV: a cell that a spreadsheet would take for a formula gets an apostrophe before it
  const csvCell = (text) => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  const csv = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\n") + "\n";

  // LaTeX: every character that has a meaning there is escaped
  const ESCAPED = { "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
    "−": "$-$", "→": "$\\to$", "▲": "$\\blacktriangle$", "▼": "$\\blacktriangledown$", "ρ": "$\\rho$" };
  const latexCell = (text) => text.replace(/[\\{}~^−→▲▼ρ]|[#$%&_]/g, (sign) => ESCAPED[sign] ?? `\\${sign}`);
  const latex = (rows) => {
    const [head, ...body] = rows;
    const line = (row) => `${row.map(latexCell).join(" & ")} \\\\`;
    const width = Math.max(...rows.map((row) => row.length));
    return ["\\begin{tabular}{l" + "r".repeat(width - 1) + "}", "\\toprule", line(head), "\\midrule", ...body.map(line),
      "\\bottomrule", "\\end{tabular}", ""].join("\n");
  };

  // SVG: texts, filled cells, lines and points where they stand on the page
  const svgOf = (figure) => {
    const frame = figure.getBoundingClientRect();
    const namespace = document.querySelector("#board svg").namespaceURI;
    const picture = document.createElementNS(namespace, "svg");
    const put = (tag, attributes, text) => {
      const element = document.createElementNS(namespace, tag);
      Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
      if (text !== undefined) element.textContent = text;
      picture.append(element);
    };
    const at = (box) => ({ x: (box.left - frame.left).toFixed(1), y: (box.top - frame.top).toFixed(1), width: box.width.toFixed(1), height: box.height.toFixed(1) });
    picture.setAttribute("viewBox", `0 0 ${Math.ceil(frame.width)} ${Math.ceil(frame.height)}`);
    put("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor.replace("rgba(0, 0, 0, 0)", "none") });
    figure.querySelectorAll("td, th, .bar span, .legend i").forEach((box) => {
      const colour = getComputedStyle(box).backgroundColor;
      if (!/rgba\(0, 0, 0, 0\)|transparent/.test(colour)) put("rect", { ...at(box.getBoundingClientRect()), fill: colour });
    });
    figure.querySelectorAll("svg line, svg polyline").forEach((line) => {
      const box = line.getBoundingClientRect(), style = getComputedStyle(line);
      const common = { stroke: style.stroke, "stroke-width": style.strokeWidth, "stroke-opacity": style.strokeOpacity, "stroke-dasharray": style.strokeDasharray, fill: "none" };
      if (line.tagName === "polyline") {
        const whole = line.ownerSVGElement.getBoundingClientRect();
        const place = (pair) => { const [x, y] = pair.split(",").map(Number); return `${(whole.left - frame.left + x * whole.width / 100).toFixed(1)},${(whole.top - frame.top + y * whole.height / 100).toFixed(1)}`; };
        put("polyline", { ...common, points: line.getAttribute("points").trim().split(/\s+/).map(place).join(" ") });
      } else {
        const upright = box.width < box.height;
        const middle = { x: (box.left + box.right) / 2 - frame.left, y: (box.top + box.bottom) / 2 - frame.top };
        put("line", upright
          ? { ...common, x1: middle.x, x2: middle.x, y1: box.top - frame.top, y2: box.bottom - frame.top }
          : { ...common, x1: box.left - frame.left, x2: box.right - frame.left, y1: middle.y, y2: middle.y });
      }
    });
    figure.querySelectorAll("svg circle").forEach((circle) => {
      const box = circle.getBoundingClientRect(), style = getComputedStyle(circle);
      put("circle", { cx: (box.left + box.right) / 2 - frame.left, cy: (box.top + box.bottom) / 2 - frame.top, r: 4.2, fill: style.fill, stroke: style.stroke, "stroke-width": style.strokeWidth });
    });
    const walker = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!node.data.trim() || parent.closest(".take, .unseen, button, script, math") || !parent.checkVisibility()) continue;
      range.selectNodeContents(node);
      const style = getComputedStyle(parent);
      const upright = /vertical/.test(style.writingMode);
      const colour = parent.tagName === "text" ? style.fill : style.color;
      const words = { "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight, "font-style": style.fontStyle, fill: colour };
      [...range.getClientRects()].slice(0, 1).forEach((box) => {
        const x = upright ? box.right - frame.left - box.width * .25 : box.left - frame.left;
        const y = upright ? box.bottom - frame.top : box.top - frame.top + box.height * .78;
        put("text", { ...words, x: x.toFixed(1), y: y.toFixed(1), ...(upright ? { transform: `rotate(-90 ${x.toFixed(1)} ${y.toFixed(1)})` } : {}) }, node.data.trim());
      });
    }
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}\n`;
  };

  const save = (text, name) => {
    const link = made("a", { href: URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), download: name });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const told = (button, text) => {
    const before = button.textContent;
    button.textContent = text;
    setTimeout(() => { button.textContent = before; }, 1500);
  };
  const action = (label, name, act) => {
    const button = made("button", { type: "button", textContent: label });
    button.setAttribute("aria-label", name);
    button.addEventListener("click", () => act(button));
    return button;
  };
  const copies = (label, caption, text) => action(label, `Copy as ${label}: ${caption}`, (button) =>
    navigator.clipboard.writeText(text()).then(() => told(button, "Copied"), () => told(button, "Not allowed here")));
  const saves = (figure, caption) => action("SVG", `Save as SVG: ${caption}`, () => save(svgOf(figure), `${figure.id}.svg`));

  document.querySelectorAll("main figure").forEach((figure) => {
    const caption = figure.querySelector("figcaption"), table = figure.querySelector("table");
    const isDrawn = figure.matches(".plot, .matrix, .shares, .curve, .pair-map, .board");
    if (!caption || (!table && !isDrawn)) return;
    const finding = caption.textContent.trim();
    const actions = [];
    if (table && !figure.matches(".pair-map")) {
      actions.push(copies("CSV", finding, () => csv(rowsOf(table))), copies("LaTeX", finding, () => latex(rowsOf(table))));
    }
    if (isDrawn) actions.push(saves(figure, finding));
    caption.before(made("div", { className: "take" }, ...actions));
  });
})();
