/* SPDX-License-Identifier: BSD-3-Clause
 * The table of systems: sorted, filtered, and only those rows in the page that are seen. */

const ROW = 27; /* px, --row of the style */

const table = {
  order: Int32Array.from({ length: n_rows }, (_, i) => i),
  sortKey: "index", descending: false, filterText: "", showTerms: false, chosen: -1,
  shown: [], onChoose: () => {}, onFilter: () => {},
};

const TEXT_COLUMNS = {
  name: { key: "name", label: "name", unit: "", text: nameOf, why: "name in the input", most: 260 },
  status: { key: "status", label: "status", unit: "", text: statusName, why: "how it ended", least: 112 },
  warning: {
    key: "warning", label: "warnings", unit: "", text: (i) => reason(i) || warning(i), why: "why it failed, what looks wrong",
    most: 420,
  },
};

function tableColumns() {
  const numbers = columns.filter((c) => !c.term || table.showTerms);
  const out = [{ key: "index", label: "#", unit: "", digits: null, values: index, why: "number in the input" },
    TEXT_COLUMNS.name, TEXT_COLUMNS.status, ...numbers];
  const texts = reasonOf.some((_, i) => reason(i) || warning(i));
  return texts ? [...out, TEXT_COLUMNS.warning] : out;
}

/* px that a column takes: its longest text, of a few hundred rows. */
const ruler = document.createElement("canvas").getContext("2d");
function widthOf(column) {
  ruler.font = "600 13px " + getComputedStyle(document.body).fontFamily;
  let widest = ruler.measureText(column.label).width + 12;
  const every = Math.max(1, Math.floor(n_rows / 400));
  for (let i = 0; i < n_rows; i += every) {
    const words = column.text ? column.text(i) : format(column.values[i], column.digits);
    widest = Math.max(widest, ruler.measureText(words.slice(0, 80)).width);
  }
  return Math.ceil(Math.max(column.least || 0, Math.min(column.most || 400, widest)) + 15);
}

function drawHead() {
  table.shown = tableColumns();
  const widths = table.shown.map(widthOf);
  const template = widths.map((w, k) => (table.shown[k].key === "name" ? `minmax(${w}px, 1fr)` : w + "px")).join(" ");
  byId("table").style.setProperty("--template", template);
  byId("table").style.setProperty("--total", widths.reduce((a, b) => a + b, 0) + "px");
  const cells = table.shown.map((c) => {
    const cell = element("div", { title: c.why, className: c.text ? "text" : "" }, c.label,
      element("small", { textContent: c.unit }));
    cell.dataset.key = c.key;
    cell.setAttribute("role", "columnheader");
    if (c.key === table.sortKey) cell.setAttribute("aria-sort", table.descending ? "descending" : "ascending");
    cell.onclick = () => sortBy(c.key, c.key === table.sortKey ? !table.descending : false);
    return cell;
  });
  byId("head").replaceChildren(...cells);
}

function drawRow(i) {
  const row = element("div", { className: "row" + (i === table.chosen ? " chosen" : "") });
  row.dataset.row = i;
  row.setAttribute("role", "row");
  for (const c of table.shown) {
    if (c.key === "status") {
      row.append(element("div", { className: "text" }, statusBadge(statusName(i))));
    } else if (c.text) {
      row.append(element("div", { className: "text" + (c.key === "warning" ? " muted" : ""), textContent: c.text(i), title: c.text(i) }));
    } else {
      row.append(element("div", { textContent: format(c.values[i], c.digits), className: c.key === "index" ? "muted" : "" }));
    }
  }
  return row;
}

/* Puts the rows into the page that are seen, and some above and below. */
function drawRows(all) {
  const box = byId("table");
  const first = all ? 0 : Math.max(0, Math.floor(box.scrollTop / ROW) - 8);
  const last = all ? Math.min(table.order.length, all) : Math.min(table.order.length, first + Math.ceil(box.clientHeight / ROW) + 16);
  byId("body").style.height = table.order.length * ROW + "px";
  byId("rows").style.transform = all ? "" : `translateY(${first * ROW}px)`;
  const rows = [];
  for (let k = first; k < last; ++k) rows.push(drawRow(table.order[k]));
  byId("rows").replaceChildren(...rows);
}

function compare(column) {
  if (column.text) {
    const collator = new Intl.Collator(undefined, { numeric: true });
    const texts = Array.from({ length: n_rows }, (_, i) => column.text(i));
    return (a, b) => collator.compare(texts[a], texts[b]);
  }
  const v = column.values;
  return (a, b) => v[a] - v[b];
}

/* What is not a number, and what has no text, comes last either way; equals stay in the order of the input. */
function sortRows() {
  const column = table.shown.find((c) => c.key === table.sortKey) || { values: index };
  const order = Array.from(table.order);
  const sign = table.descending ? -1 : 1;
  const by = compare(column);
  const empty = column.text ? (i) => column.text(i) === "" : (i) => Number.isNaN(column.values[i]);
  order.sort((a, b) => {
    const ea = empty(a), eb = empty(b);
    return ea || eb ? ea - eb || a - b : sign * by(a, b) || a - b;
  });
  table.order = Int32Array.from(order);
}

function sortBy(key, descending) {
  table.sortKey = key;
  table.descending = descending;
  drawHead();
  sortRows();
  byId("table").scrollTop = 0;
  drawRows();
  keepState();
}

/* --- filter: words that all must hold --- */

const RELATIONS = {
  "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b, "=": (a, b) => a === b,
};

function condition(word) {
  const m = /^([^<>=]+)(<=|>=|<|>|=)(.+)$/.exec(word);
  const column = m && (columnOf[m[1]] || columns.find((c) => c.label === m[1]));
  if (m && column) {
    const limit = Number(m[3].replace("−", "-"));
    if (Number.isNaN(limit)) throw new Error(`'${m[3]}' is no number`);
    return (i) => RELATIONS[m[2]](column.values[i], limit);
  }
  if (m) throw new Error(`no column '${m[1]}'; there are ${columns.map((c) => c.key).join(", ")}`);
  if (word.startsWith("status:")) return (i) => statusName(i) === word.slice(7);
  if (word === "is:failed") return (i) => !isFine[status[i]];
  if (word === "is:warned") return (i) => warning(i) !== "";
  return (i) => (nameOf(i) + "\n" + statusName(i) + "\n" + reason(i) + "\n" + warning(i)).toLowerCase().includes(word);
}

function filterRows(text) {
  table.filterText = text;
  byId("filter-error").textContent = "";
  let conditions = [];
  try {
    const words = text.match(/"[^"]*"|\S+/g) || [];
    conditions = words.map((w) => condition(w.replace(/"/g, "").toLowerCase()));
  } catch (error) {
    byId("filter-error").textContent = error.message;
  }
  const kept = [];
  for (let i = 0; i < n_rows; ++i) if (conditions.every((holds) => holds(i))) kept.push(i);
  table.order = Int32Array.from(kept);
  if (table.sortKey !== "index" || table.descending) sortRows();
  byId("count").textContent = kept.length === n_rows ? String(n_rows) : `${kept.length} of ${n_rows}`;
  byId("table").scrollTop = 0;
  byId("table").classList.toggle("short", kept.length < 25);
  drawRows();
  table.onFilter();
  keepState();
}

function setFilter(text) {
  byId("filter").value = text;
  filterRows(text);
}

/* --- choosing a row --- */

function choose(row, scroll) {
  if (row < 0 || row >= n_rows) return;
  table.chosen = row;
  if (scroll) {
    const at = table.order.indexOf(row), box = byId("table"), head = byId("head").offsetHeight;
    if (at >= 0 && (at * ROW < box.scrollTop || (at + 1) * ROW > box.scrollTop + box.clientHeight - head))
      box.scrollTop = at * ROW - box.clientHeight / 2;
  }
  drawRows();
  table.onChoose(row);
  keepState();
}

function keyInTable(event) {
  const way = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
  if (!way || table.order.length === 0) return;
  event.preventDefault();
  const at = Math.max(0, Math.min(table.order.length - 1, table.order.indexOf(table.chosen) + way));
  choose(table.order[at], true);
}

/* The address behind # holds what is looked at, so that a view can be kept or sent. */
function keepState() {
  const state = new URLSearchParams();
  if (table.sortKey !== "index" || table.descending) state.set("sort", (table.descending ? "-" : "") + table.sortKey);
  if (table.filterText) state.set("filter", table.filterText);
  if (table.chosen > 0) state.set("row", table.chosen);
  try {
    history.replaceState(null, "", "#" + state);
  } catch (error) {
    /* pages without an address of their own, such as previews */
  }
}

function startTable() {
  byId("table").addEventListener("scroll", () => requestAnimationFrame(() => drawRows()), { passive: true });
  byId("table").addEventListener("keydown", keyInTable);
  byId("rows").addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) choose(Number(row.dataset.row), false);
  });
  let wait = 0;
  byId("filter").addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => filterRows(byId("filter").value), 150);
  });
  byId("show-terms").addEventListener("change", (event) => {
    table.showTerms = event.target.checked;
    drawHead();
    drawRows();
  });
  window.addEventListener("resize", () => drawRows());
  drawHead();
}
