// How soon the page shows something, in milliseconds, as its own clock tells: node measure.mjs CHROMIUM GRADLESS WORK.

import { loadavg } from "node:os";
import { open, settled, SEVEN, startBrowser, startStudio } from "./browser.mjs";

const [executablePath, program, work] = process.argv.slice(2);
const STROKES = 60;
const SEARCHES = 12;

const faults = [];
const [load] = loadavg();
const studio = await startStudio(program, work);
const browser = await startBrowser(executablePath);
const page = await open(browser, studio.url, faults);

// A moment is when an event reached the page; it is answered when what it alters has been altered.
await page.evaluate(() => {
  globalThis.moments = { scores: [], first: [], frames: [] };
  const { moments } = globalThis;
  let moved = null;
  let pressed = null;
  const canvas = document.querySelector("#canvas");
  canvas.addEventListener("pointermove", (event) => { if (event.buttons) moved ??= event.timeStamp; }, { capture: true });
  new MutationObserver(() => { if (moved !== null) { moments.scores.push(performance.now() - moved); moved = null; } }).observe(document.querySelector("#scores tbody"), { childList: true });
  document.querySelector("#explain").addEventListener("click", (event) => { pressed = event.timeStamp; }, { capture: true });
  new MutationObserver((changes) => {
    const frame = changes.find(({ target }) => /pixels held/.test(target.textContent) && target.classList?.contains("held"));
    if (!frame) return;
    moments.frames.push(performance.now());
    if (pressed !== null) { moments.first.push(performance.now() - pressed); pressed = null; }
  }).observe(document.querySelector("#draw-answers"), { childList: true, subtree: true, characterData: true });
});

const box = await page.locator("#canvas").boundingBox();
const at = ([x, y]) => [box.x + (x * box.width) / 28, box.y + (y * box.height) / 28];
const [first, ...rest] = SEVEN[0];
await page.mouse.move(...at(first));
await page.mouse.down();
let done = 0;
for (let k = 0; done < STROKES; k++) {
  // Along the seven, there and back.
  const share = (k % 40) / 20;
  const [from, to] = share < 1 ? [first, rest[0]] : [rest[0], rest[1]];
  await page.mouse.move(...at([from[0] + (to[0] - from[0]) * (share % 1), from[1] + (to[1] - from[1]) * (share % 1)]));
  await page.waitForFunction((wanted) => globalThis.moments.scores.length > wanted, done);
  done = await page.evaluate(() => globalThis.moments.scores.length);
}
await page.mouse.up();
await page.evaluate(() => { document.querySelector("#ask .more").open = true; });
await page.fill("#queries", "1500");
for (let k = 0; k < SEARCHES; k++) {
  await page.fill("#seed", String(k));
  await page.click("#explain");
  await page.waitForFunction((wanted) => globalThis.moments.first.length > wanted, k);
  await settled(page);
}
const moments = await page.evaluate(() => globalThis.moments);
await browser.close();
await studio.end("SIGTERM");
if (faults.length > 0) throw new Error(faults.join("\n"));
// The most frames within a second.
const most = Math.max(...moments.frames.map((time) => moments.frames.filter((other) => other >= time && other < time + 1000).length));
console.log(JSON.stringify({ scores: moments.scores, first: moments.first, most, load }));
