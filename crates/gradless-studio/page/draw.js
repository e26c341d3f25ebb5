// Drawing a digit: the network's opinion follows the pen, a search explains it.

import { showAnswers } from "./answers.js";
import { Drawing } from "./drawing.js";
import { bar, bringIntoView, byId, className, el, notice, showScores } from "./elements.js";
import { Forming } from "./forming.js";
import { Picture } from "./pictures.js";
import { begin, watch } from "./search.js";
import { get, post } from "./server.js";

const TOOLS = ["pen", "eraser", "protect"];

export class Draw {
  #running = null;
  #leave = () => {};
  #isAsking = false;
  #isStale = false;

  constructor(state) {
    this.state = state;
    this.drawing = new Drawing(byId("canvas"), () => this.#altered());
    for (const tool of TOOLS) {
      byId(tool).addEventListener("click", () => {
        this.drawing.tool = tool;
        for (const other of TOOLS) byId(other).setAttribute("aria-pressed", String(other === tool));
      });
    }
    byId("clear").addEventListener("click", () => this.drawing.clear());
    byId("sample").addEventListener("click", () => this.drawing.sample());
    byId("ask").addEventListener("submit", (event) => { event.preventDefault(); this.#explain(); });
    byId("stop").addEventListener("click", () => this.#running && post(`runs/${this.#running}/stop`).catch((error) => notice(error.message)));
    this.tellModel();
  }

  /** Whether the model takes drawings. */
  get isPossible() {
    return this.state.model.shape.join() === "1,28,28";
  }

  tellModel() {
    const { model } = this.state;
    byId("target").replaceChildren(el("option", { value: "" }, "any other class"),
      ...Array.from({ length: model.count }, (_, k) => el("option", { value: className(model, k) }, className(model, k))));
    this.#judge();
  }

  #altered() {
    const count = this.drawing.guarded.size;
    byId("guarded").textContent = count === 0 ? "" : `${count} pixel${count === 1 ? " is" : "s are"} protected: no answer touches ${count === 1 ? "it" : "them"}.`;
    this.#judge();
  }

  // The scores follow the pen: one request at a time, the newest drawing next.
  async #judge() {
    if (!this.isPossible) return;
    if (this.#isAsking) { this.#isStale = true; return; }
    this.#isAsking = true;
    try {
      do {
        this.#isStale = false;
        if (this.drawing.isEmpty) {
          this.#tellNothing();
          continue;
        }
        const [scores] = await this.#scores([[...this.drawing.pixels]]);
        byId("verdict").textContent = className(this.state.model, showScores(byId("scores"), this.state.model, scores));
        byId("verdict").classList.remove("none");
      } while (this.#isStale);
    } catch (error) {
      notice(error.message);
    } finally {
      this.#isAsking = false;
    }
  }

  #tellNothing() {
    byId("verdict").textContent = "nothing yet";
    byId("verdict").classList.add("none");
    const { model } = this.state;
    byId("scores").tBodies[0].replaceChildren(...Array.from({ length: Math.min(model.count, 12) }, (_, k) =>
      el("tr", { class: "ghost" }, el("th", { scope: "row" }, className(model, k)), el("td", {}, bar(0)), el("td", {}, "–"))));
  }

  async #scores(drawings) {
    return (await post("scores", { drawings })).scores;
  }

  async #explain() {
    notice("");
    if (this.drawing.isEmpty) return notice("Draw a digit first, or take a sample.");
    byId("explain").disabled = true;
    try {
      const run = await begin({
        input: { drawing: [...this.drawing.pixels] },
        target: byId("target").value || null,
        keep: { pixels: [...this.drawing.guarded].sort((a, b) => a - b) },
        seed: Number(byId("seed").value),
        max_queries: byId("queries").value ? Number(byId("queries").value) : null,
      });
      this.#follow(run.name, Picture.grey(this.drawing.pixels.slice()), false);
    } catch (error) {
      byId("explain").disabled = false;
      notice(error.message);
    }
  }

  /** Watches a search of a drawing; its name in the address lets a page that is loaded again go on watching. */
  #follow(name, picture, late) {
    this.#leave();
    this.#running = name;
    history.replaceState(null, "", `#draw/${name}`);
    byId("explain").disabled = true;
    byId("stop").hidden = false;
    byId("draw-empty").hidden = true;
    const place = byId("draw-answers");
    place.dataset.run = name;
    place.dataset.state = "running";
    const forming = new Forming(place, { picture, questions: ["part", "change"], unit: "pixels", model: this.state.model, judge: (drawings) => this.#scores(drawings) });
    if (!late) bringIntoView(place);
    this.#leave = watch(name, { late, frame: (frame) => forming.frame(frame), over: async (run) => {
      byId("explain").disabled = false;
      byId("stop").hidden = true;
      try {
        if (run.state === "failed") { place.replaceChildren(); notice(run.error ?? "The search failed."); }
        else showAnswers(place, run, await get(`runs/${name}/answers`), this.state.model, (column, row) => this.drawing.protect(column, row));
      } catch (error) {
        notice(error.message);
      }
      place.dataset.state = run.state;
    } });
  }

  /** Shows a search of a drawing again, and goes on watching it. */
  async again(name) {
    const { call } = await get(`runs/${encodeURIComponent(name)}`);
    const pixels = call?.request.input.drawing;
    if (!pixels) return;
    this.drawing.set(pixels, call.request.keep?.pixels ?? []);
    byId("target").value = call.request.target ?? "";
    byId("seed").value = call.request.seed;
    byId("queries").value = call.request.max_queries ?? "";
    this.#follow(name, Picture.grey(pixels), true);
  }
}
