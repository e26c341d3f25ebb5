// A search that is begun and watched: frames as they come, the answers when it is over.

import { get, post, Unreachable } from "./server.js";

// Twenty frames a second are shown at most; what comes faster waits its turn, but not for long.
const DISTANCE = 50;
const MOST_WAITING = 120;
// A studio that does not answer is asked again after so many milliseconds.
const RETRY = 1000;

/** Begins a search; gives the run. */
export const begin = (request) => post("runs", request);

/**
 * Watches a run: `frame` is called with what the search holds, `over` with the run when it has ended. A page that comes late sees the
 * last frames only; one that wants all of them (`isWhole`) gets them as fast as they come. Gives a function that ends the watching; the
 * search goes on.
 */
export function watch(name, { frame, over, late = false, isWhole = false }) {
  const source = new EventSource(`api/runs/${encodeURIComponent(name)}/events`);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let waiting = [];
  let isOver = false;
  let isFirst = true;
  let last = -Infinity;
  let clock = null;

  // What waits is shown as soon as it may be: the first frame at once.
  const show = () => {
    clock = null;
    const rest = last + DISTANCE - performance.now();
    if (waiting.length === 0) return isOver && end();
    if (rest > 0) return later(rest);
    last = performance.now();
    const frames = isWhole ? waiting : waiting.slice(0, 1);
    waiting = waiting.slice(frames.length);
    frames.forEach(frame);
    later(DISTANCE);
  };
  const later = (rest) => { clock ??= setTimeout(show, rest); };
  const end = async () => {
    try {
      over((await get(`runs/${encodeURIComponent(name)}`)).run);
    } catch (error) {
      // A studio that ended just now may come back; the run has what it has.
      if (error instanceof Unreachable) setTimeout(() => clock !== 0 && end(), RETRY);
      else over({ name, state: "failed", error: error.message });
    }
  };
  source.addEventListener("frames", (event) => {
    const frames = JSON.parse(event.data);
    // The map of regions comes once and may not be lost.
    for (const one of frames) if (one.regions) frame({ ...one, isMap: true });
    waiting.push(...(isFirst && late ? frames.slice(-10) : frames));
    isFirst = false;
    if (!isWhole && calm) waiting.splice(0, waiting.length - 1);
    while (!isWhole && waiting.length > MOST_WAITING) waiting.splice(0, Math.ceil(waiting.length / 20));
    if (clock === null) show();
  });
  source.addEventListener("over", () => {
    source.close();
    isOver = true;
    if (clock === null) show();
  });
  // With a clock that is none, nothing is shown any more.
  return () => { source.close(); clearTimeout(clock); clock = 0; waiting = []; };
}
