/* SPDX-License-Identifier: BSD-3-Clause
 * The structure of the chosen system in three dimensions, its numbers and its terms. */

const JMOL = $3Dmol.elementColors.Jmol;
const elementColour = (z) => "#" + (JMOL[symbol(z)] ?? 0x909090).toString(16).padStart(6, "0");

const viewer = { gl: null, style: "balls", spin: false, cell: true, surface: true, labels: false, row: -1, turn: null, timer: 0 };

const STYLES = {
  balls: { stick: { radius: 0.13, colorscheme: "Jmol" }, sphere: { scale: 0.25, colorscheme: "Jmol" } },
  sticks: { stick: { radius: 0.16, colorscheme: "Jmol" } },
  spheres: { sphere: { scale: 0.95, colorscheme: "Jmol" } },
};
const MANY = 3000; /* atoms, from which on structures are drawn as lines and small balls */

const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function startViewer() {
  try {
    viewer.gl = $3Dmol.createViewer(byId("canvas"), { backgroundColor: cssColour("--panel"), antialias: true, disableFog: true });
  } catch (error) {
    viewer.gl = null;
  }
  if (!viewer.gl) note("This browser has no WebGL: structures cannot be drawn.");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (viewer.gl) viewer.gl.setBackgroundColor(cssColour("--panel"));
    draw(viewer.row, true);
  });
  window.addEventListener("resize", () => viewer.gl && viewer.gl.resize());
  startButtons();
  startFrames();
  startPrinting();
}

function note(words) {
  byId("canvas").querySelector(".none")?.remove();
  if (words) byId("canvas").append(element("div", { className: "none", textContent: words }));
}

/* --- drawing --- */

function draw(row, keepView) {
  viewer.row = row;
  if (!viewer.gl || row < 0) return;
  const s = structure(row);
  viewer.gl.removeAllModels();
  viewer.gl.removeAllShapes();
  viewer.gl.removeAllLabels();
  if (!s) {
    note(columnOf.natoms.values[row] > 0 ? "This structure was left out of the page." : "There are no atoms to draw.");
    viewer.gl.render();
    return;
  }
  note("");
  const free = !s.cell && !substrate;
  if (!keepView || !viewer.turn) viewer.turn = free ? principalAxes(s.positions) : null;
  const positions = viewer.turn ? turned(s.positions, viewer.turn) : s.positions;
  drawAtoms(s, positions);
  if (s.cell && viewer.cell) drawCell(s.cell);
  if (substrate && viewer.surface) drawSubstrate(positions);
  if (!keepView) look(s);
  viewer.gl.render();
}

function look(s) {
  viewer.gl.setView([0, 0, 0, 0, 0, 0, 0, 1]);
  if (substrate) {
    viewer.gl.rotate(-66, "x");
    viewer.gl.rotate(-20, "z");
    viewer.gl.zoomTo();
    viewer.gl.zoom(1.15);
  } else {
    if (s.cell) { viewer.gl.rotate(-62, "x"); viewer.gl.rotate(18, "y"); }
    viewer.gl.zoomTo();
    viewer.gl.zoom(s.cell ? 0.9 : s.numbers.length < 6 ? 2 : 0.98);
  }
}

function drawAtoms(s, positions) {
  const atoms = Array.from(s.numbers, (z, k) => ({
    elem: symbol(z), x: positions[3 * k], y: positions[3 * k + 1], z: positions[3 * k + 2], index: k, serial: k, bonds: [], bondOrder: [],
  }));
  for (let b = 0; b < s.orders.length; ++b) {
    const i = s.bonds[2 * b], j = s.bonds[2 * b + 1];
    const across = s.shifts[3 * b] || s.shifts[3 * b + 1] || s.shifts[3 * b + 2];
    if (across) { drawHalfBonds(s, positions, b, i, j); continue; }
    const order = s.orders[b] === 2 || s.orders[b] === 3 ? s.orders[b] : 1;
    atoms[i].bonds.push(j); atoms[i].bondOrder.push(order);
    atoms[j].bonds.push(i); atoms[j].bondOrder.push(order);
  }
  const model = viewer.gl.addModel();
  model.addAtoms(atoms);
  const many = atoms.length > MANY;
  model.setStyle({}, many ? { line: { colorscheme: "Jmol" }, sphere: { scale: 0.18, colorscheme: "Jmol" } } : STYLES[viewer.style]);
  if (viewer.style === "sticks" && !many) model.setStyle({ predicate: (a) => a.bonds.length === 0 }, STYLES.balls);
  if (many) return;
  viewer.gl.setHoverable({ model }, true,
    (atom) => { if (!atom.label) atom.label = viewer.gl.addLabel(`${atom.elem} ${atom.index}`, { position: atom, fontSize: 12, backgroundColor: "#18202b", backgroundOpacity: 0.85, fontColor: "#ffffff" }); },
    (atom) => { if (atom.label) { viewer.gl.removeLabel(atom.label); delete atom.label; } });
}

/* A bond to the next cell ends halfway, at both of its atoms. */
function drawHalfBonds(s, p, b, i, j) {
  const v = s.cell ? s.cell.vectors : [0, 0, 0, 0, 0, 0, 0, 0, 0], d = [0, 1, 2].map((k) => {
    const shift = s.shifts[3 * b] * v[k] + s.shifts[3 * b + 1] * v[3 + k] + s.shifts[3 * b + 2] * v[6 + k];
    return (p[3 * j + k] + shift - p[3 * i + k]) / 2;
  });
  for (const [a, sign] of [[i, 1], [j, -1]]) {
    const start = { x: p[3 * a], y: p[3 * a + 1], z: p[3 * a + 2] };
    viewer.gl.addCylinder({ start, end: { x: start.x + sign * d[0], y: start.y + sign * d[1], z: start.z + sign * d[2] },
      radius: 0.13, color: elementColour(s.numbers[a]), toCap: 1 });
  }
}

/* The cell as a box; directions that do not repeat have no edges. */
function drawCell(cell) {
  const v = [0, 1, 2].map((k) => cell.vectors.slice(3 * k, 3 * k + 3));
  const used = [0, 1, 2].filter((k) => cell.pbc[k]);
  const color = cssColour("--muted");
  for (const along of used) {
    const others = used.filter((k) => k !== along);
    for (let mask = 0; mask < 1 << others.length; ++mask) {
      const start = [0, 1, 2].map((x) => others.reduce((sum, k, bit) => sum + (mask & (1 << bit) ? v[k][x] : 0), 0));
      const end = start.map((x, k) => x + v[along][k]);
      viewer.gl.addCylinder({ start: { x: start[0], y: start[1], z: start[2] }, end: { x: end[0], y: end[1], z: end[2] }, radius: 0.035, color });
    }
  }
}

/* The part of the substrate below the system, repeated as its cell says. */
function drawSubstrate(positions) {
  const c = substrate.cell, p = substrate.positions, most = 1600;
  const xs = extent(positions.filter((_, k) => k % 3 === 0)), ys = extent(positions.filter((_, k) => k % 3 === 1));
  const det = c[0] * c[4] - c[1] * c[3], top = extent(p.filter((_, k) => k % 3 === 2))[1];
  let atoms = [];
  for (const margin of [5.5, 4, 2.5, 1]) {
    const box = [xs[0] - margin, xs[1] + margin, ys[0] - margin, ys[1] + margin];
    const u = [], w = [];
    for (const x of [box[0], box[1]]) for (const y of [box[2], box[3]]) { u.push((x * c[4] - y * c[3]) / det); w.push((y * c[0] - x * c[1]) / det); }
    atoms = [];
    for (let i = Math.floor(Math.min(...u)) - 1; i <= Math.ceil(Math.max(...u)); ++i)
      for (let j = Math.floor(Math.min(...w)) - 1; j <= Math.ceil(Math.max(...w)); ++j)
        substrate.numbers.forEach((z, k) => {
          if (p[3 * k + 2] < top - 6.5) return; /* deeper layers are not seen */
          const x = p[3 * k] + i * c[0] + j * c[3], y = p[3 * k + 1] + i * c[1] + j * c[4];
          if (x >= box[0] && x < box[1] && y >= box[2] && y < box[3]) atoms.push({ elem: symbol(z), x, y, z: p[3 * k + 2], bonds: [], bondOrder: [] });
        });
    if (atoms.length <= most) break;
  }
  const model = viewer.gl.addModel();
  model.addAtoms(atoms.slice(0, 2 * most));
  model.setStyle({}, { sphere: { scale: 0.34, colorscheme: "Jmol" } });
}

/* Rotation that lays the longest extent of a molecule along x and the shortest towards the eye, about its middle. */
function principalAxes(p) {
  const n = p.length / 3, m = [0, 0, 0];
  for (let k = 0; k < p.length; ++k) m[k % 3] += p[k] / n;
  const a = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
  for (let k = 0; k < n; ++k) for (let i = 0; i < 3; ++i) for (let j = 0; j < 3; ++j) a[i][j] += (p[3 * k + i] - m[i]) * (p[3 * k + j] - m[j]);
  const axes = jacobi(a).sort((u, v) => v.value - u.value).map((e) => e.vector);
  axes[2] = [axes[0][1] * axes[1][2] - axes[0][2] * axes[1][1], axes[0][2] * axes[1][0] - axes[0][0] * axes[1][2], axes[0][0] * axes[1][1] - axes[0][1] * axes[1][0]];
  return { middle: m, axes };
}

function jacobi(a) {
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 12; ++sweep)
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(a[p][q]) < 1e-12) continue;
      const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]), t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1), s = t * c;
      for (let k = 0; k < 3; ++k) { const x = a[k][p], y = a[k][q]; a[k][p] = c * x - s * y; a[k][q] = s * x + c * y; }
      for (let k = 0; k < 3; ++k) { const x = a[p][k], y = a[q][k]; a[p][k] = c * x - s * y; a[q][k] = s * x + c * y; }
      for (let k = 0; k < 3; ++k) { const x = v[k][p], y = v[k][q]; v[k][p] = c * x - s * y; v[k][q] = s * x + c * y; }
    }
  return [0, 1, 2].map((k) => ({ value: a[k][k], vector: [v[0][k], v[1][k], v[2][k]] }));
}

function turned(p, { middle, axes }) {
  const out = new Float32Array(p.length);
  for (let k = 0; k < p.length; k += 3)
    for (let i = 0; i < 3; ++i) out[k + i] = axes[i][0] * (p[k] - middle[0]) + axes[i][1] * (p[k + 1] - middle[1]) + axes[i][2] * (p[k + 2] - middle[2]);
  return out;
}

/* --- what surrounds the picture --- */

function startButtons() {
  const bar = byId("buttons");
  const styles = Object.keys(STYLES).map((name) => element("button", { type: "button", textContent: name, onclick: () => {
    viewer.style = name;
    styles.forEach((b) => b.setAttribute("aria-pressed", b.textContent === name));
    draw(viewer.row, true);
  } }));
  styles.forEach((b) => b.setAttribute("aria-pressed", b.textContent === viewer.style));
  const toggle = (name, key, change) => {
    const b = element("button", { type: "button", textContent: name });
    b.setAttribute("aria-pressed", viewer[key]);
    b.onclick = () => { viewer[key] = !viewer[key]; b.setAttribute("aria-pressed", viewer[key]); change(); };
    return b;
  };
  bar.append(...styles);
  if (S.cells.length) bar.append(toggle("cell", "cell", () => draw(viewer.row, true)));
  if (substrate) bar.append(toggle("substrate", "surface", () => draw(viewer.row, true)));
  bar.append(toggle("spin", "spin", () => viewer.gl && viewer.gl.spin(viewer.spin ? (substrate ? "vz" : "vy") : false, 0.6)));
  bar.append(element("button", { type: "button", textContent: "reset view", onclick: () => draw(viewer.row, false) }));
  bar.append(element("button", { type: "button", textContent: "save picture", onclick: savePicture }));
}

function savePicture() {
  if (!viewer.gl) return;
  element("a", { href: viewer.gl.pngURI(), download: nameOf(viewer.row).replace(/[^\w.-]+/g, "_") + ".png" }).click();
}

function startFrames() {
  byId("frame").addEventListener("input", () => chooseFrame(Number(byId("frame").value)));
  byId("play").addEventListener("click", () => {
    if (viewer.timer) { stopPlaying(); return; }
    byId("play").textContent = "❚❚";
    viewer.timer = setInterval(() => {
      const group = groupOf(table.chosen);
      if (!group) { stopPlaying(); return; }
      const at = table.chosen - group[0] + 1;
      chooseFrame(at >= group[1] - group[0] ? 0 : at);
    }, 80);
  });
}
function stopPlaying() {
  clearInterval(viewer.timer);
  viewer.timer = 0;
  byId("play").textContent = "▶";
}
function chooseFrame(k) {
  const group = groupOf(table.chosen);
  if (group) choose(group[0] + k, true);
}

function showFrames(row) {
  const group = groupOf(row);
  byId("frames").hidden = !group;
  if (!group) { stopPlaying(); return; }
  byId("frame").max = group[1] - group[0] - 1;
  byId("frame").value = row - group[0];
  const time = columnOf.time;
  byId("frame-label").textContent = `${row - group[0] + 1} / ${group[1] - group[0]}` + (time ? `, ${short(time.values[row])} fs` : "");
}

function showSystem(row) {
  const before = viewer.row < 0 ? null : groupOf(viewer.row), now = groupOf(row);
  draw(row, !!(before && now && before[0] === now[0]));
  byId("view-name").textContent = nameOf(row);
  byId("view-status").replaceChildren(statusBadge(statusName(row)));
  byId("view-text").textContent = [reason(row), warning(row)].filter(Boolean).join("\n");
  const s = structure(row), pairs = s ? [["formula", formula(s.numbers)]] : [];
  for (const c of columns) if (!c.term && format(c.values[row], c.digits)) pairs.push([c.label, `${format(c.values[row], c.digits)}\u00a0${c.unit}`]);
  byId("view-values").replaceChildren(...pairs.flatMap(([k, v]) => [element("dt", { textContent: k }), element("dd", { textContent: v })]));
  showTerms(row);
  showFrames(row);
}

function showTerms(row) {
  const rows = termNames.map((name, k) => [name, terms[row * termNames.length + k]]).filter(([, v]) => Number.isFinite(v) && v !== 0);
  byId("view-terms").replaceChildren();
  if (!rows.length) return;
  const height = rows.length * 20 + 8, g = frame(height), left = 72, right = W - 92;
  const x = scale(Math.min(0, ...rows.map((r) => r[1])), Math.max(0, ...rows.map((r) => r[1])), left, right);
  rows.forEach(([name, v], k) => {
    const y = 4 + 20 * k;
    g.append(text(0, y + 13, name));
    g.append(svg("rect", { x: Math.min(x(0), x(v)), y: y + 3, width: Math.max(1, Math.abs(x(v) - x(0))), height: 13, rx: 2, fill: termColour(name) }));
    g.append(text(W, y + 13, `${Math.abs(v) < 0.001 ? short(v) : format(v, 4)} eV`, { "text-anchor": "end", class: "strong" }));
  });
  g.append(svg("line", { x1: x(0), x2: x(0), y1: 2, y2: height - 2, class: "zero" }));
  byId("view-terms").append(g);
}

/* On paper there is the picture as it stands, and up to 400 rows. */
function startPrinting() {
  window.addEventListener("beforeprint", () => {
    drawRows(400);
    if (viewer.gl && structureOf[viewer.row] >= 0) note(""), byId("canvas").append(element("img", { src: viewer.gl.pngURI(), alt: "" }));
  });
  window.addEventListener("afterprint", () => {
    byId("canvas").querySelector("img")?.remove();
    drawRows();
  });
}
