// Choosing: any two teams, and the confusion of any team. The export holds all that can be chosen.
(() => {
  "use strict";
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const made = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  // One of the whole numbers that are packed into a text, each as wide; null where there is none.
  const unpacked = (text, width, place) => {
    const digits = [...text.slice(place * width, (place + 1) * width)].map((digit) => DIGITS.indexOf(digit));
    return digits.every((digit) => digit === 63) ? null : digits.reduce((number, digit) => number * 64 + digit, 0);
  };
  // Decimals as everywhere in the report: halves go to the even digit, no zero before the point, a true minus.
  const printed = (value, decimals) => {
    if (value === null) return "–";
    const size = Math.abs(value);
    const half = /^50*$/.test(size.toFixed(60).split(".")[1].slice(decimals));
    const up = size.toFixed(decimals);
    const text = half && /[13579]$/.test(up) ? (size - 10 ** -decimals / 2).toFixed(decimals) : up;
    return (value < 0 && Number(text) > 0 ? "−" : "") + text.replace(/^0\./, ".");
  };
  const whole = (number) => number.toLocaleString("en");

  // A table in its own box; cells are texts, or elements made before.
  const table = (id, caption, heads, rows) => {
    const head = (text, place) => made("th", { scope: "col", className: place ? "" : "text" }, made("span", {}, text));
    const first = (content) => made("th", { scope: "row" }, content);
    const cell = (content) => (content instanceof HTMLTableCellElement ? content : made("td", {}, content));
    const row = ([name, ...cells]) => made("tr", {}, first(name), ...cells.map(cell));
    const box = made("div", { className: "scroll", tabIndex: 0 }, made("table", {},
      made("thead", {}, made("tr", {}, ...heads.map(head))), made("tbody", {}, ...rows.map(row))));
    box.setAttribute("role", "region");
    [box, box.firstChild].forEach((element) => element.setAttribute("aria-labelledby", `${id}-caption`));
    return made("figure", { className: "table", id }, made("figcaption", { id: `${id}-caption` }, caption), box);
  };

  // Two teams
  const pair = (data, one, other) => {
    const flipped = one > other;
    const [low, high] = flipped ? [other, one] : [one, other];
    const teams = data.names.length;
    const place = (low * (2 * teams - low - 1)) / 2 + high - low - 1;
    const names = [data.names[one], data.names[other]];
    // By how much the one is better than the other; null where one of them has no score.
    const lead = (row, x, y) => {
      const [a, b] = [data.scores[row][x], data.scores[row][y]];
      return a === null || b === null ? null : data.metrics[row].lowerIsBetter ? b - a : a - b;
    };
    const packed = (text, { width }) => (text === undefined ? null : unpacked(text, width, place));
    // The interval of a difference; in the other order its ends change places, and their signs.
    const interval = (row, turned) => {
      const bounds = (data.ends.numbers[row] ?? []).map((text) => packed(text, data.ends));
      if (!bounds.length || bounds.includes(null)) return "–";
      const end = (number) => ((turned ? -1 : 1) * (number + data.ends.base)) / 10 ** data.decimals;
      const [lower, upper] = (turned ? bounds.reverse() : bounds).map((number) => (number ? printed(end(number), data.decimals) : data.ends.none));
      return lower === upper && lower === data.ends.none ? lower : `${lower} to ${upper}`;
    };
    const scores = data.metrics.map(({ name, href }, row) => {
      const [a, b] = [data.scores[row][one], data.scores[row][other]];
      const p = packed(data.adjusted.numbers[row], data.adjusted);
      return [
        made("a", { href }, name), printed(a, data.decimals), printed(b, data.decimals),
        printed(lead(row, one, other), data.decimals),
        p === null ? "" : interval(row, flipped),
        p === null ? "" : p === 0 ? "<.001" : printed(p / 1000, 3),
      ];
    });
    const classes = data.classes.map(({ name, items, right, width, onlyFirst }) => {
      const alone = unpacked(onlyFirst, width, place);
      const both = right[low] - alone;
      const ends = [alone, right[high] - both];
      const [mine, theirs] = flipped ? ends.reverse() : ends;
      return [name, items, mine, theirs, both, items - mine - theirs - both];
    });
    const sums = [1, 2, 3, 4, 5].map((column) => classes.reduce((sum, row) => sum + row[column], 0));
    const rows = data.classes.length > 1 ? [...classes, [`All ${data.nouns[1]}`, ...sums]] : classes;
    const [, , , difference, , p] = scores[0];
    // The sentence of the registry: who is ahead comes first in it, and the difference with its sign.
    const verdict = unpacked(data.verdict.of, 1, place);
    const swapped = verdict < 4 ? (verdict % 2 === 1) !== flipped : verdict === 6 && lead(0, one, other) < 0;
    const [ahead, behind] = swapped ? [names[1], names[0]] : names;
    const values = {
      first: ahead, second: behind, metric: data.verdict.by, p: p.startsWith("<") ? `< ${p.slice(1)}` : `= ${p}`,
      difference: ahead === names[0] ? difference : printed(lead(0, other, one), data.decimals),
      ends: interval(0, (ahead === names[0]) === flipped),
    };
    const sentence = data.verdict.texts[verdict].replace(/\{(\w+)\}/g, (_, name) => values[name]);
    const heads = ["Metric", ...names, "Difference", "95% CI", "Adjusted p"];
    const summed = `Of ${whole(sums[0])} ${data.things} ${names[0]} alone is right on ${whole(sums[1])}, ${names[1]} alone on ${whole(sums[2])}.`;
    const shown = data.shown.map((row) => [scores[row][0].cloneNode(true), ...scores[row].slice(1)]);
    return [
      table("table-pair", sentence, heads, shown),
      made("details", { className: "fold" }, made("summary", {}, "By every metric, and on which items"),
        table("table-pair-metrics", `${names[0]} and ${names[1]} by every metric.`, heads, scores),
        table("table-only-right", summed, [`${data.nouns[0][0].toUpperCase()}${data.nouns[0].slice(1)}`, `Gold ${data.gold}`, `Only ${names[0]}`, `Only ${names[1]}`, "Both", "Neither"],
          rows.map(([label, ...counts]) => [label, ...counts.map(whole)]))),
    ];
  };

  // The confusion of a team
  const matrix = (data, team) => {
    const { labels, widths, decimals, distances } = data;  // on a scale: how far from gold each answer is
    const counts = data.rows[team].map((text, row) => labels.concat("").map((_, column) => unpacked(text, widths[row], column)));
    const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
    const golds = counts.map(sum);
    const column = (place) => counts.map((row) => row[place]);
    const share = (part, total) => (total ? part / total : null);
    const percent = (part, total) => (total && part ? Math.max(1, Math.round((100 * part) / total)) : 0);
    const cell = (count, total, self, distance) => {
      const depth = total ? Math.round((5 * count) / total) : 0;
      const shade = distance ? (count ? `m${distance}` : "") : `${depth ? `v${depth}` : ""}${self ? " right" : ""}`.trim();
      const below = count ? made("small", {}, `${100 * count < total ? "<1" : percent(count, total)}%`) : "";
      return made("td", { className: shade }, whole(count), below);
    };
    const rows = counts.map((row, gold) => [
      labels[gold], ...row.map((count, place) => cell(count, golds[gold], place === gold, distances?.[gold][place])),
      whole(golds[gold]), gold < data.scored ? printed(share(row[gold], golds[gold]), decimals) : "",
    ]);
    const biases = labels.concat("").map((_, place) => sum(column(place)));
    const precisions = labels.map((_, place) => (golds[place] ? share(counts[place][place], biases[place]) ?? 0 : null));
    rows.push(["Predicted", ...biases.map(whole), whole(sum(golds)), ""]);
    const ofScored = precisions.map((each, place) => (place < data.scored ? printed(each, decimals) : ""));
    rows.push(["Precision", ...ofScored, "", "", ""]);
    const scored = labels.map((_, place) => place).slice(0, data.scored);  // without what is in no set
    const right = sum(scored.map((place) => counts[place][place]));
    const figure = table("table-matrix", `${data.names[team]} is right on ${whole(right)} of ${whole(sum(scored.map((place) => golds[place])))} ${data.things}; rows are gold, columns predictions.`,
      ["Gold", ...labels, "Unanswered", `Gold ${data.gold}`, "Recall"], rows);
    const upright = labels.length > 6 && labels.some((label) => label.length > 6);
    figure.querySelector("table").className = upright ? "matrix upright" : "matrix";
    return [figure];
  };

  const choose = (id, selects, shown) => {
    const source = document.getElementById(`${id}-data`);
    if (!source) return;
    const data = JSON.parse(source.textContent);
    const fields = selects.map((name) => document.getElementById(`${id}-${name}`));
    const target = document.getElementById(`${id}-chosen`);
    const show = () => target.replaceChildren(...shown(data, ...fields.map((field) => Number(field.value))));
    fields.forEach((field) => field.addEventListener("change", show));
    show();
    target.setAttribute("aria-live", "polite");
    document.getElementById(`${id}-choice`).hidden = false;
  };
  choose("pairs", ["first", "second"], (data, one, other) => (one === other ? [made("p", {}, "Choose two different teams.")] : pair(data, one, other)));
  choose("matrices", ["team"], matrix);
})();
