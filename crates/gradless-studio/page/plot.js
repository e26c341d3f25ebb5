// A plot of values against queries, as wide as its place.

import { el, short, svg, whole } from "./elements.js";

const HEIGHT = 260;
const EDGE = { left: 64, right: 14, top: 12, bottom: 34 };
// More points than this in a line are thinned: the lowest and the highest of each stretch stay.
const MOST = 1500;

/** A plot; `unit` says what the values are. Lines are `{ name, look, points: [[queries, value], …], isStep }`. */
export class Plot {
  #lines = [];
  #budget = null;
  #isLog = false;

  constructor(unit) {
    this.unit = unit;
    this.drawing = svg("svg", { class: "plot", role: "img", height: HEIGHT, on: { pointermove: (event) => this.#read(event), pointerleave: () => this.#tell() } });
    this.key = el("p", { class: "legend" });
    this.told = el("p", { class: "small soft readout" });
    const log = el("input", { type: "checkbox", on: { change: () => { this.#isLog = log.checked; this.#draw(); } } });
    this.log = el("label", { class: "check small", hidden: true }, log, "logarithmic");
    this.element = el("figure", { class: "plot-frame" }, this.drawing, el("figcaption", {}, this.key, this.log, this.told));
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  /** Shows lines; the axis of queries reaches to `budget`, if one is given. */
  set(lines, budget = null) {
    this.#lines = lines.map((line) => ({ ...line, points: thinned(line.points) })).filter((line) => line.points.length > 0);
    this.#budget = budget;
    this.element.hidden = this.#lines.length === 0;
    if (this.element.hidden) return;
    this.key.replaceChildren(...this.#lines.map((line) => el("span", {}, svg("svg", { class: "dash", viewBox: "0 0 24 8", "aria-hidden": "true" }, svg("path", { class: line.look, d: "M0 4H24" })), line.name)));
    const values = this.#values();
    this.log.hidden = !(Math.min(...values) > 0 && Math.max(...values) > 20 * Math.min(...values));
    this.drawing.setAttribute("aria-label", `${this.unit} against queries. ${this.#lines.map(({ name, points }) => `${name}: from ${short(points[0][1])} to ${short(points.at(-1)[1])} after ${whole(points.at(-1)[0])} queries`).join("; ")}`);
    this.#draw();
    this.#tell();
  }

  #values() {
    return this.#lines.flatMap((line) => line.points.map(([, value]) => value));
  }

  #draw() {
    const width = Math.floor(this.element.clientWidth);
    if (!width || this.#lines.length === 0) return;
    const values = this.#values();
    const isLog = this.#isLog && !this.log.hidden;
    const bend = isLog ? Math.log10 : (value) => value;
    const last = Math.max(this.#budget ?? 1, ...this.#lines.map((line) => line.points.at(-1)[0]));
    let [low, high] = [Math.min(...values), Math.max(...values)].map(bend);
    if (!isLog && low > 0 && low < 0.4 * high) low = 0;
    const room = (high - low || Math.abs(high) || 1) * 0.04;
    [low, high] = [low === 0 ? 0 : low - room, high + room];
    const x = (queries) => EDGE.left + ((width - EDGE.left - EDGE.right) * queries) / last;
    const y = (value) => HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * (bend(value) - low)) / (high - low);
    this.scale = { x, last, width };
    const spots = ({ points, isStep }) => points.map(([queries, value], k) =>
      k === 0 ? `M${x(queries).toFixed(1)} ${y(value).toFixed(1)}` : isStep ? `H${x(queries).toFixed(1)}V${y(value).toFixed(1)}` : `L${x(queries).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    const across = ticks(low, high, 4).map((at) => [isLog ? 10 ** at : at, HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * (at - low)) / (high - low)]);
    this.cursor = svg("line", { class: "cursor", y1: EDGE.top, y2: HEIGHT - EDGE.bottom, visibility: "hidden" });
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.drawing.replaceChildren(
      ...across.flatMap(([value, at]) => [svg("line", { class: "grid", x1: EDGE.left, x2: width - EDGE.right, y1: at, y2: at }), svg("text", { x: EDGE.left - 8, y: at + 4, "text-anchor": "end" }, short(value))]),
      ...ticks(0, last, width < 500 ? 3 : 6).map((at) => svg("text", { x: x(at), y: HEIGHT - EDGE.bottom + 20, "text-anchor": at === 0 ? "start" : at > 0.95 * last ? "end" : "middle" }, at === 0 ? "0 queries" : whole(at))),
      ...this.#lines.map((line) => svg("path", { class: `line ${line.look}`, d: spots(line) })),
      ...this.#lines.map((line) => svg("circle", { class: line.look, cx: x(line.points.at(-1)[0]), cy: y(line.points.at(-1)[1]), r: 3 })),
      this.cursor);
  }

  #read(event) {
    if (!this.scale) return;
    const { last, width, x } = this.scale;
    const share = (event.clientX - this.drawing.getBoundingClientRect().left - EDGE.left) / (width - EDGE.left - EDGE.right);
    const queries = Math.round(last * Math.min(1, Math.max(0, share)));
    this.cursor.setAttribute("x1", x(queries));
    this.cursor.setAttribute("x2", x(queries));
    this.cursor.setAttribute("visibility", "visible");
    this.#tell(queries);
  }

  /** What the lines are at so many queries, or at their ends. */
  #tell(queries = Infinity) {
    if (queries === Infinity) this.cursor?.setAttribute("visibility", "hidden");
    const at = (points) => points.findLast(([one]) => one <= queries)?.[1];
    const where = queries === Infinity ? "Last" : `After ${whole(queries)} queries`;
    this.told.textContent = `${where}: ${this.#lines.map(({ name, points }) => `${name} ${short(at(points))}`).join(", ")}`;
  }
}

/** Round numbers between two others. */
function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

function thinned(points) {
  if (points.length <= MOST) return points;
  const size = Math.ceil((2 * points.length) / MOST);
  const kept = [];
  for (let from = 0; from < points.length; from += size) {
    const stretch = points.slice(from, from + size);
    const by = (one, other) => one[1] - other[1];
    kept.push(...new Set([stretch.reduce((a, b) => (by(a, b) <= 0 ? a : b)), stretch.reduce((a, b) => (by(a, b) >= 0 ? a : b)), stretch.at(-1)].sort((a, b) => a[0] - b[0])));
  }
  return kept;
}

/** The smallest value so far, at every point. */
export function bestSoFar(points) {
  let least = Infinity;
  return points.map(([queries, value]) => [queries, (least = Math.min(least, value))]);
}
