// The page: its views, and which of them the address names.

import { Draw } from "./draw.js";
import { byId, modelName, notice } from "./elements.js";
import { Own } from "./own.js";
import { Runs } from "./runs.js";
import { get } from "./server.js";

const VIEWS = ["draw", "own", "runs"];
const state = await get("state").catch((error) => { notice(error.message); throw error; });

const draw = new Draw(state);
const runs = new Runs(state);
const own = new Own(state, () => { tellModel(); draw.tellModel(); });

function tellModel() {
  byId("model").textContent = modelName(state.model);
  byId("own-model").textContent = modelName(state.model);
  byId("own-first").hidden = state.is_first;
  byId("folder").textContent = state.folder;
  byId("tab-draw").hidden = !draw.isPossible;
}

/** The view that the address names, if it is there, and what in it. */
function named() {
  const [view, name] = location.hash.slice(1).split("/");
  const first = draw.isPossible ? "draw" : "own";
  return VIEWS.includes(view) && (view !== "draw" || draw.isPossible) ? [view, decodeURIComponent(name ?? "")] : [first, ""];
}

async function show() {
  const [view, name] = named();
  for (const one of VIEWS) {
    byId(one).hidden = one !== view;
    if (one === view) byId(`tab-${one}`).setAttribute("aria-current", "page");
    else byId(`tab-${one}`).removeAttribute("aria-current");
  }
  if (view === "runs") await runs.show(name.split("+"));
  else runs.hide();
  return [view, name];
}

const guarded = (work) => () => work().catch((error) => notice(error.message));

for (const view of VIEWS) byId(`tab-${view}`).addEventListener("click", () => { notice(""); location.hash = view; });
byId("notice-away").addEventListener("click", () => notice(""));
addEventListener("hashchange", guarded(() => { notice(""); return show(); }));
tellModel();
// A page that is loaded again goes on where it was.
guarded(async () => {
  const [view, name] = await show();
  if (name && view === "draw") await draw.again(name);
  if (name && view === "own") await own.again(name);
})();
