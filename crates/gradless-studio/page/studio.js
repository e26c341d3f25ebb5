// The page: its views, and the drawing with the network's opinion of it.

import { Forming, Picture, showAnswers } from "./answers.js";
import { Drawing } from "./drawing.js";
import { byId, className, el, notice, showScores } from "./elements.js";
import { Own } from "./own.js";
import { showRuns } from "./runs.js";
import { begin, watch } from "./search.js";
import { get, post } from "./server.js";

const VIEWS = ["draw", "own", "runs"];
const state = await get("state").catch((error) => { notice(error.message); throw error; });
let running = null;
let leave = () => {};

function show(view) {
  for (const one of VIEWS) {
    byId(one).hidden = one !== view;
    if (one === view) byId(`tab-${one}`).setAttribute("aria-current", "page");
    else byId(`tab-${one}`).removeAttribute("aria-current");
  }
  if (view === "runs") showRuns(state.model).catch((error) => notice(error.message));
  if (location.hash.split("/")[0] !== `#${view}`) history.replaceState(null, "", `#${view}`);
}

const draws = () => state.model.shape.join() === "1,28,28";

function tellModel() {
  byId("model").textContent = state.model.name;
  byId("own-model").textContent = state.model.name;
  byId("folder").textContent = state.folder;
  byId("tab-draw").hidden = !draws();
  byId("target").replaceChildren(el("option", { value: "" }, "any other class"),
    ...Array.from({ length: state.model.count }, (_, k) => el("option", { value: className(state.model, k) }, className(state.model, k))));
}

// The scores follow the pen: one request at a time, the newest drawing next.
let isAsking = false;
let isStale = false;

async function judge() {
  if (isAsking) { isStale = true; return; }
  isAsking = true;
  try {
    do {
      isStale = false;
      if (drawing.isEmpty) {
        byId("verdict").textContent = "nothing yet";
        byId("scores").tBodies[0].replaceChildren();
        continue;
      }
      const { scores } = await post("scores", { drawing: [...drawing.pixels] });
      byId("verdict").textContent = className(state.model, showScores(byId("scores"), state.model, scores));
    } while (isStale);
  } catch (error) {
    notice(error.message);
  } finally {
    isAsking = false;
  }
}

const drawing = new Drawing(byId("canvas"), () => { if (draws()) judge(); });

for (const tool of ["pen", "eraser", "protect"]) {
  byId(tool).addEventListener("click", () => {
    drawing.tool = tool;
    for (const other of ["pen", "eraser", "protect"]) byId(other).setAttribute("aria-pressed", String(other === tool));
  });
}
byId("clear").addEventListener("click", () => drawing.clear());

byId("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  notice("");
  if (drawing.isEmpty) return notice("Draw a digit first.");
  byId("explain").disabled = true;
  try {
    const run = await begin({
      input: { drawing: [...drawing.pixels] },
      target: byId("target").value || null,
      keep: { pixels: [...drawing.guarded].sort((a, b) => a - b) },
      seed: Number(byId("seed").value),
      max_queries: byId("queries").value ? Number(byId("queries").value) : null,
    });
    follow(run.name, Picture.grey(drawing.pixels.slice()), false);
  } catch (error) {
    byId("explain").disabled = false;
    notice(error.message);
  }
});

byId("stop").addEventListener("click", () => running && post(`runs/${running}/stop`).catch((error) => notice(error.message)));

/** Watches a search of a drawing; its name in the address lets a page that is loaded again go on watching. */
function follow(name, picture, late) {
  leave();
  running = name;
  history.replaceState(null, "", `#draw/${name}`);
  byId("explain").disabled = true;
  byId("stop").hidden = false;
  const place = byId("draw-answers");
  place.dataset.run = name;
  place.dataset.state = "running";
  const forming = new Forming(place, picture, ["part", "change"]);
  leave = watch(name, { late, frame: (frame) => forming.frame(frame), over: async (run) => {
    byId("explain").disabled = false;
    byId("stop").hidden = true;
    try {
      if (run.state === "failed") { place.replaceChildren(); notice(run.error ?? "The search failed."); }
      else showAnswers(place, run, await get(`runs/${name}/answers`), state.model);
    } catch (error) {
      notice(error.message);
    }
    place.dataset.state = run.state;
  } });
}

/** Goes on where the page was before it was loaded again. */
async function again() {
  const [view, name] = location.hash.slice(1).split("/");
  show(VIEWS.includes(view) && (view !== "draw" || draws()) ? view : draws() ? "draw" : "own");
  if (view !== "draw" || !name || !draws()) return;
  const { call } = await get(`runs/${encodeURIComponent(name)}`);
  const pixels = call?.request.input.drawing;
  if (!pixels) return;
  drawing.set(pixels, call.request.keep?.pixels ?? []);
  byId("target").value = call.request.target ?? "";
  byId("seed").value = call.request.seed;
  follow(name, Picture.grey(pixels), true);
}

for (const view of VIEWS) byId(`tab-${view}`).addEventListener("click", () => show(view));
tellModel();
new Own(state, () => { tellModel(); byId("own-input").replaceChildren(); byId("own-answers").replaceChildren(); });
again().catch((error) => notice(error.message));
