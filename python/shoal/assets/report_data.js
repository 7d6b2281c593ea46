/* SPDX-License-Identifier: BSD-3-Clause
 * The run: columns, terms, structures, as report.py packed them. */

const KINDS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, i2: Int16Array, u1: Uint8Array };

function unpack(text, kind) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; ++k) bytes[k] = letters.charCodeAt(k);
  return new KINDS[kind](bytes.buffer);
}

const run = JSON.parse(document.getElementById("data").textContent);
const n_rows = run.n;
const status = unpack(run.status, "u1");
const index = unpack(run.index, "f8");
const reasonOf = unpack(run.reason, "i4");
const warningOf = unpack(run.warning, "i4");
const isFine = run.statuses.map((_, k) => run.fine.includes(k));
const termNames = run.terms.names;
const terms = unpack(run.terms.data, "f4");
const columns = run.columns.map((c) => ({ ...c, values: unpack(c.data, c.kind) }));
for (const c of columns) delete c.data;
termNames.forEach((name, k) => columns.push({
  key: name, label: name, unit: "eV", digits: 6, term: true, why: "energy of the " + name + " terms",
  values: Float32Array.from({ length: n_rows }, (_, i) => terms[i * termNames.length + k]),
}));
if (run.scan) {
  run.scan.coordinates.forEach((c, k) => columns.splice(1 + k, 0, {
    key: c.label, label: c.label, unit: c.unit, digits: "e", why: "coordinate of the scan", values: unpack(c.at, "f4"),
  }));
}
const columnOf = Object.fromEntries(columns.map((c) => [c.key, c]));

const nameOf = (i) => run.names[i] || "#" + index[i];
const statusName = (i) => run.statuses[status[i]];
/* Systems that ran out of steps have no reason of their own. */
function reason(i) {
  const said = run.texts[reasonOf[i]];
  if (said || gravity(statusName(i)) !== "slow" || !columnOf.steps) return said;
  return `fmax ${short(columnOf.fmax.values[i])} eV/Å after ${columnOf.steps.values[i]} evaluations`;
}
const warning = (i) => run.texts[warningOf[i]];
/* How bad a status is: fine, slow (a geometry that is not at its minimum) or bad. */
function gravity(name) {
  if (isFine[run.statuses.indexOf(name)]) return "fine";
  return name === "max_steps" || name === "stalled" ? "slow" : "bad";
}
const gravities = run.statuses.map(gravity);

function format(value, digits) {
  if (!Number.isFinite(value)) return "";
  if (digits === null) return String(Math.round(value));
  if (digits === "e") return short(value);
  return value.toFixed(digits).replace("-", "−");
}

/* Four digits that say something. */
function short(value) {
  if (!Number.isFinite(value)) return "";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(1).replace(".0e", "e").replaceAll("-", "−").replace("e+", "e");
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

/* --- structures --- */

const S = run.structures;
const structureOf = unpack(S.row, "i4");
const skeletonOf = unpack(S.skeleton, "i4");
const cellOf = unpack(S.cell, "i4");
const origins = unpack(S.origin, "f4");
const steps = unpack(S.step, "f4");
const skeletons = (() => {
  const k = S.skeletons, numbers = unpack(k.numbers, "u1"), bonds = unpack(k.bonds, "i4");
  const orders = unpack(k.orders, "u1"), shifts = unpack(k.shifts, "i2");
  const nAtoms = unpack(k.n_atoms, "i4"), nBonds = unpack(k.n_bonds, "i4");
  let a = 0, b = 0;
  return Array.from(nAtoms, (n, s) => {
    const m = nBonds[s];
    const out = {
      numbers: numbers.subarray(a, a + n), bonds: bonds.subarray(2 * b, 2 * (b + m)),
      orders: orders.subarray(b, b + m), shifts: shifts.subarray(3 * b, 3 * (b + m)),
    };
    a += n; b += m;
    return out;
  });
})();
const chunks = new Map();

function chunk(k) {
  if (!chunks.has(k)) chunks.set(k, unpack(document.getElementById("chunk" + k).textContent, "i2"));
  return chunks.get(k);
}

/* What is known of a row's atoms, null where the page does not have them. Positions in angstrom. */
function structure(row) {
  const s = structureOf[row];
  if (s < 0) return null;
  const first = s - (s % S.chunk);
  let at = 0;
  for (let k = first; k < s; ++k) at += 3 * skeletons[skeletonOf[k]].numbers.length;
  const skeleton = skeletons[skeletonOf[s]];
  const whole = chunk(first / S.chunk), n = skeleton.numbers.length;
  const positions = new Float32Array(3 * n);
  for (let k = 0; k < 3 * n; ++k) positions[k] = origins[3 * s + (k % 3)] + steps[s] * whole[at + k];
  return { ...skeleton, positions, cell: cellOf[s] < 0 ? null : S.cells[cellOf[s]] };
}

const SYMBOLS = ("X H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr " +
  "Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg " +
  "Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf").split(" ");
const symbol = (z) => SYMBOLS[z] || "X";

/* Hill's order: C, H, then by the alphabet. */
function formula(numbers) {
  const counts = {};
  for (const z of numbers) counts[symbol(z)] = (counts[symbol(z)] || 0) + 1;
  const rank = (s) => (counts.C ? (s === "C" ? "0" : s === "H" ? "1" : "2" + s) : s);
  const digits = (n) => (n === 1 ? "" : String(n).replace(/\d/g, (d) => "₀₁₂₃₄₅₆₇₈₉"[d]));
  return Object.keys(counts).sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).map((s) => s + digits(counts[s])).join("");
}

/* --- what moves: geometries on the way of relaxations, and modes --- */

const paths = run.paths && {
  starts: unpack(run.paths.starts, "i4"), origins: unpack(run.paths.origin, "f4"), steps: unpack(run.paths.step, "f4"),
  chunk: run.paths.chunk, known: new Map(), energy: unpack(run.paths.energy, "f8"), at: unpack(run.paths.at, "i4"),
};

/* Positions of geometry k of the paths, of n atoms as all of its row. */
function pathPositions(k, row) {
  const n = skeletons[skeletonOf[structureOf[row]]].numbers.length, c = Math.floor(k / paths.chunk);
  if (!paths.known.has(c)) paths.known.set(c, unpack(document.getElementById("path" + c).textContent, "i2"));
  let at = 0;
  for (let j = c * paths.chunk; j < k; ++j) at += 3 * atomsOfPath(j);
  const whole = paths.known.get(c), out = new Float32Array(3 * n);
  for (let j = 0; j < 3 * n; ++j) out[j] = paths.origins[3 * k + (j % 3)] + paths.steps[k] * whole[at + j];
  return out;
}
function atomsOfPath(k) {
  let low = 0, high = n_rows - 1;
  while (low < high) { const m = (low + high + 1) >> 1; if (paths.starts[m] <= k) low = m; else high = m - 1; }
  return skeletons[skeletonOf[structureOf[low]]].numbers.length;
}

const modes = run.modes && {
  starts: unpack(run.modes.starts, "i4"), frequencies: unpack(run.modes.frequencies, "f4"),
  places: unpack(run.modes.places, "i4"), vectors: unpack(run.modes.vectors, "i2"),
};
const MODE_FRAMES = 24, MODE_REACH = 0.35; /* of one period; angstrom of the atom that moves most */

/* Positions of a system at a part of the period of mode k. */
function modePositions(s, k, part) {
  const out = Float32Array.from(s.positions), at = modes.places[k], reach = (MODE_REACH * Math.sin(2 * Math.PI * part)) / 32000;
  for (let j = 0; j < out.length; ++j) out[j] += reach * modes.vectors[at + j];
  return out;
}

/* What can be played of a row: { name, n, label(f), at(f) }, at gives positions. Groups of rows are played row by row. */
function filmsOf(row) {
  const s = structure(row), films = [];
  if (!s) return films;
  if (paths && paths.starts[row + 1] - paths.starts[row] > 1) {
    const from = paths.starts[row];
    films.push({ name: "relaxation", n: paths.starts[row + 1] - from, at: (f) => pathPositions(from + f, row),
      label: (f) => `evaluation ${paths.at[from + f]}, ${format(paths.energy[from + f], 3)} eV` });
  }
  if (modes) for (let k = modes.starts[row]; k < modes.starts[row + 1]; ++k)
    films.push({ name: `mode ${k - modes.starts[row] + 1}: ${Math.round(modes.frequencies[k])} cm⁻¹`, n: MODE_FRAMES, turns: true,
      label: () => `${modes.frequencies[k].toFixed(1)} cm⁻¹`, at: (f) => modePositions(s, k, f / MODE_FRAMES) });
  return films;
}

const substrate = run.surface && {
  numbers: unpack(run.surface.numbers, "u1"), positions: unpack(run.surface.positions, "f4"), cell: run.surface.cell,
};

/* --- trajectories and scans --- */

const groups = run.groups ? run.groups.starts.map((start, k) => [start, run.groups.starts[k + 1] ?? n_rows]) : null;
function groupOf(row) {
  if (!groups) return null;
  let low = 0, high = groups.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (groups[middle][0] <= row) low = middle; else high = middle - 1;
  }
  return groups[low][1] - groups[low][0] > 1 ? groups[low] : null;
}

/* --- elements of the page --- */

const byId = (id) => document.getElementById(id);
function element(tag, properties, ...inside) {
  const e = document.createElement(tag);
  Object.assign(e, properties);
  e.append(...inside);
  return e;
}
function statusBadge(name) {
  return element("span", { className: "status " + gravity(name), textContent: name.replace(/_/g, " ") });
}
