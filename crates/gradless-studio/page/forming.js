// Answers while they form: a panel for every question of a search.

import { bar, bestOf, className, el, short, whole } from "./elements.js";
import { figure } from "./pictures.js";
import { Plot } from "./plot.js";

export const TITLES = {
  part: "Part: what is enough", change: "Change: what would alter it", attack: "Attack: the least change",
  contrast: "Contrast: what speaks for it and not for the other", essential: "Essential: enough, and needed",
};
const COPIES = 8;
// The model is asked for the confidence of what forms at most so often, in milliseconds: it is searching.
const REST = 250;

/**
 * Panels that are filled by the frames of a search. `picture` is what is explained; `judge` asks the model for the scores of drawings;
 * `isPlotted` adds the size of what is held against queries.
 */
export class Forming {
  #panels = new Map();
  #isAsking = false;

  constructor(place, { picture = null, questions = [], unit = "features", model = null, judge = null, isPlotted = false, below = null }) {
    Object.assign(this, { place, picture, unit, model, judge });
    this.regions = null;
    place.replaceChildren();
    this.plot = isPlotted ? new Plot(`${unit} held`) : null;
    this.below = el("div", { class: "wide" }, this.plot?.element, below);
    place.append(this.below);
    for (const question of questions) this.#panel(question);
  }

  #panel(question) {
    if (this.#panels.has(question)) return this.#panels.get(question);
    const title = TITLES[question] ?? question;
    const [canvas, marks] = this.picture ? figure(question === "part" ? "what is enough, so far" : "what changes, so far", { class: "forming", "data-question": question }) : [null, null];
    const [after, seen] = this.judge ? figure("what the network is shown") : [null, null];
    if (canvas) {
      if (question === "part") this.picture.drawDim(canvas);
      else this.picture.draw(canvas);
    }
    if (after) this.picture.draw(after);
    const words = el("p", { class: "soft held" }, "waits for its turn");
    const progress = el("progress", { max: 1, value: 0, "aria-label": `Queries used for the ${question}` });
    const sure = el("div", { class: "sure" });
    const copies = el("div", { class: "copies" });
    const section = el("section", { class: "answer is-forming", "data-question": question, "aria-label": title },
      el("h3", {}, title), marks || seen ? el("div", { class: "pair" }, marks, seen) : null, progress, words, this.judge ? sure : null, this.judge ? copies : null);
    this.place.append(section);
    this.place.append(this.below);
    const panel = { canvas, after, words, progress, sure, copies, drawing: null, ...sizes() };
    this.#panels.set(question, panel);
    return panel;
  }

  frame({ question, queries, budget, held, used, shown, regions, isMap, inputs, of }) {
    if (regions) this.regions ??= regions.flatMap(([region, count]) => Array(count).fill(region));
    if (isMap) return;
    if (of) return this.#inputs(inputs, of);
    if (!question) return;
    const panel = this.#panel(question);
    panel.progress.max = budget;
    panel.progress.value = queries;
    panel.words.textContent = `${whole(queries)} of ${whole(budget)} queries, ${whole(budget - queries)} left; ${held === undefined ? "nothing yet" : `${whole(held)} ${this.unit} held`}`;
    if (held !== undefined) panel.hold(queries, held);
    if (this.plot) this.#draw();
    if (!this.picture) return;
    if (shown) {
      const levels = this.picture.levels(shown.at, shown.to);
      if (question === "part") this.picture.drawPart(panel.canvas, levels);
      else this.picture.drawChange(panel.canvas, levels);
      if (this.judge) this.#show(panel, question, levels);
    } else if (used && this.regions) this.picture.drawRegions(panel.canvas, this.regions, used, question !== "change");
  }

  // Many frames may come at once; they are drawn once.
  #draw() {
    clearTimeout(this.due);
    this.due = setTimeout(() => this.plot.set([...this.#panels].map(([name, { sizes }], k) => ({ name, look: ["one", "two"][k] ?? "faint", points: sizes, isStep: true }))));
  }

  #inputs(inputs, of) {
    const panel = this.#panel("inputs");
    panel.progress.max = of;
    panel.progress.value = inputs;
    panel.words.textContent = `${whole(inputs)} of ${whole(of)} inputs are done`;
  }

  /** What the network is shown, and how sure it is of that and of disturbed copies of it. */
  #show(panel, question, levels) {
    const pixels = Array.from({ length: this.picture.columns * this.picture.rows }, (_, at) => question === "part" ? 0 : this.picture.colour(at)[0]);
    for (const [at, level] of levels) pixels[at] = Math.round(255 * level);
    drawGrey(panel.after, pixels, this.picture);
    panel.drawing = pixels;
    this.#ask(panel);
  }

  async #ask(panel) {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const copies = Array.from({ length: COPIES }, () => disturbed(panel.drawing, this.picture));
      const [own, ...others] = await this.judge([panel.drawing, ...copies]);
      const best = bestOf(own);
      const lead = own[best] - Math.max(...own.filter((_, k) => k !== best));
      const held = others.filter((scores) => bestOf(scores) === best).length;
      const spread = Math.max(...own) - Math.min(...own) || 1;
      panel.sure.replaceChildren(el("p", { class: "small" }, "Sure of class ", el("strong", {}, className(this.model, best)), ` by ${short(lead)}; ${held} of ${COPIES} disturbed copies keep it`), bar((100 * lead) / spread));
      panel.copies.replaceChildren(...copies.map((pixels, k) => {
        const canvas = el("canvas", { "aria-hidden": "true" });
        drawGrey(canvas, pixels, this.picture);
        return el("figure", { class: bestOf(others[k]) === best ? null : "lost" }, canvas, el("figcaption", {}, className(this.model, bestOf(others[k]))));
      }));
    } catch {
      // The search goes on without it.
    } finally {
      setTimeout(() => { this.#isAsking = false; }, REST);
    }
  }
}

function drawGrey(canvas, pixels, { columns, rows }) {
  canvas.width = columns;
  canvas.height = rows;
  const brush = canvas.getContext("2d");
  const image = brush.createImageData(columns, rows);
  pixels.forEach((level, at) => image.data.set([level, level, level, 255], 4 * at));
  brush.putImageData(image, 0, 0);
}

/** Sizes that are held against queries. A search for another answer begins again with its queries and its smallest size. */
function sizes() {
  const points = [];
  let [before, last, least] = [0, 0, Infinity];
  return { sizes: points, hold: (queries, held) => {
    if (queries < last) [before, least] = [before + last, Infinity];
    [last, least] = [queries, Math.min(least, held)];
    points.push([before + queries, least]);
  } };
}

/** As searches disturb drawings: noise of 0.15 of the range, a shift by up to a pixel, a tenth more or less light. */
function disturbed(pixels, { columns, rows }) {
  const [down, right] = [0, 0].map(() => Math.floor(3 * Math.random()) - 1);
  const factor = 1 + 0.1 * (2 * Math.random() - 1);
  const within = (at, most) => Math.min(most - 1, Math.max(0, at));
  return pixels.map((_, at) => {
    const from = within(Math.floor(at / columns) - down, rows) * columns + within((at % columns) - right, columns);
    const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
    return Math.round(Math.min(255, Math.max(0, factor * pixels[from] + 0.15 * 255 * normal)));
  });
}
