/* SPDX-License-Identifier: BSD-3-Clause
 * The structure of the chosen system in three dimensions, its numbers and its terms. */

const JMOL = $3Dmol.elementColors.Jmol;
const elementColour = (z) => "#" + (JMOL[symbol(z)] ?? 0x909090).toString(16).padStart(6, "0");

const viewer = { gl: null, style: "balls", spin: false, cell: true, surface: true, overlay: false, row: -1, turn: null, timer: 0, films: [], film: null, at: 0 };
const OVERLAID = 60; /* structures drawn over each other, at most */

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
  if (s && viewer.film) s.positions = viewer.film.at(viewer.at);
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
  if (viewer.overlay) drawOthers(row, s, positions);
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
    viewer.gl.zoom(s.cell ? 0.9 : s.numbers.length < 6 ? 2 : 0.88);
  }
}

function drawAtoms(s, positions) {
  const atoms = Array.from(s.numbers, (z, k) => ({
    elem: symbol(z), x: positions[3 * k], y: positions[3 * k + 1], z: positions[3 * k + 2], index: k, serial: k, bonds: [], bondOrder: [],
  }));
  for (let b = 0; b < s.orders.length; ++b) {
    const i = s.bonds[2 * b], j = s.bonds[2 * b + 1];
    if (METALLIC.has(atoms[i].elem) && METALLIC.has(atoms[j].elem)) continue; /* spheres that touch */
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
  const near = slabSpacing(s.numbers, positions);
  if (near > 0) model.setStyle({ predicate: (a) => METALLIC.has(a.elem) }, slabStyle(near));
  if (viewer.style === "sticks" && !many) model.setStyle({ predicate: (a) => a.bonds.length === 0 }, STYLES.balls);
  if (many) return;
  viewer.gl.setHoverable({ model }, true,
    (atom) => { if (!atom.label) atom.label = viewer.gl.addLabel(`${atom.elem} ${atom.index}`, { position: atom, fontSize: 12, backgroundColor: "#18202b", backgroundOpacity: 0.85, fontColor: "#ffffff" }); },
    (atom) => { if (atom.label) { viewer.gl.removeLabel(atom.label); delete atom.label; } });
}

/* --- metals: spheres that touch, as in a crystal; cations of salts are none of these --- */

const METALLIC = new Set(("Al Ti V Cr Mn Fe Co Ni Cu Zn Ga Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi").split(" "));

/* The shortest distance of metal atoms that have such a neighbour; 0 where there are none, or other atoms between them. */
function slabSpacing(numbers, p) {
  const metal = [], least = 2.2, most = 3.7;
  for (let k = 0; k < numbers.length && metal.length < 400; ++k) if (METALLIC.has(symbol(numbers[k]))) metal.push(k);
  if (metal.length < 2) return 0;
  let near = Infinity;
  for (const i of metal.slice(0, 60)) for (const j of metal)
    if (j !== i) near = Math.min(near, Math.hypot(p[3 * i] - p[3 * j], p[3 * i + 1] - p[3 * j + 1], p[3 * i + 2] - p[3 * j + 2]));
  return near > least && near < most ? near : 0;
}
const slabStyle = (near) => ({ sphere: { radius: 0.48 * near, colorscheme: "Jmol" } });

/* --- ensembles --- */

/* Rows that the filter lets through and that have the atoms and bonds of one, over it as thin sticks. */
function drawOthers(row, s, positions) {
  const alike = Array.from(table.order).filter((i) => i !== row && structureOf[i] >= 0 && skeletonOf[structureOf[i]] === skeletonOf[structureOf[row]]);
  const every = Math.ceil(alike.length / OVERLAID), free = !s.cell && !substrate;
  alike.filter((_, k) => k % every === 0).forEach((i, k, all) => {
    const p = free ? fitted3(structure(i).positions, positions) : structure(i).positions, atoms = [];
    s.numbers.forEach((z, a) => atoms.push({ elem: symbol(z), x: p[3 * a], y: p[3 * a + 1], z: p[3 * a + 2], serial: a, bonds: [], bondOrder: [] }));
    for (let b = 0; b < s.orders.length; ++b) {
      if (s.shifts[3 * b] || s.shifts[3 * b + 1] || s.shifts[3 * b + 2]) continue;
      atoms[s.bonds[2 * b]].bonds.push(s.bonds[2 * b + 1]); atoms[s.bonds[2 * b]].bondOrder.push(1);
      atoms[s.bonds[2 * b + 1]].bonds.push(s.bonds[2 * b]); atoms[s.bonds[2 * b + 1]].bondOrder.push(1);
    }
    const model = viewer.gl.addModel(), color = viridis(all.length > 1 ? k / (all.length - 1) : 0.5);
    model.addAtoms(atoms);
    model.setStyle({}, { stick: { radius: 0.05, color, opacity: 0.75 } });
  });
}

/* Positions p turned and moved so that they lie best on q (Horn's quaternion). */
function fitted3(p, q) {
  const n = p.length / 3, mp = [0, 0, 0], mq = [0, 0, 0], m = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
  for (let k = 0; k < p.length; ++k) { mp[k % 3] += p[k] / n; mq[k % 3] += q[k] / n; }
  for (let k = 0; k < n; ++k) for (let i = 0; i < 3; ++i) for (let j = 0; j < 3; ++j) m[i][j] += (p[3 * k + i] - mp[i]) * (q[3 * k + j] - mq[j]);
  const [[a, b, c], [d, e, f], [g, h, i]] = m;
  const quaternion = jacobi([[a + e + i, f - h, g - c, b - d], [f - h, a - e - i, b + d, g + c], [g - c, b + d, e - a - i, f + h], [b - d, g + c, f + h, i - a - e]])
    .reduce((best, one) => (one.value > best.value ? one : best)).vector;
  const [w, x, y, z] = quaternion, r = [
    [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]];
  const out = new Float32Array(p.length);
  for (let k = 0; k < p.length; k += 3) for (let j = 0; j < 3; ++j)
    out[k + j] = mq[j] + r[j][0] * (p[k] - mp[0]) + r[j][1] * (p[k + 1] - mp[1]) + r[j][2] * (p[k + 2] - mp[2]);
  return out;
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
  const near = slabSpacing(substrate.numbers, p), metal = near > 0 && substrate.numbers.every((z) => METALLIC.has(symbol(z)));
  model.setStyle({}, metal ? slabStyle(near) : { sphere: { scale: 0.34, colorscheme: "Jmol" } });
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

/* Eigenvalues and eigenvectors of a symmetric matrix. */
function jacobi(a) {
  const n = a.length, all = a.map((_, k) => k), v = all.map((i) => all.map((j) => (i === j ? 1 : 0)));
  const pairs = all.flatMap((p) => all.slice(p + 1).map((q) => [p, q]));
  for (let sweep = 0; sweep < 4 * n; ++sweep)
    for (const [p, q] of pairs) {
      if (Math.abs(a[p][q]) < 1e-12) continue;
      const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]), t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1), s = t * c;
      for (const k of all) { const x = a[k][p], y = a[k][q]; a[k][p] = c * x - s * y; a[k][q] = s * x + c * y; }
      for (const k of all) { const x = a[p][k], y = a[q][k]; a[p][k] = c * x - s * y; a[q][k] = s * x + c * y; }
      for (const k of all) { const x = v[k][p], y = v[k][q]; v[k][p] = c * x - s * y; v[k][q] = s * x + c * y; }
    }
  return all.map((k) => ({ value: a[k][k], vector: all.map((i) => v[i][k]) }));
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
  if (new Set(skeletonOf).size < skeletonOf.length) {
    const over = toggle("overlay", "overlay", () => draw(viewer.row, true));
    over.title = "structures of the same molecule that the filter lets through, one over the other";
    bar.append(over);
  }
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
  byId("film").addEventListener("change", () => chooseFilm(Number(byId("film").value)));
  byId("play").addEventListener("click", () => {
    if (viewer.timer) { stopPlaying(); return; }
    byId("play").textContent = "❚❚";
    viewer.timer = setInterval(() => {
      const group = viewer.film ? null : groupOf(table.chosen);
      if (!group && !viewer.film) { stopPlaying(); return; }
      const n = group ? group[1] - group[0] : viewer.film.n, at = 1 + (group ? table.chosen - group[0] : viewer.at);
      chooseFrame(at >= n ? 0 : at);
    }, 80);
  });
}
function stopPlaying() {
  clearInterval(viewer.timer);
  viewer.timer = 0;
  byId("play").textContent = "▶";
}
/* Shows frame k of what is played; the view stays. */
function chooseFrame(k) {
  if (viewer.film) {
    viewer.at = k;
    byId("frame").value = k;
    byId("frame-label").textContent = viewer.film.label(k);
    draw(viewer.row, true);
    return;
  }
  const group = groupOf(table.chosen);
  if (group) choose(group[0] + k, true);
}

/* One of the films of the row, -1: none, the row itself. */
function chooseFilm(k) {
  viewer.film = viewer.films[k] ?? null;
  viewer.at = 0;
  if (!viewer.film) stopPlaying();
  byId("play").disabled = byId("frame").disabled = !viewer.film;
  byId("frame").max = viewer.film ? viewer.film.n - 1 : 0;
  byId("frame").value = 0;
  byId("frame-label").textContent = viewer.film ? viewer.film.label(0) : "";
  draw(viewer.row, true);
}

/* A relaxation is ready to be played; of modes the user chooses one. */
function showFilms() {
  const select = byId("film");
  byId("frames").hidden = false;
  select.hidden = viewer.films.length < 2 && !viewer.films[0].turns;
  select.replaceChildren(element("option", { value: -1, textContent: "at rest" }),
    ...viewer.films.map((film, k) => element("option", { value: k, textContent: film.name })));
  const first = viewer.films[0].turns ? -1 : 0;
  select.value = first;
  viewer.film = viewer.films[first] ?? null;
  byId("play").disabled = byId("frame").disabled = !viewer.film;
  byId("frame").max = viewer.film ? viewer.film.n - 1 : 0;
  viewer.at = viewer.film ? viewer.film.n - 1 : 0; /* where it ended */
  byId("frame").value = viewer.at;
  byId("frame-label").textContent = viewer.film ? viewer.film.label(viewer.at) : `${viewer.films.length} modes`;
}

function showFrames(row) {
  const group = groupOf(row);
  byId("frames").hidden = !group;
  byId("film").hidden = true;
  if (!group && viewer.films.length) { showFilms(); return; }
  byId("play").disabled = byId("frame").disabled = false;
  if (!group) { stopPlaying(); return; }
  byId("frame").max = group[1] - group[0] - 1;
  byId("frame").value = row - group[0];
  const time = columnOf.time;
  byId("frame-label").textContent = `${row - group[0] + 1} / ${group[1] - group[0]}` + (time ? `, ${short(time.values[row])} fs` : "");
}

function showSystem(row) {
  const before = viewer.row < 0 ? null : groupOf(viewer.row), now = groupOf(row);
  if (viewer.row !== row) {
    if (viewer.films.length) stopPlaying();
    viewer.films = now ? [] : filmsOf(row);
    viewer.film = null;
  }
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
