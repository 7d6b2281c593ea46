/* SPDX-License-Identifier: BSD-3-Clause
 * The page: heading, failures, provenance; starts the rest. */

function tile(value, words, grade) {
  return element("div", { className: "tile " + (grade || "") }, element("b", { textContent: value }), element("span", { textContent: words }));
}

function median(values) {
  const v = Float64Array.from(values).filter(Number.isFinite).sort();
  return v.length ? v[v.length >> 1] : NaN;
}

function failedRows() {
  const out = [];
  for (let i = 0; i < n_rows; ++i) if (!isFine[status[i]]) out.push(i);
  return out;
}

function showHeading(failed) {
  byId("title").textContent = run.title;
  const said = Object.fromEntries(run.provenance);
  byId("subtitle").textContent = [said.program, said.device, said.started].filter(Boolean).join(" · ");
  const frames = run.groups && run.groups.kind === "trajectory";
  const tiles = [tile(run.total.toLocaleString("en").replace(/,/g, " "), frames ? "frames" : "systems")];
  if (frames) tiles.push(tile(groups.length, "trajectories"));
  const converged = status.filter((s) => run.statuses[s] === "converged").length;
  const failures = failed.length;
  if (converged) tiles.push(tile(((100 * converged) / n_rows).toFixed(converged === n_rows ? 0 : 1) + " %", "converged", converged === n_rows ? "fine" : ""));
  tiles.push(tile(failures, "failed", failures ? "bad" : "fine"));
  if (columnOf.natoms) tiles.push(tile(short(median(columnOf.natoms.values)), "atoms, median"));
  if (columnOf.steps) tiles.push(tile(short(median(columnOf.steps.values)), "steps, median"));
  if (columnOf.drop) tiles.push(tile(short(median(columnOf.drop.values)) + " eV", "energy drop, median"));
  if (columnOf.adsorption_energy) tiles.push(tile(short(extent(columnOf.adsorption_energy.values)[0]) + " eV", "strongest adsorption"));
  const warned = Array.from(warningOf).filter((k) => run.texts[k] !== "").length;
  if (warned) {
    const t = tile(warned, "with warnings");
    t.style.cursor = "pointer";
    t.onclick = () => setFilter("is:warned");
    tiles.push(t);
  }
  byId("tiles").replaceChildren(...tiles);
}

/* Failures by status, the worst first. */
function showFailures(failed) {
  if (!failed.length) return;
  byId("failures").hidden = false;
  byId("failures-title").textContent = failed.length === 1 ? "1 system failed" : `${failed.length} systems failed`;
  const kinds = new Map();
  for (const i of failed) {
    if (!kinds.has(statusName(i))) kinds.set(statusName(i), []);
    kinds.get(statusName(i)).push(i);
  }
  const grave = (name) => (gravity(name) === "bad" ? 0 : 1);
  [...kinds].sort((a, b) => grave(a[0]) - grave(b[0]) || b[1].length - a[1].length).forEach(([name, rows], k) => {
    const list = element("ol", {}, ...rows.slice(0, 200).map((i) => {
      const link = element("a", { textContent: nameOf(i), title: nameOf(i), onclick: () => choose(i, true) });
      return element("li", {}, link, element("span", { textContent: reason(i) }));
    }));
    if (rows.length > 200) list.append(element("li", {}, element("span", { textContent: `and ${rows.length - 200} more, see the table` })));
    const box = element("details", { open: k < 4 && rows.length <= 40 }, element("summary", {}, statusBadge(name), ` ${rows.length}`), list);
    byId("failures-list").append(box);
  });
}

/* Texts that differ in their numbers alone are one kind of warning. */
function warningKinds() {
  const kinds = new Map();
  for (let i = 0; i < n_rows; ++i)
    for (const said of warning(i).split(";").map((t) => t.trim()).filter(Boolean)) {
      const key = said.replace(/[-+.\d]+/g, "");
      if (!kinds.has(key)) kinds.set(key, { said, rows: 0, part: longestPart(said) });
      ++kinds.get(key).rows;
    }
  return [...kinds.values()].sort((a, b) => b.rows - a.rows);
}
/* What all warnings of a kind have in common, as far as one piece goes. */
const longestPart = (said) => said.split(/[-+.\d"]+/).reduce((a, b) => (b.trim().length > a.length ? b.trim() : a), "");

function showWarnings() {
  const kinds = warningKinds();
  if (!kinds.length) return;
  const warned = Array.from(warningOf).filter((k) => run.texts[k] !== "").length;
  byId("warnings").hidden = false;
  byId("warnings-title").textContent = warned === 1 ? "1 system has a warning" : `${warned} systems have warnings`;
  byId("warnings-list").replaceChildren(...kinds.slice(0, 60).map((kind) => element("li", {},
    element("button", { type: "button", textContent: kind.rows, title: "see these alone", onclick: () => setFilter(`warning:"${kind.part}"`) }),
    element("span", { textContent: kind.said }))));
}

function showProvenance() {
  byId("provenance-list").replaceChildren(...run.provenance.flatMap(([k, v]) => [element("dt", { textContent: k }), element("dd", { textContent: v })]));
  byId("notes").replaceChildren(...run.notes.map((n) => element("li", { textContent: n })));
}

function start() {
  const failed = failedRows();
  showHeading(failed);
  showFailures(failed);
  showWarnings();
  showProvenance();
  if (run.groups && run.groups.kind === "trajectory") byId("systems-title").textContent = "Frames";
  startTable();
  startViewer();
  const state = new URLSearchParams(location.hash.slice(1));
  const sort = state.get("sort");
  if (sort) { table.sortKey = sort.replace(/^-/, ""); table.descending = sort.startsWith("-"); drawHead(); }
  setFilter("");
  if (state.get("filter")) setFilter(state.get("filter"));
  const first = state.has("row") ? Number(state.get("row")) : table.order.find((i) => structureOf[i] >= 0) ?? 0;
  if (n_rows) {
    choose(Math.max(0, Math.min(n_rows - 1, first || 0)), true);
    startPlots();
  }
  let wait = 0;
  table.onFilter = () => { clearTimeout(wait); wait = setTimeout(redrawPlots, 60); };
}
table.onChoose = (row) => {
  showSystem(row);
  redrawChosen();
};
start();
