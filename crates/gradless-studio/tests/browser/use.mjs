// Uses the studio: draws, explains, protects, stops, loads again, kills, drops files; by mouse, touch and keyboard; narrow and wide, light and dark.
// node use.mjs CHROMIUM GRADLESS WORK SCREENSHOTS ROOT

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { draw, judge, open, settled, SEVEN, startBrowser, startStudio } from "./browser.mjs";

const [executablePath, program, work, screenshots, root] = process.argv.slice(2);
mkdirSync(screenshots, { recursive: true });
const faults = [];
const browser = await startBrowser(executablePath);
let studio = await startStudio(program, work);
let looks = 0;

function expect(condition, words) {
  looks += 1;
  if (!condition) faults.push(words);
}

const shot = (page, name) => page.screenshot({ path: path.join(screenshots, `${name}.png`), fullPage: true });
const sentences = (page, place) => page.locator(`${place} .sentence`).allTextContents();

/** The sentences of a command, run where the studio runs. */
function byCommand(shown) {
  const words = shown.split(" ").slice(1).map((word) => (word.startsWith("--out=") ? "--out=again" : word)).concat("--force", "--format=json");
  let out;
  try {
    out = execFileSync(program, words, { cwd: work, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    out = error.stdout;
  }
  return JSON.parse(out).map((answer) => answer.sentence);
}

async function drawAndExplain() {
  const page = await open(browser, studio.url, faults);
  await judge(page, "empty page", faults);
  await page.click("#explain");
  expect(await page.locator("#notice").isVisible(), "an empty drawing is refused");
  await draw(page, SEVEN);
  await page.waitForFunction(() => document.querySelector("#verdict").textContent === "7");
  expect((await page.locator("#scores tbody tr").count()) === 10, "ten scores");
  // A pixel is protected, and a class chosen.
  await page.click("#protect");
  await draw(page, [[[10.5, 7.5]]]);
  await page.selectOption("#target", "9");
  await page.fill("#queries", "2500");
  await page.click("#explain");
  await page.waitForFunction(() => /\d+ held/.test(document.querySelector("#draw-answers")?.textContent ?? ""));
  await shot(page, "forming-wide-light");
  await settled(page);
  const told = await sentences(page, "#draw-answers");
  expect(told.length === 2 && told[1].includes("makes it class 9"), `both answers are told: ${told}`);
  expect((await page.locator("#draw-answers .copies canvas").count()) >= 8, "disturbed copies are shown");
  await page.click("#draw-answers .command summary");
  const shown = await page.locator("#draw-answers pre.shell").textContent();
  expect(shown.includes("--target=9") && shown.includes("--freeze="), shown);
  expect(JSON.stringify(byCommand(shown)) === JSON.stringify(told), `the command says the same: ${byCommand(shown)} and ${told}`);
  await judge(page, "answers", faults);
  await shot(page, "answers-wide-light");
  await page.context().close();
}

async function byKeyboard() {
  const page = await open(browser, studio.url, faults);
  for (let k = 0; k < 12 && !(await page.evaluate(() => document.activeElement.id === "canvas")); k++) await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement.id === "canvas"), "the canvas is reached by Tab");
  for (let k = 0; k < 8; k++) await page.keyboard.press("ArrowUp");
  for (let k = 0; k < 15; k++) await page.keyboard.press("Shift+ArrowDown");
  await page.waitForFunction(() => document.querySelector("#verdict").textContent === "1");
  await page.keyboard.press("p");
  for (let k = 0; k < 12 && !(await page.evaluate(() => document.activeElement.id === "explain")); k++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await settled(page);
  expect((await sentences(page, "#draw-answers"))[0]?.includes("class 1"), "explained by keyboard alone");
  await page.context().close();
}

async function stopAndContinue() {
  const page = await open(browser, studio.url, faults);
  await draw(page, SEVEN);
  await page.fill("#queries", "100000");
  await page.selectOption("#target", "0");
  await page.click("#explain");
  await page.waitForFunction(() => /\d+ held/.test(document.querySelector("#draw-answers").textContent));
  await page.click("#stop");
  await settled(page);
  const { run, state } = await page.locator("#draw-answers").evaluate((e) => ({ ...e.dataset }));
  expect(["stopped", "done"].includes(state), `stopped: ${state}`);
  expect((await page.locator("#draw-answers .answer").count()) > 0, "what was found is kept");
  await page.click("#tab-runs");
  await page.waitForSelector(`tr[data-run="${run}"]`);
  if (state === "stopped") {
    await page.click(`tr[data-run="${run}"] button:has-text("Continue")`);
    await page.waitForFunction((name) => /done/.test(document.querySelector(`tr[data-run="${name}"]`)?.textContent ?? ""), run);
  }
  await page.context().close();
}

async function loadAgainAndKill() {
  const page = await open(browser, studio.url, faults);
  await draw(page, SEVEN);
  await page.click("#explain");
  await page.waitForFunction(() => /\d+ held/.test(document.querySelector("#draw-answers").textContent));
  await page.reload();
  await page.waitForFunction(() => document.querySelector("#verdict").textContent === "7");
  // The studio is killed and started again on the same port: the page goes on by itself or when it is loaded again.
  await studio.end("SIGKILL");
  studio = await startStudio(program, work, [], studio.port);
  await page.reload();
  await settled(page);
  expect((await sentences(page, "#draw-answers")).length === 2, "both answers are there after a reload and a kill");
  await page.context().close();
}

async function twoAtOnce() {
  const pages = await Promise.all([1, 2].map(() => open(browser, studio.url, faults)));
  await Promise.all(pages.map(async (page, k) => {
    await draw(page, SEVEN);
    await page.fill("#seed", String(k));
    await page.fill("#queries", "1500");
    await page.click("#explain");
    await settled(page);
    expect((await sentences(page, "#draw-answers")).length === 2, `browser ${k} sees its answers`);
  }));
  const names = await Promise.all(pages.map((page) => page.locator("#draw-answers").getAttribute("data-run")));
  expect(names[0] !== names[1], "two runs");
  for (const page of pages) await page.context().close();
}

async function compare() {
  const page = await open(browser, `${studio.url}#runs`, faults);
  await page.waitForSelector("#runs-list input[type=checkbox]:not([disabled])");
  const boxes = page.locator("#runs-list input[type=checkbox]:not([disabled])");
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.waitForSelector("#runs-compared svg");
  await page.locator("#runs-list button:has-text('Open')").first().click();
  await page.waitForSelector("#runs-answers .sentence");
  await judge(page, "runs", faults);
  await shot(page, "runs-wide-light");
  await page.context().close();
}

async function everySize() {
  for (const [name, width] of [["phone", 380], ["wide", 1280]]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(browser, studio.url, faults, { width, height: 800, colorScheme, hasTouch: name === "phone" });
      await draw(page, SEVEN);
      await page.fill("#queries", "1200");
      await page.click("#explain");
      await settled(page);
      await judge(page, `${name}, ${colorScheme}`, faults);
      await shot(page, `draw-${name}-${colorScheme}`);
      await page.click("#tab-runs");
      await page.waitForSelector("#runs-list table");
      await judge(page, `runs, ${name}, ${colorScheme}`, faults);
      await page.context().close();
    }
  }
}

/** By touch, as a finger sends it. */
async function byTouch() {
  const page = await open(browser, studio.url, faults, { width: 380, height: 800, hasTouch: true });
  const box = await page.locator("#canvas").boundingBox();
  const session = await page.context().newCDPSession(page);
  const point = (x, y) => [{ x: box.x + (x * box.width) / 28, y: box.y + (y * box.height) / 28 }];
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: point(14, 5) });
  for (let y = 6; y <= 22; y++) await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: point(14, y) });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.waitForFunction(() => document.querySelector("#verdict").textContent === "1");
  looks += 1;
  await page.context().close();
}

/** A table and a text, of a program as the model. */
async function ownModels() {
  writeFileSync(path.join(work, "people.csv"), `age,income,job\n${Array.from({ length: 40 }, (_, k) => `${20 + k},${1000 + 97 * k},${["none", "part", "full"][k % 3]}`).join("\n")}\n`);
  writeFileSync(path.join(work, "credit.py"), readFileSync(new URL("credit.py", import.meta.url)));
  writeFileSync(path.join(work, "mail.txt"), "Hello! We have cheap pills for you. <b>Win</b> money now, and see the doctor at lunch.");
  writeFileSync(path.join(work, "labels.txt"), "no\nyes\n");
  const other = await startStudio(program, work, ["--classes", "labels.txt", "--", "python3", "credit.py"]);
  const page = await open(browser, other.url, faults);
  expect(await page.locator("#own").isVisible(), "a model of tables opens its own view");
  await page.setInputFiles("#own-file", path.join(work, "people.csv"));
  await page.waitForFunction(() => document.querySelector("#own-input .opinion strong")?.textContent === "no");
  await page.click("#own-input button[aria-label='Take row 3']");
  await page.selectOption("[data-column=age] select", "locked");
  await page.waitForFunction(() => document.querySelector("#own-input .opinion strong")?.textContent === "no");
  await page.click("#own-input button[type=submit]");
  await page.waitForSelector("#own-answers .answer[data-question=change] .sheet");
  const [, change] = await sentences(page, "#own-answers");
  expect(change?.includes("yes"), `a change of the row: ${change}`);
  expect(!/\bage\b/.test(await page.locator("#own-answers .answer[data-question=change] .sheet").textContent()), "a locked column stays");
  await judge(page, "table", faults);
  await shot(page, "table-wide-light");
  // The slider moves the row to the other class.
  await page.fill("[data-column=income] input[type=number]", "4500");
  await page.waitForFunction(() => document.querySelector("#own-input .opinion strong")?.textContent === "yes");
  await page.setInputFiles("#own-file", path.join(work, "mail.txt"));
  await page.waitForFunction(() => document.querySelector("#own-input .opinion strong")?.textContent === "yes");
  await page.click("#own-input .words button[data-word=money]");
  await page.click("#own-input button[type=submit]");
  await page.waitForSelector("#own-answers .text mark");
  expect((await page.locator("#own-answers .answer[data-question=change] mark").allTextContents()).join().includes("pills"), "words are marked");
  expect((await page.locator("#own-answers b").count()) === 0, "a text stays a text");
  await judge(page, "text", faults);
  await shot(page, "text-wide-light");
  await page.context().close();
  await other.end("SIGTERM");
}

/** A network of colour pictures that is dropped on the page, and a picture of its size. */
async function pictures() {
  const page = await open(browser, `${studio.url}#own`, faults);
  await page.setInputFiles("#own-onnx", path.join(root, "assets", "resnet20.onnx"));
  await page.waitForFunction(() => document.querySelector("#own-model").textContent.includes("resnet20"));
  expect(await page.locator("#tab-draw").isHidden(), "a model of colour pictures has nothing to draw on");
  const buffer = Buffer.from(await page.evaluate(() => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 32, height: 32 });
    const brush = canvas.getContext("2d");
    brush.fillStyle = "#48c";
    brush.fillRect(0, 0, 32, 32);
    brush.fillStyle = "#840";
    brush.fillRect(8, 10, 16, 12);
    return canvas.toDataURL("image/png").split(",")[1];
  }), "base64");
  await page.setInputFiles("#own-file", { name: "a <b>picture</b>.png", mimeType: "image/png", buffer });
  await page.waitForFunction(() => document.querySelectorAll("#own-input .scores tr").length === 10);
  const middle = await page.locator("#own-input canvas").evaluate((canvas) => [...canvas.getContext("2d").getImageData(16, 16, 1, 1).data]);
  expect(middle.join() === "136,68,0,255", `the picture as the model sees it: ${middle}`);
  await judge(page, "picture", faults);
  await page.context().close();
}

for (const [name, work_] of Object.entries({ drawAndExplain, byKeyboard, byTouch, stopAndContinue, loadAgainAndKill, twoAtOnce, compare, everySize, ownModels, pictures })) {
  try {
    await work_();
  } catch (error) {
    faults.push(`${name}: ${error.message.split("\n").slice(0, 3).join(" ")}`);
  }
}
await browser.close();
await studio.end("SIGTERM");
for (const fault of faults) console.error(fault);
console.log(`the studio: ${looks} checks, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
