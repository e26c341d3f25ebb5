// Takes the pictures of a film of the studio: somebody draws a digit and explains it.
// node film.mjs CHROMIUM GRADLESS WORK FRAMES

import { mkdirSync } from "node:fs";
import path from "node:path";
import { open, settled, startBrowser, startStudio } from "./browser.mjs";

const [executablePath, program, work, frames] = process.argv.slice(2);
mkdirSync(frames, { recursive: true });
const faults = [];
const studio = await startStudio(program, work);
const browser = await startBrowser(executablePath);
const page = await open(browser, studio.url, faults, { width: 1200, height: 1150 });
let count = 0;
const take = () => page.screenshot({ path: path.join(frames, `${String(count++).padStart(4, "0")}.png`) });

const box = await page.locator("#canvas").boundingBox();
const at = (x, y) => [box.x + (x * box.width) / 28, box.y + (y * box.height) / 28];
const strokes = [[[20, 6], [10, 6], [9.5, 12]], [[9.5, 12], [15, 11.5], [18.5, 15], [17, 19.5], [12, 21.5], [8.5, 20]]];
await take();
for (const [first, ...rest] of strokes) {
  await page.mouse.move(...at(...first));
  await page.mouse.down();
  for (const point of rest) {
    await page.mouse.move(...at(...point), { steps: 4 });
    await page.waitForTimeout(60);
    await take();
  }
  await page.mouse.up();
}
await page.waitForTimeout(300);
await take();
await page.click("#explain");
let isOver = false;
const end = settled(page).then(() => { isOver = true; });
while (!isOver && count < 100) {
  await take();
  await page.waitForTimeout(90);
}
await end;
await page.waitForTimeout(200);
await page.evaluate(() => document.querySelector("#draw-answers .copies").scrollIntoView({ block: "nearest" }));
await take();
await browser.close();
await studio.end("SIGTERM");
if (faults.length > 0) throw new Error(faults.join("\n"));
console.log(`${count} pictures`);
