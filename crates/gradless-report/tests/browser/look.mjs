// Opens every page narrow and wide, light and dark, and checks what a reader would notice.
// node look.mjs CHROMIUM FOLDER SCREENSHOTS

import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, folder, screenshots] = process.argv.slice(2);
const pages = readdirSync(folder).filter((name) => name.endsWith(".html")).sort();
if (pages.length === 0) throw new Error(`no pages in ${folder}`);
mkdirSync(screenshots, { recursive: true });

const args = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const browser = await chromium.launch({ executablePath, args, timeout: 120_000 });
const faults = [];
let looks = 0;
for (const name of pages) {
  for (const width of [380, 1280, 1600]) {
    for (const colorScheme of ["light", "dark"]) {
      const where = `${name}, ${width} px, ${colorScheme}`;
      for (const fault of await look(name, width, colorScheme)) faults.push(`${where}: ${fault}`);
      looks += 1;
    }
  }
}
await browser.close();
for (const fault of faults) console.error(fault);
console.log(`${pages.length} pages, ${looks} looks, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function look(name, width, colorScheme) {
  const found = [];
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const address = pathToFileURL(path.resolve(folder, name)).href;
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) found.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => found.push(`page error: ${error}`));
  page.on("dialog", (dialog) => { found.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith("data:")) found.push(`request: ${url}`);
  });
  await page.goto(address, { waitUntil: "load", timeout: 60_000 });
  found.push(...await page.evaluate(judge));
  if (name.startsWith("real-") && await page.evaluate(() => document.images.length) < 2) found.push("pictures are missing");
  await page.screenshot({ path: path.join(screenshots, `${path.parse(name).name}-${width}-${colorScheme}.png`), fullPage: true });
  await context.close();
  return found;
}

// Runs inside the page.
function judge() {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    const wide = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1);
    found.push(`scrolls sideways: ${root.scrollWidth} > ${root.clientWidth}: ${wide.slice(0, 3).map((e) => e.outerHTML.slice(0, 80))}`);
  }
  for (const image of document.images) {
    if (!(image.complete && image.naturalWidth > 0)) found.push(`image not shown: ${image.alt}`);
    if (!image.alt) found.push("image without alt text");
    const box = image.getBoundingClientRect();
    if (box.width < 40 || box.height < 40) found.push(`image too small: ${box.width} x ${box.height}, ${image.alt}`);
  }
  const headline = document.querySelector(".headline");
  const box = headline?.getBoundingClientRect();
  if (!box || box.height < 10 || box.top > innerHeight || headline.innerText.trim() === "") found.push("headline not visible");
  if (document.scripts.length > 0) found.push("a script is on the page");
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption) found.push("table without caption");
  }
  for (const row of document.querySelectorAll(".scores tr")) {
    if (row.getBoundingClientRect().height > 110) found.push(`row too high: ${row.innerText.slice(0, 40)}`);
  }
  for (const text of document.querySelectorAll(".chart text")) {
    const size = text.getBoundingClientRect();
    if (size.height < 9) found.push(`chart text too small: ${size.height} px`);
    if (size.left < -1 || size.right > root.clientWidth + 1) found.push(`chart text cut: ${text.textContent}`);
  }
  found.push(...faint());
  return found;

  // Text whose contrast with the page is below WCAG's 4.5 to 1.
  function faint() {
    const faults = new Set();
    for (const element of document.querySelectorAll("p, h1, h2, h3, dt, dd, td, th, strong, span, figcaption, caption, code, a, text")) {
      if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")) continue;
      const style = getComputedStyle(element);
      const ink = channels(element.tagName === "text" ? style.fill : style.color);
      const paper = behind(element);
      const [light, dark] = [luminance(ink), luminance(paper)].sort((a, b) => b - a);
      const contrast = (light + 0.05) / (dark + 0.05);
      if (contrast < 4.5) faults.add(`contrast ${contrast.toFixed(2)}: ${element.tagName}.${element.getAttribute("class")}`);
    }
    return faults;
  }
  function behind(element) {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\)$/.test(colour)) return channels(colour);
    }
    return [255, 255, 255];
  }
  function channels(colour) { return colour.match(/[\d.]+/g).slice(0, 3).map(Number); }
  function luminance(rgb) {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
}
