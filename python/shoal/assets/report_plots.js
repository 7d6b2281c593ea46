/* SPDX-License-Identifier: BSD-3-Clause
 * Plots as SVG, of the rows that the filter lets through. */

/* Okabe and Ito's colours, told apart by all eyes. */
const TERM_COLOURS = {
  bond: "#0072b2", angle: "#56b4e9", torsion: "#009e73", inversion: "#cc79a7", vdw: "#e69f00", coulomb: "#d55e00",
  surface: "#8c6d46", restraint: "#8a8f98",
};
const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
const termColour = (name) => TERM_COLOURS[name] || "#8a8f98";

const W = 480, H = 290, LEFT = 58, RIGHT = 14, TOP = 8, BOTTOM = 42; /* of a plot, px */

function svg(tag, attributes, ...inside) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...inside);
  return e;
}
const text = (x, y, words, attributes = {}) => svg("text", { x, y, ...attributes }, words);

function showTip(event, words) {
  const tip = byId("tip");
  tip.textContent = words;
  tip.hidden = false;
  const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const y = event.clientY + 16 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 16;
  tip.style.left = x + "px";
  tip.style.top = y + "px";
}
const hideTip = () => { byId("tip").hidden = true; };
function tipFor(node, words) {
  node.addEventListener("mousemove", (event) => showTip(event, typeof words === "function" ? words(event) : words));
  node.addEventListener("mouseleave", hideTip);
  return node;
}

/* --- scales --- */

function ticks(low, high, about = 5) {
  const raw = (high - low) / about || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
  const out = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return out;
}

function scale(low, high, from, to, log) {
  if (log) {
    const a = Math.log10(low), b = Math.log10(high) === a ? a + 1 : Math.log10(high);
    const f = (v) => from + ((Math.log10(v) - a) / (b - a)) * (to - from);
    f.ticks = [];
    for (let p = Math.ceil(a - 1e-9); p <= b + 1e-9; ++p) f.ticks.push(10 ** p);
    if (f.ticks.length < 2) f.ticks = [1, 2, 5].flatMap((k) => [k * 10 ** Math.floor(a), k * 10 ** Math.ceil(b)]).filter((v) => v >= low && v <= high);
    f.inverse = (x) => 10 ** (a + ((x - from) / (to - from)) * (b - a));
    return f;
  }
  /* Numbers that differ in their last digits only, or are too large for steps of 1, are one. */
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-12 * size || high === low) { const half = Math.max(0.5, 1e-6 * size); low -= half; high += half; }
  const f = (v) => from + ((v - low) / (high - low)) * (to - from);
  f.ticks = ticks(low, high);
  f.inverse = (x) => low + ((x - from) / (to - from)) * (high - low);
  return f;
}

function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) { if (v < low) low = v; if (v > high) high = v; }
  return [low, high];
}

function axes(g, x, y, labelX, labelY, height = H) {
  for (const t of y.ticks) {
    g.prepend(svg("line", { x1: LEFT, x2: W - RIGHT, y1: y(t), y2: y(t), class: "grid" })); /* behind what is drawn */
    g.append(text(LEFT - 7, y(t) + 4, short(t), { "text-anchor": "end" }));
  }
  for (const t of x.ticks) {
    g.append(svg("line", { x1: x(t), x2: x(t), y1: height - BOTTOM, y2: height - BOTTOM + 4, class: "axis" }));
    g.append(text(x(t), height - BOTTOM + 17, short(t), { "text-anchor": "middle" }));
  }
  g.append(svg("path", { d: `M${LEFT} ${height - BOTTOM}H${W - RIGHT}`, class: "axis" }));
  g.append(text((LEFT + W - RIGHT) / 2, height - 6, labelX, { "text-anchor": "middle" }));
  g.append(text(0, 0, labelY, { "text-anchor": "middle", transform: `translate(13 ${(TOP + height - BOTTOM) / 2}) rotate(-90)` }));
}

const label = (c) => (c.unit ? `${c.label} (${c.unit})` : c.label);
const frame = (height = H) => svg("svg", { viewBox: `0 0 ${W} ${height}`, role: "img" });

/* --- panels --- */

const plots = []; /* {redraw, follows}: follows "always" or, with few rows, "few" what is chosen */

function panel(title, draw, follows, choices) {
  const box = element("div", { className: "panel" });
  const bar = element("div", { className: "bar" }, element("h2", { textContent: title }));
  const zoom = { redraw: () => redraw() }; /* x, y: [low, high] of what is looked at, where that is a part */
  const whole = element("button", { type: "button", textContent: "whole plot", hidden: true, onclick: () => { zoom.x = zoom.y = null; redraw(); } });
  const selects = (choices || []).map((c) => {
    const select = element("select", { ariaLabel: c.label, onchange: () => { zoom.x = zoom.y = null; redraw(); } });
    for (const key of c.keys) select.append(element("option", { value: key, textContent: columnOf[key].label }));
    select.value = c.value;
    return select;
  });
  bar.append(whole);
  if (selects.length) bar.append(element("span", {}, ...selects.flatMap((s, k) => (k ? [" against ", s] : [s]))));
  const inside = element("div");
  box.append(bar, inside);
  byId("plots").append(box);
  const redraw = () => {
    let drawn = null;
    try { drawn = draw(...selects.map((s) => s.value), zoom); } catch (error) { console.error(error); }
    whole.hidden = !zoom.x;
    inside.replaceChildren(...[drawn || element("p", { className: "hint", textContent: "Nothing to show." })].flat());
  };
  plots.push({ redraw, follows });
  redraw();
}

/* A group that is cut at the axes. */
let n_clips = 0;
function clipped(g, right = W - RIGHT) {
  const id = "clip" + n_clips++, clip = svg("clipPath", { id });
  clip.append(svg("rect", { x: LEFT, y: TOP, width: right - LEFT, height: H - BOTTOM - TOP }));
  const inside = svg("g", { "clip-path": `url(#${id})` });
  g.append(clip, inside);
  return inside;
}

/* The part of a plot that a mouse draws a frame around becomes the whole; a double click brings all of it back. */
function zoomable(g, x, y, zoom, right = W - RIGHT) {
  const frame = svg("rect", { class: "frame", visibility: "hidden" });
  let from = null;
  const place = (event) => {
    const box = g.getBoundingClientRect();
    return [Math.max(LEFT, Math.min(right, ((event.clientX - box.left) / box.width) * W)),
      Math.max(TOP, Math.min(H - BOTTOM, ((event.clientY - box.top) / box.height) * H))];
  };
  const sides = (a, b) => [Math.min(a, b), Math.max(a, b)];
  g.addEventListener("mousedown", (event) => { if (event.button === 0) { from = place(event); event.preventDefault(); } });
  g.addEventListener("mousemove", (event) => {
    if (!from || !event.buttons) { from = null; frame.setAttribute("visibility", "hidden"); return; }
    const to = place(event), [l, r] = sides(from[0], to[0]), [t, b] = sides(from[1], to[1]);
    for (const [key, value] of Object.entries({ x: l, y: t, width: r - l, height: b - t, visibility: "visible" })) frame.setAttribute(key, value);
  });
  g.addEventListener("mouseup", (event) => {
    if (!from) return;
    const to = place(event), [l, r] = sides(from[0], to[0]), [t, b] = sides(from[1], to[1]);
    from = null;
    frame.setAttribute("visibility", "hidden");
    if (r - l < 8 || b - t < 8) return;
    zoom.x = sides(x.inverse(l), x.inverse(r));
    zoom.y = sides(y.inverse(t), y.inverse(b));
    const swallow = (click) => click.stopPropagation(); /* the click that the same mouse is about to make */
    addEventListener("click", swallow, { capture: true });
    setTimeout(() => { removeEventListener("click", swallow, { capture: true }); zoom.redraw(); }, 0);
  });
  g.addEventListener("dblclick", () => { if (zoom.x) { zoom.x = zoom.y = null; zoom.redraw(); } });
  g.append(frame);
  return g;
}
const inPart = (zoom, px, py, x, y) => !zoom.x || (px >= zoom.x[0] && px <= zoom.x[1] && py >= zoom.y[0] && py <= zoom.y[1]);

/* --- the plots --- */

function statusPlot() {
  const counts = new Map();
  for (const i of table.order) counts.set(status[i], (counts.get(status[i]) || 0) + 1);
  const rows = [...counts].sort((a, b) => b[1] - a[1]);
  if (!rows.length) return null;
  const height = Math.max(60, 34 * rows.length + 14), g = frame(height);
  const most = rows[0][1];
  rows.forEach(([s, count], k) => {
    const y = 8 + 34 * k, width = Math.max(2, (count / most) * (W - 210)), name = run.statuses[s];
    g.append(text(104, y + 17, name.replace(/_/g, " "), { "text-anchor": "end", class: "strong" }));
    const bar = svg("rect", { x: 114, y: y + 2, width, height: 22, rx: 3, fill: `var(--${gravity(name)})`, style: "cursor:pointer" });
    bar.addEventListener("click", () => setFilter("status:" + name));
    g.append(tipFor(bar, `${name}: ${count} of ${table.order.length}\nclick to see these alone`));
    g.append(text(122 + width, y + 17, `${count}  (${((100 * count) / table.order.length).toPrecision(3)} %)`));
  });
  return g;
}

function histogram(key) {
  const c = columnOf[key];
  let values = Float64Array.from(table.order, (i) => c.values[i]).filter(Number.isFinite);
  if (!values.length) return null;
  const log = key === "fmax" && values.some((v) => v > 0);
  if (log) values = values.filter((v) => v > 0);
  let [low, high] = extent(values);
  /* A few far away would squeeze all others: the last bin then holds what lies beyond. */
  const sorted = values.slice().sort();
  const far = log || values.length < 50 ? high : Math.min(high, sorted[Math.floor(sorted.length * 0.995)] + (sorted[Math.floor(sorted.length * 0.99)] - low) * 0.3);
  const beyond = far < high ? values.filter((v) => v > far).length : 0;
  const x = scale(low, beyond ? far : high, LEFT, W - RIGHT, log);
  const n = Math.max(4, Math.min(48, Math.ceil(2 * Math.cbrt(values.length))));
  const bins = new Array(n).fill(0);
  for (const v of values) bins[Math.max(0, Math.min(n - 1, Math.floor(((x(v) - LEFT) / (W - RIGHT - LEFT)) * n)))]++;
  const y = scale(0, Math.max(...bins) * 1.04, H - BOTTOM, TOP), g = frame();
  y.ticks = y.ticks.filter(Number.isInteger);
  axes(g, x, y, label(c) + (beyond ? `; ${beyond} beyond ${short(far)} in the last bar` : ""), "systems");
  const step = (W - RIGHT - LEFT) / n;
  bins.forEach((count, k) => {
    const from = x.inverse(LEFT + k * step), to = x.inverse(LEFT + (k + 1) * step);
    g.append(svg("rect", { x: LEFT + k * step + 0.5, y: y(count), width: Math.max(1, step - 1), height: H - BOTTOM - y(count), fill: "var(--plot)" }));
    const hit = svg("rect", { x: LEFT + k * step, y: TOP, width: step, height: H - BOTTOM - TOP, class: "hit" });
    const last = k === n - 1;
    hit.addEventListener("click", () => setFilter(`${key}>=${from.toPrecision(7)}` + (last ? "" : ` ${key}<${to.toPrecision(7)}`)));
    g.append(tipFor(hit, `${count} systems\n${short(from)} to ${last && beyond ? short(high) : short(to)} ${c.unit}\nclick to see these alone`));
  });
  return g;
}

const DOTS = 15000; /* more take too long */

/* A dot per system; the chosen one has a ring. */
function scatter(keyY, keyX, zoom) {
  const cx = columnOf[keyX], cy = columnOf[keyY];
  const logY = keyY === "fmax" && table.order.some((i) => cy.values[i] > 0);
  const all = Array.from(table.order).filter((i) => Number.isFinite(cx.values[i]) && Number.isFinite(cy.values[i]) && (!logY || cy.values[i] > 0));
  if (!all.length) return null;
  const seen = all.filter((i) => inPart(zoom, cx.values[i], cy.values[i]));
  const every = Math.ceil(seen.length / DOTS), rows = every > 1 ? seen.filter((_, k) => k % every === 0) : seen;
  const pad = (e, log) => (log ? [e[0] / 1.15, e[1] * 1.15] : [e[0] - (e[1] - e[0]) * 0.03, e[1] + (e[1] - e[0]) * 0.03]);
  const x = scale(...(zoom.x || pad(extent(all.map((i) => cx.values[i])))), LEFT, W - RIGHT);
  const y = scale(...(zoom.y || pad(extent(all.map((i) => cy.values[i])), logY)), H - BOTTOM, TOP, logY), g = frame();
  axes(g, x, y, label(cx) + (every > 1 ? `; ${rows.length} of ${seen.length} are drawn` : ""), label(cy));
  const few = rows.length < 400;
  for (const grade of ["fine", "slow", "bad"]) {
    const d = rows.filter((i) => gravities[status[i]] === grade).map((i) => `M${x(cx.values[i]).toFixed(1)} ${y(cy.values[i]).toFixed(1)}h0`).join("");
    if (d) g.append(svg("path", { d, fill: "none", stroke: grade === "fine" ? "var(--plot)" : `var(--${grade})`, "stroke-width": few ? 6 : 3,
      "stroke-linecap": "round", "stroke-opacity": few ? 0.8 : 0.4 }));
  }
  const c = table.chosen;
  if (rows.includes(c)) g.append(svg("circle", { cx: x(cx.values[c]), cy: y(cy.values[c]), r: 6, class: "mark" }));
  return zoomable(pickNearest(g, rows, (i) => [x(cx.values[i]), y(cy.values[i])],
    (i) => `${nameOf(i)}\n${cx.label} ${format(cx.values[i], cx.digits)} ${cx.unit}\n${cy.label} ${format(cy.values[i], cy.digits)} ${cy.unit}`), x, y, zoom);
}

/* Hovering tells about the nearest of rows, a click chooses it. */
function pickNearest(g, rows, at, words, height = H, pick = (i) => choose(i, true)) {
  const hit = svg("rect", { x: 0, y: 0, width: W, height, fill: "transparent", style: "cursor:crosshair" });
  const ring = svg("circle", { r: 5, class: "mark", visibility: "hidden" });
  const places = rows.map(at);
  const nearest = (event) => {
    const box = g.getBoundingClientRect(), px = ((event.clientX - box.left) / box.width) * W, py = ((event.clientY - box.top) / box.height) * height;
    let best = -1, least = 900;
    places.forEach(([x, y], k) => {
      const d = (x - px) ** 2 + (y - py) ** 2;
      if (d < least) { least = d; best = k; }
    });
    return best;
  };
  hit.addEventListener("mousemove", (event) => {
    const k = nearest(event);
    if (k < 0) { hideTip(); ring.setAttribute("visibility", "hidden"); return; }
    ring.setAttribute("cx", places[k][0]); ring.setAttribute("cy", places[k][1]); ring.setAttribute("visibility", "visible");
    showTip(event, words(rows[k]));
  });
  hit.addEventListener("mouseleave", () => { hideTip(); ring.setAttribute("visibility", "hidden"); });
  hit.addEventListener("click", (event) => { const k = nearest(event); if (k >= 0) pick(rows[k]); });
  g.append(ring, hit);
  return g;
}

function legend(entries) {
  return element("div", { className: "legend" }, ...entries.map(([name, colour]) => {
    const dot = element("i");
    dot.style.background = colour;
    return element("span", {}, dot, name);
  }));
}

function termsPlot() {
  const rows = Array.from(table.order).filter((i) => Number.isFinite(columnOf.energy.values[i]));
  if (!rows.length || !termNames.length) return null;
  return rows.length <= 24 ? termBars(rows) : termBoxes(rows);
}

/* Energies of each system piled up, those below zero to the left. */
function termBars(rows) {
  const value = (i, k) => terms[i * termNames.length + k];
  const sums = rows.map((i) => termNames.reduce((s, _, k) => { const v = value(i, k) || 0; return v < 0 ? [s[0] + v, s[1]] : [s[0], s[1] + v]; }, [0, 0]));
  const step = 21, height = rows.length * step + 44, left = 132, g = frame(height);
  const x = scale(Math.min(0, ...sums.map((s) => s[0])), Math.max(...sums.map((s) => s[1]), 1e-6), left, W - RIGHT);
  for (const t of x.ticks) {
    g.append(svg("line", { x1: x(t), x2: x(t), y1: 4, y2: height - 36, class: t === 0 ? "zero" : "grid" }));
    g.append(text(x(t), height - 22, short(t), { "text-anchor": "middle" }));
  }
  g.append(text((left + W - RIGHT) / 2, height - 5, "energy by term (eV)", { "text-anchor": "middle" }));
  rows.forEach((i, r) => {
    const name = nameOf(i), y = 5 + r * step;
    g.append(text(left - 8, y + 14, name.length > 17 ? name.slice(0, 16) + "…" : name, { "text-anchor": "end", class: i === table.chosen ? "strong" : "" }));
    let up = 0, down = 0;
    termNames.forEach((term, k) => {
      const v = value(i, k);
      if (!v) return;
      const from = v < 0 ? down + v : up, width = Math.abs(x(v) - x(0));
      if (v < 0) down += v; else up += v;
      const bar = svg("rect", { x: x(from), y: y + 2, width: Math.max(0.5, width), height: step - 5, fill: termColour(term), style: "cursor:pointer" });
      bar.addEventListener("click", () => choose(i, true));
      g.append(tipFor(bar, `${name}\n${term} ${format(v, 4)} eV of ${format(columnOf.energy.values[i], 4)}`));
    });
  });
  return [g, legend(termNames.map((t) => [t, termColour(t)]))];
}

/* Of each term: quarters, 5th and 95th per cent, middle. */
function termBoxes(rows) {
  const step = 36, height = termNames.length * step + 48, left = 84, g = frame(height);
  const stats = termNames.map((_, k) => {
    const v = Float32Array.from(rows, (i) => terms[i * termNames.length + k]).filter(Number.isFinite).sort();
    const q = (p) => v[Math.min(v.length - 1, Math.floor(p * v.length))];
    return { low: q(0.05), a: q(0.25), middle: q(0.5), b: q(0.75), high: q(0.95), least: v[0], most: v[v.length - 1] };
  });
  const x = scale(Math.min(0, ...stats.map((s) => s.low)), Math.max(...stats.map((s) => s.high), 1e-6), left, W - RIGHT);
  for (const t of x.ticks) {
    g.append(svg("line", { x1: x(t), x2: x(t), y1: 4, y2: height - 38, class: t === 0 ? "zero" : "grid" }));
    g.append(text(x(t), height - 23, short(t), { "text-anchor": "middle" }));
  }
  g.append(text((left + W - RIGHT) / 2, height - 6, "energy (eV): middle half, 5 to 95 %", { "text-anchor": "middle" }));
  termNames.forEach((term, k) => {
    const s = stats[k], y = 6 + k * step + step / 2 - 2, colour = termColour(term);
    g.append(text(left - 9, y + 4, term, { "text-anchor": "end", class: "strong" }));
    g.append(svg("line", { x1: x(s.low), x2: x(s.high), y1: y, y2: y, stroke: colour, "stroke-width": 2 }));
    g.append(svg("rect", { x: x(s.a), y: y - 10, width: Math.max(1.5, x(s.b) - x(s.a)), height: 20, rx: 2, fill: colour }));
    g.append(svg("line", { x1: x(s.middle), x2: x(s.middle), y1: y - 10, y2: y + 10, stroke: "var(--panel)", "stroke-width": 2 }));
    const words = `${term}, eV\nmiddle ${short(s.middle)}\nhalf of all ${short(s.a)} to ${short(s.b)}\n90 % ${short(s.low)} to ${short(s.high)}\nall ${short(s.least)} to ${short(s.most)}`;
    g.append(tipFor(svg("rect", { x: 0, y: y - step / 2, width: W, height: step, class: "hit" }), words));
  });
  return g;
}

/* Energies along the trajectory of the chosen system. */
function tracePlot(zoom) {
  const group = groupOf(Math.max(0, table.chosen));
  if (!group) return null;
  const rows = Array.from({ length: group[1] - group[0] }, (_, k) => group[0] + k);
  const time = columnOf.time, e = columnOf.energy.values, kinetic = columnOf.kinetic;
  const at = (i) => (time ? time.values[i] : i - group[0]);
  const series = [["potential", (i) => e[i]]];
  if (kinetic) series.push(["total", (i) => e[i] + kinetic.values[i]], ["kinetic", (i) => kinetic.values[i]]);
  const all = series.flatMap(([, f]) => rows.map(f));
  const [low, high] = extent(all);
  if (!Number.isFinite(low)) return null;
  const x = scale(...(zoom.x || [at(rows[0]), at(rows[rows.length - 1])]), LEFT, W - RIGHT);
  const y = scale(...(zoom.y || [low - (high - low) * 0.05, high + (high - low) * 0.05]), H - BOTTOM, TOP), g = frame(), inside = clipped(g);
  axes(g, x, y, time ? "time (fs)" : "frame", "energy (eV)");
  series.forEach(([, f], k) => inside.append(svg("path", { d: line(rows, (i) => [x(at(i)), y(f(i))]), fill: "none", stroke: SERIES[k], "stroke-width": 1.6 })));
  if (table.chosen >= group[0] && table.chosen < group[1])
    inside.append(svg("line", { x1: x(at(table.chosen)), x2: x(at(table.chosen)), y1: TOP, y2: H - BOTTOM, class: "zero" }));
  pickNearest(g, rows, (i) => [x(at(i)), y(e[i])],
    (i) => `${nameOf(i)}, ${time ? short(at(i)) + " fs" : "frame " + at(i)}\n` + series.map(([n, f]) => `${n} ${format(f(i), 4)} eV`).join("\n"));
  zoomable(g, x, y, zoom);
  return series.length > 1 ? [g, legend(series.map(([n], k) => [n, SERIES[k]]))] : g;
}

/* Energy and largest force on the way of the chosen system. */
const traces = run.traces && {
  starts: unpack(run.traces.starts, "i4"), energy: unpack(run.traces.energy, "f8"), fmax: unpack(run.traces.fmax, "f4"), steps: unpack(run.traces.steps, "i4"),
};
function relaxationPlot(zoom) {
  const row = Math.max(0, table.chosen), from = traces.starts[row], to = traces.starts[row + 1];
  const rows = Array.from({ length: to - from }, (_, k) => from + k).filter((k) => Number.isFinite(traces.energy[k]));
  if (rows.length < 2) return null;
  const counted = traces.steps[to - 1] > traces.steps[from], at = (k) => (counted ? traces.steps[k] : k - from);
  const [low, high] = extent(rows.map((k) => traces.energy[k])), g = frame(), inside = clipped(g);
  const x = scale(...(zoom.x || [at(rows[0]), at(rows[rows.length - 1])]), LEFT, W - RIGHT);
  const y = scale(...(zoom.y || [low - (high - low) * 0.05, high + (high - low) * 0.05]), H - BOTTOM, TOP);
  axes(g, x, y, counted ? "evaluations" : "frame", "energy (eV)");
  const place = (k) => [x(at(k)), y(traces.energy[k])];
  inside.append(svg("path", { d: line(rows, place), fill: "none", stroke: SERIES[0], "stroke-width": 1.8 }));
  inside.append(svg("path", { d: rows.map((k) => { const p = place(k); return `M${p[0]} ${p[1]}h0`; }).join(""), stroke: SERIES[0], "stroke-width": 5, "stroke-linecap": "round" }));
  const play = (k) => { if (viewer.film && !viewer.film.turns) chooseFrame(k - from); };
  return zoomable(pickNearest(g, rows, place, (k) => `${counted ? "evaluation" : "frame"} ${at(k)}\nenergy ${format(traces.energy[k], 5)} eV\nfmax ${short(traces.fmax[k])} eV/Å`, H, play), x, y, zoom);
}

function line(rows, at) {
  let d = "", gap = true;
  for (const i of rows) {
    const [x, y] = at(i);
    if (!Number.isFinite(y)) { gap = true; continue; }
    d += `${gap ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    gap = false;
  }
  return d;
}

/* Curve or map of a scan of the chosen molecule, against its lowest point. */
function scanPlot(zoom) {
  const group = groupOf(Math.max(0, table.chosen)) || [0, n_rows];
  const rows = Array.from({ length: group[1] - group[0] }, (_, k) => group[0] + k).filter((i) => Number.isFinite(columnOf.energy.values[i]));
  if (!rows.length) return null;
  const low = extent(rows.map((i) => columnOf.energy.values[i]))[0];
  const above = (i) => columnOf.energy.values[i] - low;
  const c = run.scan.coordinates.filter((k) => k.values.length > 1).map((k) => columnOf[k.label]);
  if (c.length === 2) return scanMap(rows, above, c, zoom);
  if (c.length !== 1) return null;
  const x = scale(...(zoom.x || extent(rows.map((i) => c[0].values[i]))), LEFT, W - RIGHT);
  const y = scale(...(zoom.y || [0, (extent(rows.map(above))[1] || 1) * 1.05]), H - BOTTOM, TOP), g = frame(), inside = clipped(g);
  const at = (i) => [x(c[0].values[i]), y(above(i))];
  axes(g, x, y, label(c[0]), "energy above the lowest (eV)");
  inside.append(svg("path", { d: line(rows, at), fill: "none", stroke: "var(--plot)", "stroke-width": 1.8 }));
  inside.append(svg("path", { d: rows.map((i) => { const p = at(i); return `M${p[0]} ${p[1]}h0`; }).join(""), stroke: "var(--plot)", "stroke-width": 5, "stroke-linecap": "round" }));
  if (rows.includes(table.chosen)) inside.append(svg("circle", { cx: at(table.chosen)[0], cy: at(table.chosen)[1], r: 6, class: "mark" }));
  const near = rows.filter((i) => inPart(zoom, c[0].values[i], above(i)));
  return zoomable(pickNearest(g, near, at, (i) => `${c[0].label} ${short(c[0].values[i])} ${c[0].unit}\n${format(above(i), 4)} eV above the lowest`), x, y, zoom);
}

/* From dark to light, evenly bright: viridis at five places. */
const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
function viridis(t) {
  const u = Math.max(0, Math.min(0.9999, t)) * 4, k = Math.floor(u), f = u - k;
  return `rgb(${VIRIDIS[k].map((v, j) => Math.round(v + f * (VIRIDIS[k + 1][j] - v))).join(",")})`;
}

/* Zoomed in, colours are those of what is seen. */
function scanMap(all, above, c, zoom) {
  const rows = all.filter((i) => inPart(zoom, c[0].values[i], c[1].values[i]));
  if (!rows.length) return null;
  const least = zoom.x ? extent(rows.map(above))[0] : 0;
  const values = c.map((k) => run.scan.coordinates.find((s) => s.label === k.key).values);
  const g = frame(), right = W - 74, most = Math.max(extent(rows.map(above))[1], least + 1e-9) || 1;
  const edge = (v) => { const step = (v[v.length - 1] - v[0]) / (v.length - 1); return [v[0] - step / 2, v[v.length - 1] + step / 2, step]; };
  const [x0, x1, sx] = edge(values[0]), [y0, y1, sy] = edge(values[1]);
  const spanX = zoom.x || [x0, x1], spanY = zoom.y || [y0, y1];
  const x = scale(...spanX, LEFT, right), y = scale(...spanY, H - BOTTOM, TOP), inside = clipped(g, right);
  x.ticks = ticks(Math.min(...spanX), Math.max(...spanX)); y.ticks = ticks(Math.min(...spanY), Math.max(...spanY));
  axes(g, x, y, label(c[0]), label(c[1]));
  for (const i of all) { /* cells at the edge are seen in part */
    const px = x(c[0].values[i] - sx / 2), py = y(c[1].values[i] + sy / 2);
    const cell = svg("rect", { x: px, y: py, width: x(c[0].values[i] + sx / 2) - px + 0.3, height: y(c[1].values[i] - sy / 2) - py + 0.3, fill: viridis((above(i) - least) / (most - least)), style: "cursor:pointer" });
    cell.addEventListener("click", () => choose(i, true));
    inside.append(tipFor(cell, `${c[0].label} ${short(c[0].values[i])} ${c[0].unit}\n${c[1].label} ${short(c[1].values[i])} ${c[1].unit}\n${format(above(i), 4)} eV above the lowest`));
    if (i === table.chosen) inside.append(svg("circle", { cx: x(c[0].values[i]), cy: y(c[1].values[i]), r: 5, class: "mark", style: "stroke:#fff" }));
  }
  for (let k = 0; k < 40; ++k) g.append(svg("rect", { x: right + 14, y: TOP + (k * (H - TOP - BOTTOM)) / 40, width: 12, height: (H - TOP - BOTTOM) / 40 + 0.4, fill: viridis(1 - k / 40) }));
  g.append(text(right + 31, TOP + 9, short(most)), text(right + 31, H - BOTTOM - 4, `${short(least)} eV`));
  return zoomable(g, x, y, zoom, right);
}

/* Middles of the molecules over the topmost atoms of the substrate. */
function sitesPlot() {
  const key = columnOf.adsorption_energy ? "adsorption_energy" : "energy", c = columnOf[key];
  const rows = Array.from(table.order).filter((i) => structureOf[i] >= 0 && Number.isFinite(c.values[i])).slice(0, 4000);
  if (!rows.length) return null;
  const most = 400, cell = substrate.cell;
  const middles = rows.map((i) => middle(structure(i), cell));
  const corner = [[0, 0], [cell[0], cell[1]], [cell[3], cell[4]], [cell[0] + cell[3], cell[1] + cell[4]]];
  const [x0, x1] = extent(corner.map((p) => p[0])), [y0, y1] = extent(corner.map((p) => p[1]));
  const per = Math.min((W - 118) / (x1 - x0), (most - 24) / (y1 - y0)), size = Math.max(200, (y1 - y0) * per + 24);
  const g = svg("svg", { viewBox: `0 0 ${W} ${size}`, role: "img" });
  const x = (v) => 14 + (v - x0) * per, y = (v) => 12 + (y1 - v) * per;
  const edge = 10 / per, near = [-1, 0, 1].flatMap((i) => [-1, 0, 1].map((j) => [i, j])); /* px beside the cell; its images */
  const p = substrate.positions, top = extent(Array.from(substrate.numbers, (_, k) => p[3 * k + 2]))[1];
  substrate.numbers.forEach((z, k) => {
    if (p[3 * k + 2] < top - 0.8) return;
    const q = wrap(p[3 * k], p[3 * k + 1], cell);
    for (const [i, j] of near) {
      const px = q[0] + i * cell[0] + j * cell[3], py = q[1] + i * cell[1] + j * cell[4];
      if (px < x0 - edge || px > x1 + edge || py < y0 - edge || py > y1 + edge) continue;
      g.append(svg("circle", { cx: x(px), cy: y(py), r: Math.max(1.5, per * (z < 10 ? 0.45 : 0.8)), fill: elementColour(z), "fill-opacity": 0.35 }));
    }
  });
  const outline = [corner[0], corner[1], corner[3], corner[2]].map((q) => `${x(q[0])} ${y(q[1])}`).join("L");
  g.append(svg("path", { d: `M${outline}Z`, class: "axis" }));
  const [low, high] = extent(rows.map((i) => c.values[i]));
  const places = new Map(rows.map((i, k) => [i, [x(middles[k][0]), y(middles[k][1])]]));
  rows.slice().sort((a, b) => c.values[b] - c.values[a]).forEach((i) => {
    const [cx, cy] = places.get(i), t = high > low ? (c.values[i] - low) / (high - low) : 0;
    g.append(svg("circle", { cx, cy, r: i === table.chosen ? 7 : 4.5, fill: viridis(t), stroke: i === table.chosen ? "var(--ink)" : "var(--panel)", "stroke-width": i === table.chosen ? 2 : 0.8 }));
  });
  const right = W - 76;
  for (let k = 0; k < 40; ++k) g.append(svg("rect", { x: right, y: 30 + k * 4, width: 12, height: 4.4, fill: viridis(1 - k / 40) }));
  g.append(text(W - 4, 22, c.label + ", eV", { "text-anchor": "end" }), text(right + 16, 40, short(high)), text(right + 16, 190, short(low)));
  const said = `Middles of the systems, brought into the cell of the substrate (${short(x1 - x0)} × ${short(y1 - y0)} Å), over its topmost atoms.`;
  pickNearest(g, rows, (i) => places.get(i), (i) => `${nameOf(i)}\n${c.label} ${format(c.values[i], 4)} eV`, size);
  return [g, element("p", { className: "hint", textContent: said })];
}

function wrap(x, y, cell) {
  const det = cell[0] * cell[4] - cell[1] * cell[3];
  let u = (x * cell[4] - y * cell[3]) / det, v = (y * cell[0] - x * cell[1]) / det;
  u -= Math.floor(u + 1e-6); v -= Math.floor(v + 1e-6);
  return [u * cell[0] + v * cell[3], u * cell[1] + v * cell[4]];
}
function middle(s, cell) {
  let x = 0, y = 0;
  const n = s.numbers.length;
  for (let k = 0; k < n; ++k) { x += s.positions[3 * k] / n; y += s.positions[3 * k + 1] / n; }
  return wrap(x, y, cell);
}

function startPlots() {
  const has = (key) => columnOf[key] && columnOf[key].values.some(Number.isFinite);
  const numeric = columns.filter((c) => !c.term && has(c.key)).map((c) => c.key);
  if (run.groups && run.groups.kind === "trajectory") panel("Trajectory", tracePlot, "always");
  if (run.traces) panel("Relaxation", relaxationPlot, "always");
  if (run.scan) panel("Scan", scanPlot, "always");
  if (substrate && !run.surface.movable) panel("Places on the substrate", sitesPlot, "few");
  if (has("energy")) {
    panel("Energy by term", termsPlot, "few");
    panel("Distribution", histogram, "never", [{ label: "quantity", keys: [...numeric, ...termNames], value: "energy" }]);
    if (has("drop")) panel("Distribution", histogram, "never", [{ label: "quantity", keys: [...numeric, ...termNames], value: has("adsorption_energy") ? "adsorption_energy" : "drop" }]);
    const x = has("steps") ? "steps" : "natoms", y = has("steps") ? "fmax" : "energy";
    panel("One against the other", scatter, "few", [{ label: "upwards", keys: numeric, value: y }, { label: "to the right", keys: numeric, value: x }]);
  }
  panel("Statuses", statusPlot, "never");
}
const redrawPlots = () => plots.forEach((p) => p.redraw());
/* Those in which the chosen system is marked, where that is quick. */
function redrawChosen() {
  for (const p of plots) if (p.follows === "always" || (p.follows === "few" && table.order.length <= 400)) p.redraw();
}
