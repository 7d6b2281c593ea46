/* SPDX-License-Identifier: BSD-3-Clause
 * The table of systems: sorted, filtered, and only those rows in the page that are seen. */

const ROW = 27; /* px, --row of the style */

const table = {
  order: Int32Array.from({ length: n_rows }, (_, i) => i), allColumns: false,
  sortKey: "index", descending: false, filterText: "", showTerms: false, chosen: -1,
  shown: [], onChoose: () => {}, onFilter: () => {},
};

const TEXT_COLUMNS = {
  name: { key: "name", label: "name", unit: "", text: nameOf, why: "name in the input", most: 260 },
  status: { key: "status", label: "status", unit: "", text: statusName, why: "how it ended", least: 112 },
  warning: {
    key: "warning", label: "reason, warning", unit: "", text: (i) => reason(i) || warning(i), why: "why it failed, what looks wrong",
    most: 420,
  },
};

/* What goes first where there is no room, and how many digits are left. */
const LESS = ["energy0", "kinetic", "fmax", "steps", "search_count", "drop", "natoms", "search_copies", "bath", "search_rank",
  "search_weight", "warning"];
const FEWER_DIGITS = 4;

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

/* Columns and their widths that fit into the table: long texts get shorter, numbers lose digits, then columns go.
 * Terms are asked for, so the table scrolls with them. */
function fitted() {
  let shown = tableColumns(), widths = shown.map(widthOf);
  const room = byId("table").clientWidth - 2, sum = () => widths.reduce((a, b) => a + b, 0);
  byId("all-columns-label").hidden = !table.allColumns;
  if (table.allColumns || table.showTerms || room < 300) return { shown, widths };
  const narrow = (key, least) => {
    const k = shown.findIndex((c) => c.key === key);
    if (k >= 0) widths[k] = Math.max(Math.min(widths[k], least), widths[k] - Math.max(0, sum() - room));
  };
  const drop = (key) => {
    const k = shown.findIndex((c) => c.key === key);
    if (sum() <= room || k < 0 || key === table.sortKey) return;
    shown.splice(k, 1);
    widths.splice(k, 1);
    byId("all-columns-label").hidden = false;
  };
  narrow("warning", 240);
  if (sum() > room) {
    shown = shown.map((c) => (c.digits > FEWER_DIGITS ? { ...c, digits: FEWER_DIGITS } : c));
    widths = widths.map((w, k) => (shown[k].digits === FEWER_DIGITS ? widthOf(shown[k]) : w));
  }
  drop(LESS[0]);
  narrow("name", 150);
  narrow("warning", 130);
  narrow("name", 96);
  LESS.forEach(drop);
  if (shown.some((c) => c.key === "adsorption_energy")) drop("energy");
  return { shown, widths };
}

function drawHead() {
  const { shown, widths } = fitted();
  table.shown = shown;
  const wide = shown.some((c) => c.key === "warning") ? "warning" : "name";
  const template = widths.map((w, k) => (shown[k].key === wide ? `minmax(${w}px, 1fr)` : w + "px")).join(" ");
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

const TEXTS = { status: statusName, name: nameOf, reason, warning };

/* A word of the filter as a test of rows; an Error says what is wrong with it. */
function condition(given) {
  const word = given.replace(/"/g, "").toLowerCase();
  const m = given.includes('"') ? null : /^([^<>=]+)(<=|>=|<|>|=)(.*)$/.exec(word);
  const column = m && columns.find((c) => c.key.toLowerCase() === m[1] || c.label.toLowerCase() === m[1]);
  if (m && column) {
    const limit = Number(m[3].replace("−", "-"));
    if (m[3] === "" || Number.isNaN(limit)) throw new Error(`'${m[3]}' is no number`);
    return (i) => RELATIONS[m[2]](column.values[i], limit);
  }
  if (m) throw new Error(`no column '${m[1]}'; there are ${columns.map((c) => c.key).join(", ")}`);
  const [, key, text] = /^(\w+):(.*)$/.exec(word) || [];
  if (key === "status" && !run.statuses.includes(text)) {
    const there = run.statuses.filter((_, s) => status.includes(s));
    throw new Error(`no status '${text}'; there are ${there.join(", ")}`);
  }
  if (key === "status") return (i) => statusName(i) === text;
  if (key === "is") {
    const kinds = { failed: (i) => !isFine[status[i]], warned: (i) => warning(i) !== "" };
    if (!kinds[text]) throw new Error(`no 'is:${text}'; there are is:failed, is:warned`);
    return kinds[text];
  }
  if (TEXTS[key]) return (i) => TEXTS[key](i).toLowerCase().includes(text);
  return (i) => (nameOf(i) + "\n" + statusName(i) + "\n" + reason(i) + "\n" + warning(i)).toLowerCase().includes(word);
}

function filterRows(text) {
  table.filterText = text;
  const said = byId("filter-error"), input = byId("filter");
  let conditions;
  try {
    conditions = (text.match(/(?:[^\s"]|"[^"]*"?)+/g) || []).map(condition);
  } catch (error) {
    said.textContent = `The filter is not applied: ${error.message}.`;
    input.setAttribute("aria-invalid", "true");
    keepState();
    return;
  }
  said.textContent = "";
  input.removeAttribute("aria-invalid");
  const kept = [];
  for (let i = 0; i < n_rows; ++i) if (conditions.every((holds) => holds(i))) kept.push(i);
  if (conditions.length && !kept.length) said.textContent = "No system passes this filter.";
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
  byId("all-columns").addEventListener("change", (event) => {
    table.allColumns = event.target.checked;
    drawHead();
    drawRows();
  });
  window.addEventListener("resize", () => { drawHead(); drawRows(); });
  drawHead();
}
