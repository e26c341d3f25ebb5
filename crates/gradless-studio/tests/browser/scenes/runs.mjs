// Runs of the folder: watched while they go, stopped, continued, compared.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { tabTo } from "../browser.mjs";

// A black box that takes its time, and knows what is asked of it.
const BOX = `import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    time.sleep(float(sys.argv[1]))
    values = [sum((v - 0.1 * (i % 7)) ** 2 for i, v in enumerate(x)) for x in request["points"]]
    print(json.dumps({"id": request["id"], "values": values}), flush=True)
`;
const PROBLEM = 'schema = 1\ndim = 30\n[regulariser]\nl1 = 0.01\n[set]\nlower = -1\nupper = 1\n[method]\nnoise = "none"\n[budget]\nqueries = 400\n';

/** Begins a minimisation in a terminal, in the folder of the studio. */
function minimize(it, name, pause, more = []) {
  writeFileSync(path.join(it.work, "P.toml"), PROBLEM);
  writeFileSync(path.join(it.work, "box.py"), BOX);
  return spawn(it.program, ["minimize", "--problem=P.toml", `--out=runs/${name}`, "--rows=8", ...more, "--", "python3", "box.py", String(pause)], { cwd: it.work, stdio: "ignore" });
}

const fact = (page, name) => page.locator(`.facts div:has(dt:text-is("${name}")) dd`).textContent();
const numberOf = (text) => Number(text.replaceAll(",", "").replace("−", "-"));

async function watchMinimize(it) {
  const page = await it.open({}, "#runs");
  const process_ = minimize(it, "slow", 0.04);
  // It appears in the list by itself.
  await page.waitForSelector('tr[data-run="slow"] .state-running');
  await page.click('button[aria-label="Open slow"]');
  await page.waitForFunction(() => document.querySelectorAll("#runs-detail .plot path.line").length === 2);
  const [before, left] = [numberOf(await fact(page, "queries")), numberOf(await fact(page, "queries left"))];
  it.expect(before > 0 && before + left === 400, `queries used and left: ${before}, ${left}`);
  await page.waitForFunction((seen) => Number(document.querySelector(".facts div:nth-child(3) dd").textContent.replaceAll(",", "")) > seen, before);
  it.looks += 1;
  // A page that is loaded in the middle sees the whole curve.
  await page.reload();
  await page.waitForFunction((seen) => Number(document.querySelector(".facts div:nth-child(3) dd")?.textContent.replaceAll(",", "")) > seen, before);
  await it.everyLook(page, "minimize-live");
  await page.click("#runs-actions >> text=Stop");
  await once(process_, "exit");
  await page.waitForSelector("#runs-actions .state-stopped");
  const paid = numberOf(await fact(page, "queries"));
  it.expect(paid > before && paid < 400, `a stop keeps what was paid for: ${paid} queries`);
  it.expect(numberOf(await fact(page, "objective")) < numberOf(await fact(page, "at the start")), "the best so far is kept");
  await page.click("#runs-actions >> text=Continue");
  await page.waitForSelector("#runs-actions .state-done");
  it.expect(numberOf(await fact(page, "queries")) > paid, "it went on");
  await it.everyLook(page, "minimize-done");
  await page.click(".command summary");
  it.expect((await page.locator("pre.shell").textContent()).startsWith("gradless minimize --problem=P.toml"), "the command of the terminal is shown");
  await page.context().close();
}

async function compareMinimize(it) {
  await once(minimize(it, "other", 0, ["--method=zo-ada-exp-grad+"]), "exit").catch(() => {});
  const page = await it.open({}, "#runs");
  for (const name of ["slow", "other"]) await page.locator(`input[aria-label="Compare ${name}"]`).check();
  await page.click("#compare");
  await page.waitForFunction(() => document.querySelectorAll("#runs-detail .plot path.line").length === 2);
  const told = await page.locator(".compared").textContent();
  const results = ["slow", "other"].map((name) => JSON.parse(readFileSync(path.join(it.work, "runs", name, "result.json"), "utf8")));
  it.expect(results.every(({ method }) => told.includes(method)), `both methods stand side by side: ${told}`);
  const label = await page.locator("#runs-detail .plot").getAttribute("aria-label");
  const least = ["slow", "other"].map((name) => Math.min(...readFileSync(path.join(it.work, "runs", name, "trace.csv"), "utf8").trim().split("\n").slice(1).map((line) => Number(line.split(",")[2]))));
  it.expect(least.every((end) => label.includes(`to ${Number(end.toPrecision(4))} `)), `both curves end at the best of their runs: ${label}, ${least}`);
  await page.mouse.move(...await page.locator("#runs-detail .plot").boundingBox().then(({ x, y, width }) => [x + width / 2, y + 60]));
  it.expect(/After \d+ queries: slow .*, other/.test(await page.locator(".readout").textContent()), "the plot is read under the pointer");
  await it.everyLook(page, "compare-minimize");
  await page.context().close();
}

async function compareExplanations(it) {
  const page = await it.open({}, "#runs");
  const box = (name) => page.locator(`input[aria-label="Compare ${name}"]`);
  const [one, other] = it.digits;
  await box(one).check();
  it.expect(await page.locator("#compare").isDisabled(), "one run alone is not compared");
  await box(other).check();
  await it.everyLook(page, "runs");
  await page.click("#compare");
  await page.waitForFunction(() => document.querySelectorAll("#runs-detail .plot path.line").length === 4);
  it.expect((await page.locator(".compared tbody tr").count()) >= 3, "sentences side by side");
  await it.judge(page, "compared");
  await it.shot(page, "compare-explanations");
  // Of two kinds nothing is compared, and it is said why.
  await page.goto(`${it.studio.url}#runs/${one}+slow`);
  await page.waitForSelector("#runs-detail .empty");
  it.looks += 1;
  await page.context().close();
}

async function watchExplainOfTheTerminal(it) {
  const page = await it.open({}, "#runs");
  const digit = path.join(it.root, "assets", "digits", "5.png");
  const process_ = spawn(it.program, ["explain", `--input=${digit}`, "--out=runs/five", "--max-queries=1000000", "--count=10"], { cwd: it.work, stdio: "ignore" });
  await page.waitForSelector('tr[data-run="five"] .state-running');
  it.expect(await tabTo(page, 'button[aria-label="Open five"]'), "a run that goes on is reached by Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#runs-detail .plot path.line") && /\d+ features held/.test(document.querySelector("#runs-detail").textContent));
  it.expect(/\d+ of 1,000,000 queries, [\d,]+ left/.test(await page.locator("#runs-detail .held").first().textContent()), "queries left are told");
  await it.shot(page, "explain-live");
  await page.click("#runs-actions >> text=Stop");
  await once(process_, "exit");
  await page.waitForSelector("#runs-detail .sentence");
  it.looks += 1;
  await page.context().close();
}

async function manyInputs(it) {
  mkdirSync(path.join(it.work, "digits"), { recursive: true });
  for (const name of ["a.png", "b.png"]) writeFileSync(path.join(it.work, "digits", name), readFileSync(path.join(it.root, "assets", "digits", "5.png")));
  await once(spawn(it.program, ["explain", "--input=digits", "--out=runs/many", "--max-queries=300", "--question=part", "--stability=off"], { cwd: it.work, stdio: "ignore" }), "exit");
  const page = await it.open({}, "#runs/many");
  const [index] = await Promise.all([page.context().waitForEvent("page"), page.click("text=The pages of all inputs")]);
  await index.click("a >> nth=0");
  await index.waitForURL(/items/);
  it.expect((await index.title()).length > 0 && /pixels/.test(await index.textContent("body")), "a page of one input is reached from the index");
  await page.context().close();
}

// In this order.
export default { watchMinimize, compareMinimize, compareExplanations, watchExplainOfTheTerminal, manyInputs };
