// A minimisation: its curve while it runs and after, what it has cost, and what was found.

import { report } from "./answers.js";
import { commandOf, el, short, whole } from "./elements.js";
import { bestSoFar, Plot } from "./plot.js";
import { trace } from "./server.js";

/** The steps of a run as queries and objectives, from the table it has written. */
export async function stepsOf(name) {
  const [head, ...rows] = (await trace(name)).split("\n").map((line) => line.split(","));
  const [queries, objective] = ["queries", "objective"].map((column) => head.indexOf(column));
  return rows.filter((row) => row[objective]).map((row) => [Number(row[queries]), Number(row[objective])]);
}

const fact = (name, value, look = null) => el("div", { class: look }, el("dt", {}, name), el("dd", {}, value));

export class Minimum {
  #steps = [];
  #budget = null;
  #iteration = 0;
  #isDue = false;

  constructor(place, run) {
    this.plot = new Plot("objective");
    this.facts = el("dl", { class: "facts" });
    this.rest = el("div", { class: "wide" }, el("p", { class: "soft small" }, "It goes on when this page is closed. A stop keeps the best so far and what was paid for; it can go on from there."), commandOf(run));
    place.replaceChildren(el("div", { class: "wide minimum" }, this.facts, this.plot.element), this.rest);
    this.#show();
  }

  /** Steps that an earlier part of the run has taken. */
  begin(steps) {
    this.#steps = steps;
    this.#show();
  }

  frame({ iteration, queries, budget, objective }) {
    // A run that goes on tells again what it knows from its journal.
    if (queries === undefined || queries <= (this.#steps.at(-1)?.[0] ?? -1)) return;
    this.#iteration = iteration;
    this.#budget = budget ?? null;
    if (objective !== null) this.#steps.push([queries, objective]);
    if (this.#isDue) return;
    // Many may come at once; they are drawn once.
    this.#isDue = true;
    setTimeout(() => { this.#isDue = false; if (!this.isOver) this.#show(); });
  }

  #show() {
    const last = this.#steps.at(-1);
    const best = bestSoFar(this.#steps);
    this.#facts(last?.[1], best.at(-1)?.[1], last?.[0] ?? 0, this.#iteration);
    this.plot.set([{ name: "at each step", look: "faint", points: this.#steps }, { name: "best so far", look: "one", points: best, isStep: true }], this.#budget);
  }

  #facts(now, best, queries, iterations) {
    this.facts.replaceChildren(
      fact("best so far", short(best), "first"), fact("now", short(now)), fact("queries", whole(queries)),
      fact("queries left", this.#budget === null ? "no limit known" : whole(Math.max(0, this.#budget - queries))), fact("steps", whole(iterations)));
  }

  /** What was found, when the run is over. */
  async end(run) {
    const { result } = run;
    this.isOver = true;
    if (!result) return;
    this.#steps = await stepsOf(run.name).catch(() => this.#steps);
    this.#budget = null;
    this.#show();
    this.facts.replaceChildren(
      fact("objective", short(result.objective), "first"), fact("at the start", short(result.objective_start)), fact("queries", whole(result.queries)),
      fact("points sent", whole(result.sent)), fact("steps", whole(result.iterations)), fact("coordinates that are not 0", `${whole(result.nonzeros)} of ${whole(result.dim)}`));
    const coordinates = result.largest.map((at) => fact(at.name ?? `x[${at.index}]`, short(at.value)));
    this.rest.replaceChildren(
      el("p", { class: "sentence" }, `${result.method} ended after ${whole(result.queries)} queries: ${result.stop_reason}.`),
      ...result.notices.map((notice) => el("p", { class: "soft small" }, notice)),
      coordinates.length > 0 ? el("div", { class: "minimum" }, el("h3", {}, "The largest coordinates of the best point"), el("dl", { class: "facts less" }, ...coordinates)) : "",
      el("p", { class: "row" }, report(run), el("span", { class: "soft small" }, `run ${run.name}, seed ${result.seed}, ${result.seconds.toFixed(1)} s`)), commandOf(run) ?? "");
  }
}
