// Your model: a photograph, a row of a table or a text is dropped, and explained.

import { showAnswers } from "./answers.js";
import { bringIntoView, byId, className, el, notice, showScores } from "./elements.js";
import { Forming } from "./forming.js";
import { figure, Picture } from "./pictures.js";
import { begin, watch } from "./search.js";
import { get, post, seen, send, text as textOf } from "./server.js";
import { parse, Table } from "./table.js";

// The scores wait for so many milliseconds of rest while a slider moves.
const REST = 60;

export class Own {
  #leave = () => {};

  constructor(state, changed) {
    Object.assign(this, { state, changed });
    const guarded = (work) => (...given) => Promise.resolve().then(() => { notice(""); return work(...given); }).catch((error) => notice(error.message));
    byId("own-onnx").addEventListener("change", guarded((event) => this.#models([...event.target.files])));
    byId("own-first").addEventListener("click", guarded(async () => this.#take(await post("models/first"))));
    byId("own-address").addEventListener("submit", (event) => { event.preventDefault(); guarded(() => this.#address())(); });
    byId("own-file").addEventListener("change", guarded((event) => event.target.files[0] && this.take(event.target.files[0].name, event.target.files[0])));
    const drop = byId("own-drop");
    for (const [event, isOver] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
      drop.addEventListener(event, (dragged) => { dragged.preventDefault(); drop.classList.toggle("over", isOver); });
    }
    drop.addEventListener("drop", guarded((event) => {
      const files = [...event.dataTransfer.files];
      if (files.some(({ name }) => /\.onnx$/.test(name))) return this.#models(files);
      return files[0] && this.take(files[0].name, files[0]);
    }));
    byId("own-text-take").addEventListener("click", guarded(() => this.take("text.txt", new Blob([byId("own-text").value]))));
  }

  /** A model as a file, perhaps with its description and a list of class names. */
  async #models(files) {
    const ending = (pattern) => files.find(({ name }) => pattern.test(name));
    const onnx = ending(/\.onnx$/);
    if (!onnx) throw new Error("A model is an ONNX file (.onnx); its description (.toml) and the names of its classes (.txt) may come with it.");
    const beside = {};
    for (const [key, pattern] of [["description", /\.toml$/], ["classes", /\.txt$/]]) {
      const file = ending(pattern);
      if (file) beside[key] = (await send("inputs", file.name, file)).name;
    }
    this.#take(await send("models", onnx.name, onnx, beside));
  }

  /** A model behind an address; a service that does not answer is waited for. */
  async #address() {
    const shape = byId("own-shape").value.trim();
    const button = byId("own-address").querySelector("button");
    Object.assign(button, { disabled: true, textContent: "Asking it …" });
    try {
      this.#take(await post("models/address", { address: byId("own-url").value.trim(), shape: shape ? shape.split(/[\s,x×]+/).map(Number) : [] }));
    } finally {
      Object.assign(button, { disabled: false, textContent: "Use it" });
    }
  }

  #take(told) {
    this.#leave();
    Object.assign(this.state, told);
    byId("own-input").replaceChildren();
    byId("own-answers").replaceChildren();
    byId("own-empty").hidden = false;
    this.changed();
  }

  /** A file that is dropped or chosen. */
  async take(name, content) {
    this.#leave();
    byId("own-answers").replaceChildren();
    const { name: kept } = await send("inputs", name, content);
    await this.#open(kept);
  }

  /** Shows an input that the studio keeps, and gives what brings back how it was asked about. */
  async #open(kept) {
    byId("own-empty").hidden = true;
    if (/\.csv$/.test(kept)) return this.#table(kept, await textOf(kept));
    if (/\.(txt|md)$/.test(kept)) return this.#text(kept, await textOf(kept));
    return this.#picture(kept, Picture.rgb(await seen(kept), this.state.model.range));
  }

  #picture(name, picture) {
    const [canvas, shown] = figure("the picture as the model sees it", { class: "input" });
    picture.draw(canvas);
    const form = this.#form((request) => this.#search({ ...request, input: { file: { name } } }, picture, picture.columns > 64 || picture.rows > 64 ? "regions" : "pixels"));
    byId("own-input").replaceChildren(el("div", { class: "bench" }, shown, this.#opinion({ file: name }), form));
    return { form, picture };
  }

  #text(name, text) {
    const kept = new Set();
    const pieces = text.split(/([\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*)/u);
    const show = () => { for (const word of words.querySelectorAll("button")) word.setAttribute("aria-pressed", String(kept.has(word.dataset.word))); };
    const words = el("p", { class: "words", role: "group", "aria-label": "Words: click to keep them" }, ...pieces.map((piece, k) => {
      if (k % 2 === 0) return piece;
      return el("button", { type: "button", "aria-pressed": "false", "data-word": piece.toLowerCase(), on: { click: () => {
        const word = piece.toLowerCase();
        if (!kept.delete(word)) kept.add(word);
        show();
      } } }, piece);
    }));
    const spelled = () => [...kept].map((word) => pieces.find((piece) => piece.toLowerCase() === word));
    const form = this.#form((request) => this.#search({ ...request, input: { file: { name } }, keep: { names: spelled() } }, null, "words"));
    byId("own-input").replaceChildren(el("p", { class: "soft small" }, "Click the words that must stay."), words, el("div", { class: "bench" }, this.#opinion({ file: name }), form));
    return { form, restore: (request) => { for (const word of request.keep?.names ?? []) kept.add(word.toLowerCase()); show(); } };
  }

  #table(name, text) {
    const opinion = el("div");
    let timer;
    const table = new Table(name, text, () => {
      clearTimeout(timer);
      timer = setTimeout(() => opinion.replaceChildren(this.#opinion({ row: table.row })), REST);
    });
    const form = this.#form(async (request) => this.#search({ ...request, ...await table.request() }, null, "columns"));
    byId("own-input").replaceChildren(table.sheet, el("h3", {}, "The row"), table.fields, el("div", { class: "bench" }, opinion, form));
    return { form, restore: async (request) => {
      const { name: edited, data } = request.input.file;
      const cells = data ? parse(await textOf(edited))[1] : null;
      table.restore(data ? { ...request.input.file, row: 0 } : request.input.file, request.keep?.names ?? [], cells);
    } };
  }

  /** What the model says of an input. */
  #opinion(asked) {
    const table = el("table", { class: "scores" }, el("caption", { class: "hidden" }, "Scores of the classes"), el("tbody"));
    const verdict = el("strong", { class: "verdict", "aria-live": "polite" }, "…");
    post("scores", asked).then(async ({ scores: [scores] }) => {
      if (this.state.model.count === 0) Object.assign(this.state, await get("state"));
      verdict.textContent = className(this.state.model, showScores(table, this.state.model, scores));
      for (const select of document.querySelectorAll("select.target")) this.#targets(select);
    }).catch((error) => { verdict.textContent = "nothing"; notice(error.message); });
    return el("div", { class: "opinion" }, el("p", { class: "label" }, "The model says ", verdict), table);
  }

  #targets(select) {
    const { count } = this.state.model;
    if (select.options.length > count) return;
    select.replaceChildren(el("option", { value: "" }, "any other class"), ...Array.from({ length: count }, (_, k) => el("option", { value: className(this.state.model, k) }, className(this.state.model, k))));
  }

  #form(submit) {
    const target = el("select", { class: "target" });
    this.#targets(target);
    const count = el("input", { type: "number", min: 1, max: 10, value: 1 });
    const seed = el("input", { type: "number", min: 0, max: 4294967295, value: 0 });
    const queries = el("input", { type: "number", min: 50, max: 1000000, placeholder: "as the command does" });
    const go = el("button", { type: "submit", class: "primary" }, "Explain");
    const number = (input) => (input.value ? Number(input.value) : null);
    const form = el("form", { class: "ask", "aria-label": "Search", on: { submit: async (event) => {
      event.preventDefault();
      go.disabled = true;
      notice("");
      try {
        await submit({ target: target.value || null, seed: Number(seed.value), count: number(count) > 1 ? number(count) : null, max_queries: number(queries) });
      } catch (error) {
        notice(error.message);
      } finally {
        go.disabled = false;
      }
    } } },
    el("label", {}, "The change should lead to", target), el("label", {}, "Different answers to each question", count),
    el("details", { class: "more" }, el("summary", {}, "Options"), el("label", {}, "Seed", seed), el("label", {}, "Queries at most, per question", queries)),
    el("div", { class: "row" }, go));
    form.restore = (request) => {
      target.value = request.target ?? "";
      [seed.value, count.value, queries.value] = [request.seed, request.count ?? 1, request.max_queries ?? ""];
      go.disabled = true;
      return () => { go.disabled = false; };
    };
    return form;
  }

  async #search(request, picture, unit) {
    const run = await begin(request);
    history.replaceState(null, "", `#own/${run.name}`);
    await this.#follow(run.name, picture, unit, false);
  }

  /** Watches a search until it is over; the address names it, so that a page that is loaded again goes on watching. */
  #follow(name, picture, unit, late) {
    this.#leave();
    const place = byId("own-answers");
    Object.assign(place.dataset, { run: name, state: "running" });
    const forming = new Forming(place, { picture, questions: ["part", "change"], unit });
    const stop = el("button", { type: "button", on: { click: () => post(`runs/${name}/stop`).catch((error) => notice(error.message)) } }, "Stop, keep what was found");
    place.prepend(el("p", { class: "wide row" }, stop));
    if (!late) bringIntoView(place);
    return new Promise((resolve) => {
      this.#leave = watch(name, { late, frame: (frame) => forming.frame(frame), over: async (ended) => {
        try {
          if (ended.state === "failed") { place.replaceChildren(); notice(ended.error ?? "The search failed."); }
          else showAnswers(place, ended, await get(`runs/${name}/answers`), this.state.model);
        } catch (error) {
          notice(error.message);
        }
        place.dataset.state = ended.state;
        resolve();
      } });
    });
  }

  /** Shows a search about an input again, and goes on watching it. */
  async again(name) {
    const { call } = await get(`runs/${encodeURIComponent(name)}`);
    const file = call?.request.input.file;
    if (!file) return;
    const { form, picture = null, restore = () => {} } = await this.#open(file.data ?? file.name);
    await restore(call.request);
    const done = form.restore(call.request);
    const unit = /\.csv$/.test(file.name) ? "columns" : picture ? (picture.columns > 64 || picture.rows > 64 ? "regions" : "pixels") : "words";
    await this.#follow(name, picture, unit, true);
    done();
  }
}
